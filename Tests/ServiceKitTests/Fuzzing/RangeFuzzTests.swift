import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// `Range` headers: the parts are within the file, and those that a second reader finds.
@Suite(.long)
struct RangeFuzzTests {
  private static let length = 1000

  @Test func partsAreThoseOfASecondReader() async throws {
    let corpus = FuzzCorpus(
      ["bytes=0-499", "bytes=500-", "bytes=-1", "bytes=0-0,10-19 , 999-", "bytes=,5-6,,7-9,", "Bytes=1000-,0-0"],
      words: ["bytes=", "-", ",", " , ", "0-", "-0", "=", "\t", "999", "1000"], separators: "=-, ", maxBytes: 400)
    try await Fuzzer("ranges", corpus).run { input, _ in
      let header = String(decoding: input, as: UTF8.self)
      guard case .parts(let parts) = ByteRanges(header, length: Self.length) else { return false }
      try confirm((1...ByteRanges.maxParts).contains(parts.count), "\(parts.count) parts")
      try confirm(
        parts.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= Self.length }, "\(parts)")
      try confirm(parts.reduce(0) { $0 + $1.count } <= Self.length, "more than there is: \(parts)")
      let expected = try header.dropFirst("bytes=".count).split(separator: ",").compactMap { try range($0) }
      try confirm(parts == expected, "\(parts), not \(expected)")
      return true
    }
  }

  private func range(_ element: Substring) throws -> Range<Int>? {
    let text = String(element.filter { $0 != " " && $0 != "\t" })
    if text.isEmpty { return nil }
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    try confirm(halves.count == 2, "no range: \(text)")
    let end = Double(Self.length)
    let first = halves[0].isEmpty ? nil : try number(halves[0])
    let last = halves[1].isEmpty ? nil : try number(halves[1])
    guard let first else {
      let count = try #require(last)
      return count == 0 ? nil : Int(max(0, end - count))..<Self.length
    }
    return first < end ? Int(first)..<Int(min(end, (last ?? end) + 1)) : nil
  }

  private func number(_ text: Substring) throws -> Double {
    let number = Double(text)
    return try #require(number)
  }
}
