import Foundation
import TestKit
import Testing

@testable import Contracts

/// The streaming encoder's JSON is equivalent to Foundation's.
struct JSONTests {
  struct Everything: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var name: String
      var numbers: [Int64]
    }
    enum Kind: String, WireEnum { case first, second }

    var text: String
    var flag: Bool
    var small: Int8
    var large: UInt64
    var real: Double
    var single: Float
    var missing: String?
    var present: Int?
    var kind: Kind
    var inner: Inner
    var list: [Inner]
    var matrix: [[Int]]
    var dictionary: [String: Inner]
    var id: ID<Everything>
    var time: Timestamp
    var empty: [Int]
  }

  static func random(_ generator: inout some RandomNumberGenerator) -> Everything {
    func text() -> String {
      let scalars = "aZ0 \"\\/\n\r\t\u{0}\u{1f}\u{7f}é№漢😀\u{2028}"
      return String(
        (0..<Int.random(in: 0...40, using: &generator)).map { _ in scalars.randomElement(using: &generator) ?? "a" }
      )
    }
    func inner() -> Everything.Inner {
      .init(
        name: text(),
        numbers: (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(in: .min ... .max, using: &generator)
        }
      )
    }
    return Everything(
      text: text(),
      flag: .random(using: &generator),
      small: .random(in: .min ... .max, using: &generator),
      large: .random(in: .min ... .max, using: &generator),
      real: .random(in: -1e12...1e12, using: &generator),
      single: .random(in: -1000...1000, using: &generator),
      missing: nil,
      present: .random(in: .min ... .max, using: &generator),
      kind: .allCases.randomElement(using: &generator) ?? .first,
      inner: inner(),
      list: [inner(), inner()],
      matrix: [[], [1], [2, 3]],
      dictionary: ["a": inner(), "b" + text(): inner()],
      id: IDGenerator().make(),
      time: Timestamp(microseconds: .random(in: 0...4_102_444_800_000, using: &generator) * 1000),
      empty: []
    )
  }

  @Test func meansWhatFoundationMeans() throws {
    var generator = SeededGenerator()
    for _ in 0..<500 {
      let value = Self.random(&generator)
      let bytes = Data(try WireJSON.encode(value))
      #expect(try JSONDecoder().decode(Everything.self, from: bytes) == value, "\(generator)")
      let ours = try JSONSerialization.jsonObject(with: bytes) as? NSDictionary
      let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? NSDictionary
      #expect(ours == theirs, "\(generator)")
    }
  }

  @Test(arguments: [
    "", "\"", "\\", "a\"b\\c", "1234567\"", "12345678\"", "\u{0}\u{1}\u{1f} ", "é\n漢\t😀", "\u{7f}\u{80}",
  ])
  func escapes(text: String) throws {
    let bytes = try WireJSON.encode([text])
    #expect(try JSONDecoder().decode([String].self, from: Data(bytes)) == [text])
  }

  @Test(arguments: [0, 9, 10, 99, 100, 12345, Int64.max, Int64.min, -1])
  func integers(value: Int64) throws {
    #expect(String(decoding: try WireJSON.encode(value), as: UTF8.self) == String(value))
    #expect(String(decoding: try WireJSON.encode(UInt64.max), as: UTF8.self) == String(UInt64.max))
  }

  @Test func keepsPrecisionOfNumbers() throws {
    for value in [0.1, 1e300, -2.5e-300, 1.0 / 3] {
      #expect(try JSONDecoder().decode([Double].self, from: Data(WireJSON.encode([value]))) == [value])
    }
    #expect(throws: EncodingError.self) { try WireJSON.encode([Double.nan]) }
    #expect(throws: EncodingError.self) { try WireJSON.encode([Double.infinity]) }
  }

  /// Handwritten conformances use nested and inherited containers.
  class Base: Encodable { var a = 1 }
  final class Derived: Base {
    var b = [2]
    enum CodingKeys: CodingKey { case b, c }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .b)
      for value in b { try list.encode(value) }
      var inner = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .c)
      try inner.encode(true, forKey: .b)
      try container.encodeNil(forKey: .c)
    }
  }

  @Test func nestedContainers() throws {
    #expect(
      String(decoding: try WireJSON.encode(Derived()), as: UTF8.self) == #"{"a":1,"b":[2],"c":{"b":true},"c":null}"#
    )
  }

  struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }

  @Test func emptyValues() throws {
    #expect(String(decoding: try WireJSON.encode(Empty()), as: UTF8.self) == "{}")
    #expect(String(decoding: try WireJSON.encode([[Int]]()), as: UTF8.self) == "[]")
    #expect(String(decoding: try WireJSON.encode([Nothing()]), as: UTF8.self) == "[{}]")
  }

  @Test func jsonValueKeepsOrderAndRoundTrips() throws {
    let value: JSONValue = ["z": [1, true, .null, "x", .number(1.5)], "a": ["inner": .integer(-3)]]
    let bytes = try WireJSON.encode(value)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"z":[1,true,null,"x",1.5],"a":{"inner":-3}}"#)
    #expect(try WireJSON.decode(JSONValue.self, from: bytes)["z"] == value["z"])
  }

  struct Form: Codable {
    struct Item: Codable { var tags: [String] }
    enum Color: String, WireEnum { case red, green }
    var count: Int
    var color: Color
    var items: [Item]
  }

  /// Decoding errors name the location and expose no internal type.
  @Test(arguments: [
    (#"{"count":"#, 400, "body", "is not valid JSON"),
    ("", 400, "body", "is not valid JSON"),
    (#"{"color":"red","items":[]}"#, 422, "body.count", "is required"),
    (#"{"count":"1","color":"red","items":[]}"#, 422, "body.count", "must be an integer"),
    (#"{"count":1.5,"color":"red","items":[]}"#, 422, "body.count", "must be an integer"),
    (#"{"count":null,"color":"red","items":[]}"#, 422, "body.count", "must be an integer, not null"),
    (#"{"count":1,"color":"blue","items":[]}"#, 422, "body.color", "must be one of red, green"),
    (#"{"count":1,"color":"red","items":[{"tags":["a",2]}]}"#, 422, "body.items[0].tags[1]", "must be a string"),
    ("[]", 422, "body", "must be an object"),
  ])
  func reportsTheLocation(json: String, status: Int, location: String, message: String) {
    let problem = #expect(throws: Problem.self) { try WireJSON.decode(Form.self, from: json.utf8) }
    #expect(problem?.status == status)
    #expect(problem?.errors == [.init(location: location, message: message)])
  }
}
