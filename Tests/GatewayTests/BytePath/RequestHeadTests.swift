import TestKit
import Testing

@testable import GatewayService

/// The heads of requests that the byte path takes, and what it makes of them.
struct RequestHeadTests {
  private func text(_ range: Range<Int>?, of raw: String) -> String? {
    range.map { String(decoding: Array(raw.utf8)[$0], as: UTF8.self) }
  }

  @Test func aHeadIsCopiedWithoutWhatEndsHere() throws {
    let raw =
      "POST /v1/orders?a=%20b&c HTTP/1.1\r\nAccept: */*\r\nHost: example.com:8080\r\nConnection: Keep-Alive\r\n"
      + "X-Kept: 1 \r\nX-Forwarded-For: 6.6.6.6\r\nx-user-id: admin\r\nX-Request-ID: mine\r\nForwarded: for=6.6.6.6\r\n"
      + "X-Service-Authorization: Bearer x\r\nAuthorization: Bearer a.b.c\r\ncontent-length:  12\r\n"
      + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nIdempotency-Key: k\r\n"
      + "X-Real-IP: 6.6.6.6\r\nX-Forwarded-Port: 1\r\nX-Empty:\r\n\r\n"
    guard case .head(let head, let kept) = ScannedHead.request(raw + "{\"a\":1}") else {
      Issue.record("no head")
      return
    }
    #expect(
      kept == "POST /v1/orders?a=%20b&c HTTP/1.1\r\nAccept: */*\r\nX-Kept: 1 \r\nAuthorization: Bearer a.b.c\r\n"
        + "Idempotency-Key: k\r\nX-Empty:\r\n")
    #expect(head.method == .post)
    #expect(text(head.target, of: raw) == "/v1/orders?a=%20b&c")
    #expect(text(head.path, of: raw) == "/v1/orders")
    #expect(head.hasQuery)
    #expect(text(head.host, of: raw) == "example.com:8080")
    #expect(text(head.authorization, of: raw) == "Bearer a.b.c")
    #expect(text(head.forwardedFor, of: raw) == "6.6.6.6")
    #expect(text(head.traceparent, of: raw) == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    #expect(head.length == 12)
    #expect(!head.closes)
    #expect(head.hasIdempotencyKey)
    #expect(head.end == raw.utf8.count)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", false), ("DELETE /a HTTP/1.1\r\nHost: a\r\nConnection: CLOSE\r\n\r\n", true),
    ("PUT /a HTTP/1.1\r\nhOST:127.0.0.1\r\nContent-Length: 0\r\n\r\n", false),
    ("PATCH /a_b/~c HTTP/1.1\r\nHost: a-b.c_d\r\nconnection: close\r\n\r\n", true),
  ])
  func takesPlainHeads(raw: String, closes: Bool) {
    guard case .head(let head, _) = ScannedHead.request(raw) else {
      Issue.record("no head: \(raw.debugDescription)")
      return
    }
    #expect(head.closes == closes)
    #expect(head.end == raw.utf8.count)
    // A head that has not arrived whole is never taken for another one.
    for count in 0..<raw.utf8.count {
      #expect(ScannedHead.request(raw.utf8.prefix(count)) == .incomplete, "\(count) bytes of \(raw.debugDescription)")
    }
  }

  /// Requests for the usual handlers: some of them are valid.
  @Test(arguments: [
    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "GET /\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET //a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%61 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /é HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\nb: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: é\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX:\ta\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 01\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na",
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Hop\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Hop\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: keep-alive\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "nonsense\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}",
  ])
  func leavesTheRestToTheUsualHandlers(raw: String) {
    #expect(ScannedHead.request(raw) == .other, "\(raw.debugDescription)")
  }

  @Test func largeHeadsAreRare() {
    let fields = (0..<101).map { "X-\($0): a\r\n" }.joined()
    #expect(ScannedHead.request("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") == .other)
    let long = String(repeating: "a", count: 9000)
    #expect(ScannedHead.request("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n") == .other)
    #expect(ScannedHead.request("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)") == .other)
    #expect(ScannedHead.request("GET /\(long)") == .other)
  }
}
