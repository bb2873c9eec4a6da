import Foundation
import TestKit
import Testing

@testable import Contracts

/// Decoding takes linear time, so the body limit bounds the processor time that a request can cost.
@Suite(.serialized)
struct HostileJSONTests {
  enum Shape: String, CaseIterable, Sendable {
    case deep, deepPairs, manyShallowNests, wide, duplicates, longName, longNumber, manyNumbers, escapes, surrogates
    case longText, unclosed, numberThatDoesNotFit, emptyObjects, combiningMarks, escapedMarks, manyTags

    /// A text of about `size` bytes.
    func text(_ size: Int) -> String {
      func times(_ part: String) -> String { String(repeating: part, count: size / part.utf8.count) }
      func list(_ part: String) -> String { "[" + times(part + ",").dropLast() + "]" }
      switch self {
      case .deep: return times("[") + times("]")
      case .deepPairs: return times(#"{"a":"#)
      case .manyShallowNests:
        return list(String(repeating: "[", count: 60) + String(repeating: "]", count: 60))
      case .wide: return "{" + (0..<size / 12).map { "\"n\($0)\":\($0)" }.joined(separator: ",") + "}"
      case .duplicates: return "{" + times("\"name\":1,") + "\"name\":1}"
      case .longName: return "{\"\(times("n"))\":1}"
      case .longNumber: return times("1")
      case .manyNumbers: return list("1.5e3")
      case .escapes: return "\"" + times("\\n") + "\""
      case .surrogates: return list(#""\ud83d\ude00""#)
      case .longText: return "\"" + times("é") + "\""
      case .unclosed: return times("\"a\",[")
      case .numberThatDoesNotFit: return list("{\"wide\":99999999999999999999}")
      case .emptyObjects: return list("{}")
      case .combiningMarks: return "\"a" + times("\u{301}\u{316}") + "\""
      case .escapedMarks: return "\"a" + times(#"\u0301\u0316"#) + "\""
      case .manyTags: return "[" + list("\"a\"") + "]"
      }
    }
  }

  struct Nothing: Codable {
    var wide: Int64?
    var other: [Nothing]?
  }

  private func processorSeconds(_ body: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    body()
    return now() - start
  }

  /// Sixteen times the bytes may take about sixteen times as long, with a factor of three for noise. The minimum of
  /// several runs is measured.
  @Test(arguments: Shape.allCases)
  func costsNoMoreThanItsLength(shape: Shape) {
    let (small, large) = (Array(shape.text(16_384).utf8), Array(shape.text(262_144).utf8))
    func seconds(_ bytes: [UInt8]) -> Double {
      (0..<4).map { _ in
        processorSeconds {
          _ = try? WireJSON.decode(JSONValue.self, from: bytes)
          _ = try? WireJSON.decode([Nothing].self, from: bytes)
          _ = try? WireJSON.decode([String: Int].self, from: bytes)
          _ = try? WireJSON.decode([[Contracts.Tag]].self, from: bytes)
          _ = try? WireJSON.decode(ClientApp.self, from: bytes)
          _ = try? WireJSON.decode(Currency.self, from: bytes)
          _ = try? WireJSON.decode(LongText.self, from: bytes)
          _ = try? WireJSON.decode(PhoneNumber.self, from: bytes)
        }
      }.min() ?? 0
    }
    let (short, long) = (seconds(small), seconds(large))
    #expect(long < max(short, 0.0005) * 48, "\(short) s for 16 KiB, \(long) s for 256 KiB")
    #expect(long < 4)
  }

  /// Mutated texts neither trap nor take long; what is accepted is accepted by another parser, and remains itself.
  @Test func survivesMutation() async throws {
    var generator = SeededGenerator()
    let examples = try (0..<20).map { _ in try WireJSON.encode(JSONTests.random(&generator)) }
    let words = [
      "{", "}", "[", "]", "null", "true", "false", "{}", "[]", "\"\"", "\"a\":", "-", "1.5e-3", "1E400", "\\u0000",
      "\\ud83d", "\\ude00", "\\", "\u{FEFF}", "NaN",
    ]
    let corpus = FuzzCorpus(examples, words: words, separators: "{}[]\",:")
    try await Fuzzer("json", corpus, inputs: 8_000).run { bytes, _ in
      _ = try? WireJSON.decode(JSONTests.Everything.self, from: bytes)
      guard let value = try? WireJSON.decode(JSONValue.self, from: bytes) else { return false }
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
      try confirm(isJSON, "another parser refuses it")
      // A number with an exponent may become a plain one when it is written; then nothing changes any more.
      let written = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
      let again = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(written))
      try confirm(again == written, "\(value) changes when it is written and read")
      return true
    }
  }
}
