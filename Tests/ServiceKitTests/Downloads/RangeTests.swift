import Contracts
import CurlClient
import Foundation
import HTTPServing
import NIOCore
import TestKit
import Testing

@testable import ServiceKit

/// `Range` (RFC 9110 §14), over sockets.
@Suite(.timeLimit(.minutes(60)))
struct RangeTests {
  /// The response that a header gets of 100 bytes.
  private enum Expected: Equatable {
    case whole, unsatisfiable
    /// First and last offsets.
    case parts([ClosedRange<Int>])
  }

  private static let text = (0..<100).map { String(UnicodeScalar(UInt8(48 + $0 % 75))) }.joined()

  private static let single: [(String, Expected)] = [
    ("bytes=0-0", .parts([0...0])), ("bytes=0-1", .parts([0...1])), ("bytes=0-99", .parts([0...99])),
    ("bytes=99-99", .parts([99...99])), ("bytes=10-19", .parts([10...19])), ("bytes=0-", .parts([0...99])),
    ("bytes=99-", .parts([99...99])), ("bytes=50-", .parts([50...99])), ("bytes=-1", .parts([99...99])),
    ("bytes=-10", .parts([90...99])), ("bytes=-100", .parts([0...99])), ("bytes=-101", .parts([0...99])),
    ("bytes=90-100", .parts([90...99])), ("bytes=90-1000000", .parts([90...99])),
    ("bytes=007-0009", .parts([7...9])), ("bytes=-0010", .parts([90...99])), ("BYTES=0-4", .parts([0...4])),
    ("Bytes=5-9", .parts([5...9])), ("bytes=0-9223372036854775807", .parts([0...99])),
    ("bytes=0-9223372036854775808", .parts([0...99])), ("bytes=3-99999999999999999999999", .parts([3...99])),
    ("bytes=-9223372036854775808", .parts([0...99])), ("bytes=-99999999999999999999999", .parts([0...99])),
  ]

  private static let unsatisfiable: [(String, Expected)] = [
    ("bytes=100-", .unsatisfiable), ("bytes=100-100", .unsatisfiable), ("bytes=1000-2000", .unsatisfiable),
    ("bytes=-0", .unsatisfiable), ("bytes=-00", .unsatisfiable), ("bytes=100-,200-", .unsatisfiable),
    ("bytes=-0,100-", .unsatisfiable), ("bytes=9223372036854775808-", .unsatisfiable),
    ("bytes=99999999999999999999999-99999999999999999999999", .unsatisfiable),
    ("bytes=18446744073709551616-", .unsatisfiable),
  ]

  private static let invalid: [(String, Expected)] = [
    ("bytes=", .unsatisfiable), ("bytes=,", .unsatisfiable), ("bytes=-", .unsatisfiable),
    ("bytes=+0-5", .unsatisfiable), ("bytes=0-+5", .unsatisfiable), ("bytes=-+5", .unsatisfiable),
    ("bytes=--5", .unsatisfiable), ("bytes=5-4", .unsatisfiable), ("bytes=5", .unsatisfiable),
    ("bytes=a-b", .unsatisfiable), ("bytes=0-b", .unsatisfiable), ("bytes=0x1-0x5", .unsatisfiable),
    ("bytes=1.0-2", .unsatisfiable), ("bytes=0-5-9", .unsatisfiable), ("bytes=0 -5", .unsatisfiable),
    ("bytes=0- 5", .unsatisfiable), ("bytes= 0-5", .unsatisfiable), ("bytes=0-5;6-7", .unsatisfiable),
    ("bytes=0-5,a", .unsatisfiable), ("bytes=0-5,9-8", .unsatisfiable), ("bytes==0-5", .unsatisfiable),
    ("bytes=1e1-20", .unsatisfiable), ("bytes=0-5,bytes=7-8", .unsatisfiable),
    ("bytes=\"0-5\"", .unsatisfiable),
  ]

