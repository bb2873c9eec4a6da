import Foundation
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Forms that are almost valid: what a parser finds in them stands between the same delimiters for a second reader.
@Suite(.long)
struct MultipartFuzzTests {
  private static let type = "multipart/form-data; boundary=\"line\""
  private static let corpus = FuzzCorpus(
    [
      "ignored\r\n--line\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA --line title\r\n"
        + "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\n"
        + "Content-Type: text/plain\r\n\r\nfirst\r\n--lin second\r\n--line--\r\nignored",
      "--line\r\ncontent-disposition: form-data; filename=x\r\n\r\n\r\n--line--",
      "--line\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--line--\r\n",
      "--line\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--line\r\n"
        + "Content-Disposition: form-data; name=b; filename=\"ä\"\r\n\r\n\0\u{1}\r\n\r\n--line--\r\n",
    ],
    words: [
      "\r\n", "\n", "\r", "--", "--line", "\r\n--line", "\r\n--line--", "\r\n\r\n", "\r\n--line\r\n",
      "Content-Disposition: ", "form-data", "; name=\"x\"", "; filename=\"y\"", "; filename*=UTF-8''z", "\"", "\u{301}",
    ], separators: "\r\n;:=\"- ")

  /// The parts by a search in the bytes; `nil` when they do not end.
  private func parts(_ bytes: [UInt8]) -> [(head: String, content: [UInt8])]? {
    let data = Data("\r\n".utf8) + Data(bytes)
    let delimiter = Data("\r\n--line".utf8)
    var parts: [(head: String, content: [UInt8])] = []
    guard var offset = data.range(of: delimiter)?.upperBound else { return nil }
    while true {
      let next = data[offset..<min(offset + 2, data.count)]
      if next == Data("--".utf8) { return parts }
      guard next == Data("\r\n".utf8), let head = data.range(of: Data("\r\n\r\n".utf8), in: offset..<data.count),
        let end = data.range(of: delimiter, in: head.upperBound..<data.count)
      else { return nil }
      parts.append(
        (String(decoding: data[offset..<head.lowerBound], as: UTF8.self), Array(data[head.upperBound..<end.lowerBound]))
      )
      offset = end.upperBound
    }
  }

  private struct Found: Equatable {
    var name: String?
    var content: [UInt8] = []
  }

  /// - Returns: `nil` for what is no complete form with a file.
  private func file(_ input: [UInt8], _ random: inout SeededGenerator, chunk: Int) throws -> Found? {
    guard var parser = try MultipartFile(contentType: Self.type) else { return nil }
    var found = Found()
    var offset = 0
    while offset < input.count {
      let end = min(input.count, offset + 1 + random.below(chunk))
      guard let content = try? parser.take(Array(input[offset..<end])) else { return nil }
      found.content += content
      offset = end
    }
    found.name = parser.name
    return parser.isComplete ? found : nil
  }

  @Test func aFileIsWhatStandsBetweenDelimiters() async throws {
    try await Fuzzer("multipart-file", Self.corpus, inputs: 10_000).run { input, random in
      let found = try file(input, &random, chunk: 4096)
      let again = try file(input, &random, chunk: 16)
      try confirm(found == again, "\(String(describing: found)) becomes \(String(describing: again)) in pieces")
      guard let found, let parts = parts(input) else {
        try confirm(found == nil, "a file in a form that does not end")
        return false
      }
      let name = Array((found.name ?? "-").utf8)
      let isThere = parts.contains { part in
        part.content == found.content && (name.isEmpty || Array(part.head.utf8).contains(name))
      }
      try confirm(isThere, "\(found) is in no part")
      return true
    }
  }

  @Test func fieldsAreWhatStandsBetweenDelimiters() async throws {
    try await Fuzzer("multipart-fields", Self.corpus, inputs: 10_000).run { input, _ in
      let body = String(decoding: input, as: UTF8.self)
      guard let fields = MultipartForm.fields(of: body, contentType: Self.type) else { return false }
      try confirm(fields.count <= 101, "\(fields.count) fields")
      // Text is searched by characters, and a combining mark changes the last one of a delimiter.
      guard body.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
      let contents = try #require(parts(Array(body.utf8)), "fields of a form that does not end").map(\.content)
      try confirm(contents == fields.map { Array($0.value.utf8) }, "\(fields)")
      return true
    }
  }
}
