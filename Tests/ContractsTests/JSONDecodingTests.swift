import Foundation
import TestKit
import Testing

@testable import Contracts

/// The decoder accepts RFC 8259 JSON and agrees with Foundation's decoder.
struct JSONDecodingTests {
  @Test func meansWhatFoundationMeans() throws {
    var generator = SeededGenerator()
    for _ in 0..<500 {
      let value = JSONTests.random(&generator)
      let encoder = JSONEncoder()
      encoder.outputFormatting = Bool.random(using: &generator) ? [.prettyPrinted] : []
      let bytes = try encoder.encode(value)
      #expect(try WireJSON.decode(JSONTests.Everything.self, from: bytes) == value, "\(generator)")
    }
  }

  @Test(arguments: [
    "null", "true", " false ", "0", "-0", "12", "-12.5e+3", "1E2", "\"\"", #""\u00e9\uD83D\uDE00\b\f\n\r\t\/\\\"""#,
    "[]", "[ ]", "{}", "{ }", "[1,[2,[3]]]", #"{"a":{"b":[]}}"#, "\"é漢😀\"", "\n[\r1\t,2 ]",
  ])
  func readsEveryValue(text: String) throws {
    let value = try WireJSON.decode(JSONValue.self, from: text.utf8)
    let ours = try JSONSerialization.jsonObject(with: Data(WireJSON.encode([value]))) as? NSArray
    let theirs = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) as? NSArray
    #expect(ours == theirs)
  }

  @Test(arguments: [
    "", " ", "[", "{", "[1", "[1,", "[1,]", "[,1]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{1:1}",
    "tru", "nul", "True", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "'a'", "\"", "\"\\",
    #""\x""#, #""\u12"#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "\"\n\"", "\"\u{0}\"", "1 2",
    "[1}", "{]", "[1]]", "\u{feff}1", "/* */1", "[1,,2]", #"{"a":1 "b":2}"#, #"{"a":1,"a":2}"#,
    #"{"a":1,"\u0061":2}"#, #"{"b":{},"a":[{"c":1,"d":2,"c":3}]}"#,
  ])
  func refusesWhatIsNotJSON(text: String) {
    let problem = #expect(throws: Problem.self) { try WireJSON.decode(JSONValue.self, from: text.utf8) }
    #expect(problem?.status == 400)
  }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22],
      [0x22, 0xF0, 0x9F, 0x98], [0xFF], [0x22, 0xE2, 0x82, 0x28, 0x22],
    ] as [[UInt8]]
  )
  func refusesWhatIsNotUTF8(bytes: [UInt8]) {
    #expect(throws: Problem.self) { try WireJSON.decode(JSONValue.self, from: bytes) }
  }

  @Test func findsADuplicateAmongManyNames() throws {
    let names = (0..<5000).map { "\"n\($0)\":\($0)" }
    #expect(try WireJSON.decode([String: Int].self, from: "{\(names.joined(separator: ","))}".utf8).count == 5000)
    #expect(throws: Problem.self) {
      try WireJSON.decode([String: Int].self, from: "{\((names + ["\"n4999\":1"]).joined(separator: ","))}".utf8)
    }
  }

  @Test func allowsNestingUpToALimit() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try WireJSON.decode(JSONValue.self, from: nested(64).utf8)
    #expect(throws: Problem.self) { try WireJSON.decode(JSONValue.self, from: nested(65).utf8) }
  }

  struct Numbers: Codable {
    var byte: UInt8?
    var signed: Int8?
    var wide: Int64?
    var real: Double?
  }

  @Test(arguments: [
    (#"{"byte":256}"#, "body.byte", "must be from 0 to 255"), (#"{"byte":-1}"#, "body.byte", "must be from 0 to 255"),
    (#"{"signed":-129}"#, "body.signed", "must be from -128 to 127"),
    (#"{"wide":9223372036854775808}"#, "body.wide", "must be from \(Int64.min) to \(Int64.max)"),
    (#"{"wide":1.5}"#, "body.wide", "must be an integer"),
    (#"{"real":1e400}"#, "body.real", "is a number that is too large"),
  ])
  func namesTheFieldWhoseNumberDoesNotFit(json: String, location: String, message: String) {
    let problem = #expect(throws: Problem.self) { try WireJSON.decode(Numbers.self, from: json.utf8) }
    #expect(problem?.status == 422)
    #expect(problem?.errors == [.init(location: location, message: message)])
  }

  @Test func readsNumbersAtTheirLimits() throws {
    let json = #"{"byte":255,"signed":-128,"wide":-9223372036854775808,"real":1.7976931348623157e308}"#
    let numbers = try WireJSON.decode(Numbers.self, from: json.utf8)
    #expect(numbers.byte == 255)
    #expect(numbers.signed == -128)
    #expect(numbers.wide == .min)
    #expect(numbers.real == .greatestFiniteMagnitude)
    #expect(try WireJSON.decode(Numbers.self, from: #"{"wide":1e3}"#.utf8).wide == 1000)
  }

  /// Exactly, not by way of a floating-point number, and never a part of it.
  @Test(
    arguments: [
      ("9007199254740993.0", 9_007_199_254_740_993), ("123456789012345678e0", 123_456_789_012_345_678), ("-0.0", 0),
      ("12.50e1", 125), ("0e99999", 0), ("1000e-3", 1), ("-9223372036854775808.0", Int64.min), ("1E+2", 100),
      ("99.99999999999999999", nil), ("-9223372036854775807.5", nil), ("1e-1", nil), ("1e19", nil), ("1e999999", nil),
      ("9223372036854775808.0", nil),
    ] as [(String, Int64?)])
  func readsIntegersWithFractionOrExponent(text: String, value: Int64?) {
    #expect((try? WireJSON.decode([Int64].self, from: "[\(text)]".utf8)) == value.map { [$0] })
  }

  @Test(arguments: ["\u{212A}RW", "usd", "USDX", "US", "U\u{301}SD"])
  func refusesCurrenciesThatOnlyLookRight(code: String) {
    #expect(Currency(code) == nil)
  }

  @Test func refusesNumbersBeyondDoubleInATree() {
    #expect(throws: Problem.self) { try WireJSON.decode(JSONValue.self, from: "[1e400]".utf8) }
  }

  @Test func allowsCombiningMarksUpToALimit() throws {
    func text(_ marks: Int) -> String { "\"a" + String(repeating: "\u{301}", count: marks) + "b\u{301}\"" }
    _ = try WireJSON.decode(String.self, from: text(30).utf8)
    #expect(throws: Problem.self) { try WireJSON.decode(String.self, from: text(31).utf8) }
    #expect(PercentCoding.decode("a" + String(repeating: "%CC%81", count: 31)[...]) == nil)
  }
}