  private static let ignored: [(String, Expected)] = [
    ("items=0-5", .whole), ("none", .whole), ("0-5", .whole), ("bytes 0-5", .whole), ("bytes:0-5", .whole),
    ("bytes =0-5", .whole), ("byte=0-5", .whole), ("seconds=1-2", .whole), ("=0-5", .whole),
    ("bytes=0-99,0-0", .whole), ("bytes=0-,0-", .whole), ("bytes=-60,-60", .whole),
    ("bytes=" + (0..<33).map { "\($0)-\($0)" }.joined(separator: ","), .whole),
    ("bytes=" + Array(repeating: "0-0", count: 101).joined(separator: ","), .whole),
  ]

  private static let several: [(String, Expected)] = [
    ("bytes=0-0,99-99", .parts([0...0, 99...99])), ("bytes=0-9,20-29,-10", .parts([0...9, 20...29, 90...99])),
    ("bytes=50-59,0-9", .parts([50...59, 0...9])), ("bytes=0-9,5-14", .parts([0...9, 5...14])),
    ("bytes=0-9, 20-29", .parts([0...9, 20...29])), ("bytes=0-9\t,\t20-29", .parts([0...9, 20...29])),
    ("bytes=,0-9,,20-29,", .parts([0...9, 20...29])), ("bytes=0-9,100-", .parts([0...9])),
    ("bytes=100-,7-7", .parts([7...7])), ("bytes=0-0,-0", .parts([0...0])),
    ("bytes=,5-6", .parts([5...6])), ("bytes=0-0,0-0", .parts([0...0, 0...0])),
    (
      "bytes=" + (0..<32).map { "\($0)-\($0)" }.joined(separator: ","), .parts((0..<32).map { $0...$0 })
    ),
  ]

  private static let rows = single + unsatisfiable + invalid + ignored + several

  @Test func headersGetWhatTheGrammarGivesThem() async throws {
    #expect(Self.rows.count >= 60)
    try await DownloadServer.run(["text": .text(Self.text)]) { server async throws in
      for (header, expected) in Self.rows {
        let response = try await server.send("text", ["Range: \(header)"])
        #expect(try Self.reading(response) == expected, "\(header)")
      }
    }
  }

  /// Checks a response against the text and returns what it contains.
  private static func reading(_ response: RawResponse) throws -> Expected {
    func slice(_ range: ClosedRange<Int>) -> String { String(text.dropFirst(range.lowerBound).prefix(range.count)) }
    switch response.status {
    case 200:
      #expect(response.body == text)
      #expect(response.headers["content-range"] == nil)
      return .whole
    case 416:
      #expect(response.headers["content-range"] == "bytes */100")
      return .unsatisfiable
    default: break
    }
    #expect(response.status == 206)
    #expect(response.headers["content-length"] == "\(response.body.utf8.count)")
    let boundary = response.headers["content-type"]?.firstMatch(of: /^multipart\/byteranges; boundary=([0-9a-z]+)$/)
    guard let boundary else {
      let range = try #require(Self.range(in: response.headers["content-range"] ?? ""))
      #expect(response.body == slice(range))
      return .parts([range])
    }
    #expect(response.headers["content-range"] == nil)
    let ranges = response.body.matches(of: /Content-Range: (.*)\r\n/).compactMap { Self.range(in: String($0.1)) }
    let expected = ranges.map { range in
      "--\(boundary.1)\r\nContent-Type: text/plain\r\n"
        + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/100\r\n\r\n\(slice(range))\r\n"
    }
    #expect(response.body == expected.joined() + "--\(boundary.1)--\r\n")
    return .parts(ranges)
  }

  private static func range(in text: String) -> ClosedRange<Int>? {
    guard let match = text.wholeMatch(of: /bytes (\d+)-(\d+)\/100/), let first = Int(match.1), let last = Int(match.2)
    else { return nil }
    return first...last
  }

  // MARK: other requests and other content

