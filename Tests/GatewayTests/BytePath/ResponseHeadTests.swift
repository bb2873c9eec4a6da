import NIOCore
import TestKit
import Testing

@testable import GatewayService

/// The parsing of services' responses by the byte path.
struct ResponseHeadTests {
  @Test func aHeadIsCopiedWithoutWhatTheGatewaySets() throws {
    let raw =
      "HTTP/1.1 200 OK\r\nX-Private: 1\r\nContent-Type: text/plain\r\nConnection: X-Private, keep-alive\r\n"
      + "Set-Cookie: a=b\r\nDate: now\r\nx-frame-options: SAMEORIGIN\r\nETag: \"1\"\r\nVary: Accept\r\n"
      + "Access-Control-Allow-Origin: *\r\nCache-Control: public, No-Transform\r\nContent-Length: 5\r\n\r\n"
    guard case .head(let head, let kept) = ScannedHead.response(raw + "hello") else {
      Issue.record("no head")
      return
    }
    #expect(kept == "Content-Type: text/plain\r\nVary: Accept\r\nCache-Control: public, No-Transform\r\n")
    #expect(head.status == 200)
    #expect(head.framing == .length(5))
    #expect(head.isReusable)
    #expect(head.forbidsTransformation)
    #expect(head.hasCacheControl)
    #expect(!head.isEncoded)
    #expect(head.tag.map { String(decoding: Array(raw.utf8)[$0], as: UTF8.self) } == "\"1\"")
    #expect(head.end == raw.utf8.count)
    guard case .head(_, let other) = ScannedHead.response(raw, setsCaching: true) else {
      Issue.record("no head")
      return
    }
    #expect(other == "Content-Type: text/plain\r\nVary: Accept\r\n")
    for count in 0..<raw.utf8.count {
      #expect(ScannedHead.response(raw.utf8.prefix(count)) == .incomplete, "\(count) bytes")
    }
  }

  @Test func chunksThatArriveWithTheirHeadHaveALength() throws {
    func joined(_ raw: String) -> (framing: ResponseHead.Framing, rest: String)? {
      guard case .head(let head, _) = ScannedHead.response(raw) else { return nil }
      var bytes = ByteBuffer(string: raw)
      let joined = head.joiningChunks(in: &bytes)
      bytes.moveReaderIndex(forwardBy: joined.end)
      return (joined.framing, String(buffer: bytes))
    }
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let body = "5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n"
    let whole = try #require(joined(head + body + "more"))
    #expect(whole.framing == .length(11))
    #expect(whole.rest == "hello worldmore")
    let empty = try #require(joined(head + "0\r\n\r\n"))
    #expect(empty.framing == .length(0))
    #expect(empty.rest.isEmpty)
    for count in 0..<body.utf8.count {
      let part = String(decoding: body.utf8.prefix(count), as: UTF8.self)
      let cut = try #require(joined(head + part))
      #expect(cut.framing == .chunked)
      #expect(cut.rest == part)
    }
    #expect(try #require(joined(head + "x")).framing == .chunked)
  }

  @Test(
    arguments: [
      ("200 OK\r\nTransfer-Encoding: chunked", .chunked, true), ("200 OK\r\nX: a", .untilClose, false),
      ("200 OK\r\nContent-Length: 0", .length(0), true), ("200\r\nContent-Length: 0", .length(0), true),
      ("204 No Content", .none, true), ("304 Not Modified\r\nContent-Length: 7", .none, true),
      ("100 Continue", .none, true), ("200 OK\r\nContent-Length: 3\r\nConnection: close", .length(3), false),
      ("200 OK\r\nContent-Length: 3\r\nContent-Length: 3", .length(3), true),
    ] as [(String, ResponseHead.Framing, Bool)])
  func framings(text: String, framing: ResponseHead.Framing, isReusable: Bool) {
    guard case .head(let head, _) = ScannedHead.response("HTTP/1.1 \(text)\r\n\r\n") else {
      Issue.record("no head: \(text.debugDescription)")
      return
    }
    #expect(head.framing == framing)
    #expect(head.isReusable == isReusable)
  }

  @Test(arguments: [
    "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\n\n", "HTTP/1.1 200 OK\r\nX: a\nY: b\r\n\r\n", "HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
    "HTTP/1.1 200 OK\r\n folded: a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "nonsense",
    "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n", "HTTp/1.1 200 OK\r\n\r\n", "<html>",
  ])
  func refusesOthers(raw: String) { #expect(ScannedHead.response(raw) == .invalid, "\(raw.debugDescription)") }

  // MARK: chunks

  /// - Parameter sizes: The sizes of the pieces in which the bytes arrive.
  private func content(of raw: String, in sizes: Int) -> (content: String, end: Int?, isValid: Bool) {
    let bytes = Array(raw.utf8)
    var (body, content, start) = (ChunkedBody(), [UInt8](), 0)
    while start < bytes.count {
      let piece = Array(bytes[start..<min(start + sizes, bytes.count)])
      var offset = 0
      reading: while true {
        switch piece.withUnsafeBytes({ body.next($0, &offset) }) {
        case .content(let range): content += piece[range]
        case .end(let end): return (String(decoding: content, as: UTF8.self), start + end, true)
        case .needsMore: break reading
        case .invalid: return (String(decoding: content, as: UTF8.self), nil, false)
        }
      }
      start += piece.count
    }
    return (String(decoding: content, as: UTF8.self), nil, true)
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func chunksAreJoined(sizes: Int) {
    let raw = "3\r\nabc\r\n0A;name=\"v\"\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"
    let found = content(of: raw + "HTTP/1.1", in: sizes)
    #expect(found.content == "abc0123456789")
    #expect(found.end == raw.utf8.count)
    for count in 0..<raw.utf8.count {
      let part = content(of: String(decoding: raw.utf8.prefix(count), as: UTF8.self), in: sizes)
      #expect(part.isValid)
      #expect(part.end == nil)
    }
  }

  @Test(arguments: [
    "\r\nabc", "g\r\n", "3\nabc", "3\r\nabcd\r\n", "3 \r\nabc\r\n", "-1\r\n", "0x3\r\nabc\r\n", "3;\u{1}\r\nabc\r\n",
    "0\r\n\u{1}\r\n\r\n", "ffffffffffffffff\r\n", "0\r\n\rx", "3\r\nabc\r0",
    "0\r\n\(String(repeating: "a", count: 20_000))",
  ])
  func refusesBrokenChunks(raw: String) {
    #expect(!content(of: raw, in: 1000).isValid, "\(raw.prefix(40).debugDescription)")
  }
}
