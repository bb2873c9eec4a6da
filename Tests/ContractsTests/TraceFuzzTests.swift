import TestKit
import Testing

@testable import Contracts

/// `traceparent` headers: exactly those are accepted that a second reader of the specification accepts.
@Suite(.long)
struct TraceFuzzTests {
  private func isValid(_ text: String) -> Bool {
    func isHex(_ text: Substring, _ count: Int) -> Bool {
      text.utf8.count == count && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, isHex(parts[0], 2), isHex(parts[1], 32), isHex(parts[2], 16), isHex(parts[3], 2) else {
      return false
    }
    return parts[0] != "ff" && (parts[0] != "00" || parts.count == 4)
      && parts[1].contains { $0 != "0" } && parts[2].contains { $0 != "0" }
  }

  @Test func acceptsWhatTheSpecificationAccepts() async throws {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let corpus = FuzzCorpus(
      ["00-\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7-00", "cc-\(trace)-00f067aa0ba902b7-01-later"],
      words: [
        "00", "01", "ff", "-", trace, String(repeating: "0", count: 32), String(repeating: "0", count: 16),
        "00f067aa0ba902b7", "A", "é",
      ], separators: "-", maxBytes: 200)
    try await Fuzzer("traceparent", corpus).run { input, _ in
      let text = String(decoding: input, as: UTF8.self)
      let context = TraceContext(traceparent: text)
      try confirm((context != nil) == isValid(text), "one of two readers accepts it")
      guard let context else { return false }
      try confirm(text.utf8.dropFirst(3).starts(with: "\(context.traceID)-\(context.spanID)-".utf8), "\(context)")
      try confirm(TraceContext(traceparent: context.traceparent) == context, "\(context) changes")
      return true
    }
  }
}