  @Test(arguments: ["HEAD", "POST"])
  func onlyGetKnowsRanges(method: String) async throws {
    try await DownloadServer.run(["text": .text(Self.text)]) { server async throws in
      let response = try await server.send("text", ["Range: bytes=0-9", "Content-Length: 0"], method: method)
      #expect(response.status == 200)
      #expect(response.headers["content-range"] == nil)
      #expect(response.headers["content-length"] == "100")
      #expect(response.body == (method == "HEAD" ? "" : Self.text))
    }
  }

  @Test func headHasTheHeadersOfGet() async throws {
    try await DownloadServer.run(["text": .text(Self.text)]) { server async throws in
      let (get, head) = try await (server.send("text"), server.send("text", method: "HEAD"))
      let changing: Set<String> = ["x-request-id", "date"]
      #expect(get.headers.filter { !changing.contains($0.key) } == head.headers.filter { !changing.contains($0.key) })
      #expect(get.headers["accept-ranges"] == "bytes")
      #expect(head.body == "")
    }
  }

  @Test func severalHeadersAreOneThatIsNotValid() async throws {
    try await DownloadServer.run(["text": .text(Self.text)]) { server async throws in
      let response = try await server.send("text", ["Range: bytes=0-1", "Range: bytes=2-3"])
      #expect(response.status == 416)
    }
  }

  @Test(arguments: [("bytes=0-", 416), ("bytes=-5", 200), ("bytes=-0", 416), ("items=0-", 200)])
  func nothingHasNoRanges(header: String, status: Int) async throws {
    try await DownloadServer.run(["empty": .text("")]) { server async throws in
      let response = try await server.send("empty", ["Range: \(header)"])
      #expect(response.status == status)
      #expect(response.headers["content-range"] == (status == 416 ? "bytes */0" : nil))
    }
  }

  @Test func contentWithoutATagIsSentWhole() async throws {
    var content = StoredContent.text(Self.text)
    content.tag = nil
    try await DownloadServer.run(["text": content]) { server async throws in
      let response = try await server.send("text", ["Range: bytes=0-1"])
      #expect(response.status == 200)
      #expect(response.headers["accept-ranges"] == "none")
      #expect(response.body == Self.text)
    }
  }

  // MARK: files

  /// The sources of the bytes of a response, and on what kind of connection they are sent.
  @Test(arguments: [false, true])
  func generatedRangesAreSlicesOfTheFile(isFile: Bool) async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(3_000_000, in: folder, &generator)
      var content = StoredContent.file(path, length: bytes.count)
      if !isFile { content.source = .bytes(bytes) }
      try await DownloadServer.run(["random": content]) { server async throws in
        try await CurlClient.running { client in
          for _ in 0..<1000 {
            let (header, range) = Self.generate(bytes.count, &generator)
            let (status, body) = try await server.get("random", range: header, by: client)
            #expect(status == 206)
            #expect(body == ByteBuffer(bytes: bytes[range]), "\(header) \(generator)")
          }
        }
      }
    }
  }

  private static func generate(_ length: Int, _ generator: inout SeededGenerator) -> (String, Range<Int>) {
    // As many short ranges as long ones.
    let count = min(length, 1 << Int.random(in: 0...21, using: &generator) + Int.random(in: 0...1, using: &generator))
    let first = Int.random(in: 0...(length - count), using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return ("bytes=-\(count)", (length - count)..<length)
    case 1: return ("bytes=\(length - count)-", (length - count)..<length)
    case 2: return ("bytes=\(length - count)-\(length + first)", (length - count)..<length)
    default: return ("bytes=\(first)-\(first + count - 1)", first..<(first + count))
    }
  }

  /// Read by Python's parser of MIME messages.
  @Test func severalRangesAreAMessageOfParts() async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(1_000_000, in: folder, &generator)
      try await DownloadServer.run(["random": .file(path, length: bytes.count)]) { server async throws in
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/multipart_ranges.py"
        let seed = "\(generator.next() % 1_000_000)"
        let output = try await Command.run([Python.path(), script, "\(server.url)/random", path, seed, "100"])
        #expect(output == "100 responses\n", "seed \(seed)")
      }
    }
  }
}
