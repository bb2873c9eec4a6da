import Contracts
import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestKit
import Testing

@testable import GatewayService
@testable import HTTPServing
@testable import ServiceKit

/// The byte path understands a request as the usual handlers do, or leaves it to them.
@Suite(.long)
struct ByteFuzzTests {
  private static let requests = [
    "GET /v1/listings?limit=20&cursor=a_b HTTP/1.1\r\nHost: example.com\r\nAccept: application/json\r\n\r\n",
    "POST /v1/orders HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
      + "Connection: keep-alive\r\nAuthorization: Bearer a.b.c\r\n\r\n{\"a\":1}",
    "PUT /v1/files/1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=1\r\n"
      + "traceparent: 00-1-2-01\r\nConnection: close\r\nContent-Length: 0\r\nIdempotency-Key: 1\r\n\r\n",
    "DELETE /v1/a HTTP/1.1\r\nhost: a\r\nOrigin: https://a\r\nAccept-Encoding: gzip\r\nX-User-ID: 1\r\n\r\n"
      + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
  ]
  private static let words = [
    "\r\n", "\n", "\r", "\r\n\r\n", " ", "\t", ":", ": ", "GET", "POST", "CONNECT", "PRI", "*", "/", "//", "http://a/",
    "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "Host: b\r\n", "Content-Length: 5\r\n", "Content-Length: +5\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n", " Content-Length: 3\r\n", "chunked", "close",
    "Connection: X-Hop\r\n", "keep-alive", "Expect: 100-continue\r\n", "X-Request-ID: 1\r\n", "é", "#", "%00", "\u{0}",
  ]

  @Test func aRequestIsTheSameForTheUsualHandlers() async throws {
    let corpus = FuzzCorpus(Self.requests, words: Self.words, separators: "\r\n :;,")
    let date = DateHeader(time: .system)
    try await Fuzzer("byte-request", corpus, inputs: 10_000).run { input, random in
      guard case .head(let head, let kept) = ScannedHead.request(input) else { return false }
      // Whatever arrives first of it, it is waited for.
      let part = random.below(head.end)
      try confirm(ScannedHead.request(input.prefix(part)) == .incomplete, "not incomplete at \(part)")
      let usual = try #require(
        try Self.usualHead(input.prefix(head.end), date),
        "the usual handlers refuse \(String(decoding: input, as: UTF8.self).debugDescription)")
      func text(_ range: Range<Int>) -> String { String(decoding: input[range], as: UTF8.self) }
      try confirm(usual.method.rawValue == head.method.rawValue, "method \(usual.method)")
      try confirm(usual.path == text(head.target), "target \(usual.path ?? "-")")
      try confirm(usual.authority == text(head.host), "host \(usual.authority ?? "-")")
      try confirm((usual.headerFields[.contentLength] ?? "0") == "\(head.length)", "length \(head.length)")
      try confirm((usual.headerFields[.connection]?.lowercased() == "close") == head.closes, "closes")
      try confirm(!usual.headerFields.contains(.transferEncoding), "transfer coding")
      try Self.compare(kept, usual)
      return true
    }
  }

  /// The forwarded request has the fields of the received one, but for those that only the gateway sets.
  private static func compare(_ kept: String, _ usual: HTTPRequest) throws {
    var lines = kept.components(separatedBy: "\r\n")
    try confirm(lines.removeFirst() == "\(usual.method) \(usual.path ?? "") HTTP/1.1", "request line")
    try confirm(lines.popLast() == "", "the last line does not end")
    let fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return "\(parts[0].lowercased()): \(parts[1].drop { $0 == " " }.trimmingSpaces)"
    }
    let own: Set = [
      "content-length", "connection", "host", "forwarded", "traceparent", "tracestate", "x-real-ip", "x-request-id",
      "x-service-authorization",
    ]
    let expected = usual.headerFields.filter { field in
      let name = field.name.canonicalName
      return !own.contains(name) && !name.hasPrefix("x-forwarded-") && !name.hasPrefix("x-user-")
    }
    try confirm(fields == expected.map { "\($0.name.canonicalName): \($0.value)" }, "\(fields)")
  }

  private static func usualHead(_ bytes: some Collection<UInt8>, _ date: DateHeader) throws -> HTTPRequest? {
    let channel = EmbeddedChannel()
    var limits = ConnectionLimits()
    limits.lingerSeconds = 0.001
    try StrictHTTP1Channel.addParser(
      StrictHTTP1Handler(limits: limits, date: date), to: channel.pipeline.syncOperations)
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    let part = try channel.readInbound(as: HTTPRequestPart.self)
    // A refused connection lingers; its loop's clock stands still unless it is moved.
    channel.close(promise: nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    _ = try? channel.finish(acceptAlreadyClosed: true)
    if case .head(let head)? = part { return head }
    return nil
  }

  private static let responses = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\nETag: \"1\"\r\n\r\n{\"a\":1}",
    "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nCache-Control: no-transform\r\nConnection: close\r\nDate: a\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nSet-Cookie: a\r\n\r\n",
  ]

  @Test func anAnswersHeadIsWholeLines() async throws {
    let corpus = FuzzCorpus(Self.responses, words: Self.words + ["HTTP/1.1 200 OK\r\n"], separators: "\r\n :;,")
    try await Fuzzer("byte-response", corpus, inputs: 10_000).run { input, random in
      let setsCaching = random.below(2) == 0
      guard case .head(let head, let kept) = ScannedHead.response(input, setsCaching: setsCaching) else { return false }
      let part = random.below(head.end)
      try confirm(ScannedHead.response(input.prefix(part)) == .incomplete, "not incomplete at \(part)")
      // The kept bytes are a head of their own, and nothing of it would be dropped.
      guard case .head(let again, let keptAgain) = ScannedHead.response("HTTP/1.1 \(head.status) X\r\n\(kept)\r\n")
      else { throw TestKitError("what is kept is no head: \(kept.debugDescription)") }
      try confirm(keptAgain.count <= kept.count, "more is kept")
      try confirm(again.contentType == nil || head.contentType != nil, "another type")
      for name in ["content-length", "transfer-encoding", "connection", "set-cookie", "date", "x-request-id"] {
        let isThere = kept.lowercased().split(separator: "\r\n").contains { $0.hasPrefix("\(name):") }
        try confirm(!isThere, "\(name) is kept")
      }
      return true
    }
  }

  @Test func chunksAreTheSameInAnyPieces() async throws {
    let examples = [
      "3\r\nabc\r\n0\r\n\r\n", "a;b=c\r\n0123456789\r\n1\r\n \r\n0\r\nX: 1\r\n\r\nrest",
      "FF\r\n\(String(repeating: "x", count: 255))\r\n0\r\n\r\n",
    ]
    let corpus = FuzzCorpus(examples, words: ["0\r\n\r\n", "\r\n", "ffffffffffffffff", ";", "\n"], separators: "\r\n;")
    try await Fuzzer("byte-chunks", corpus, inputs: 10_000).run { input, random in
      let whole = Self.read(input) { input.count }
      let pieces = Self.read(input) { 1 + random.below(20) }
      try confirm(whole.content == pieces.content || whole.end == nil, "other content")
      try confirm(whole.end == pieces.end, "another end")
      return whole.end != nil
    }
  }

  private static func read(_ input: [UInt8], _ size: () -> Int) -> (content: [UInt8], end: Int?) {
    var (body, content, start) = (ChunkedBody(), [UInt8](), 0)
    while start < input.count {
      let piece = Array(input[start..<min(start + max(size(), 1), input.count)])
      var offset = 0
      reading: while true {
        switch piece.withUnsafeBytes({ body.next($0, &offset) }) {
        case .content(let range): content += piece[range]
        case .end(let end): return (content, start + end)
        case .needsMore: break reading
        case .invalid: return (content, nil)
        }
      }
      start += piece.count
    }
    return (content, nil)
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
