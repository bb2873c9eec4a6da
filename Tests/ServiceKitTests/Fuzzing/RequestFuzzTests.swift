import Contracts
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Requests that arrive at a port, through the handlers of the server: each is a request for a second reader too.
@Suite(.long)
struct RequestFuzzTests {
  private static let examples = [
    "GET /v1/listings?limit=20&cursor=a_b HTTP/1.1\r\nHost: example.com\r\nAccept: application/json\r\n\r\n",
    "POST /v1/orders HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n"
      + "{\"a\":1}",
    "PUT /v1/files/1 HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "3;name=value\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX-Sum: 1\r\n\r\n",
    "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nDELETE /2 HTTP/1.1\r\nhost: a\r\nContent-Length: 0\r\n\r\n"
      + "POST /3 HTTP/1.1\r\nHOST: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    "GET /v1/events HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nLast-Event-ID: 7\r\n\r\n",
  ]
  private static let words = [
    "\r\n", "\n", "\r", "\r\n\r\n", " ", "\t", ":", ": ", "GET", "POST", "CONNECT", "PRI", "*", "/", "//", "http://a/",
    "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "Host: b\r\n", "Content-Length: 5\r\n", "Content-Length: +5\r\n",
    "Content-Length: 0, 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: \u{B}chunked\r\n", " Content-Length: 3\r\n", "chunked",
    "identity", "0\r\n\r\n", "ffffffffffffffff\r\n", "Connection: close\r\n", "keep-alive", "Trailer: a\r\n", "é", "#",
    "%00",
  ]

  @Test func aRequestIsOneForASecondReader() async throws {
    let corpus = FuzzCorpus(Self.examples, words: Self.words, separators: "\r\n :;,")
    let date = DateHeader(time: .system)
    try await Fuzzer("http-head", corpus, inputs: 10_000).run { input, random in
      let found = try FuzzedConnection.requests(in: input, date, &random)
      let expected = PlainRequests(input).requests
      for (number, request) in found.enumerated() {
        guard expected.indices.contains(number) else {
          // A head whose end the second reader has not found is no request.
          throw TestKitError("request \(number) is none: \(request.head)")
        }
        try compare(request, expected[number], number)
      }
      return found.contains { $0.isComplete }
    }
  }

  private func compare(_ found: FuzzedConnection.Request, _ expected: PlainRequests.Request, _ number: Int) throws {
    let head = found.head
    try confirm(head.method.rawValue == expected.method, "\(number): method \(head.method)")
    try confirm(head.path == expected.target, "\(number): target \(head.path ?? "-")")
    let hosts = expected.values("host").map { String(decoding: $0, as: UTF8.self) }
    try confirm(hosts == (head.authority.map { [$0] } ?? []), "\(number): host \(head.authority ?? "-"), not \(hosts)")
    try confirm(!hosts.isEmpty || expected.isHTTP10, "\(number): no host")
    // The server writes its own decision about the connection into the head.
    let fields = expected.fields.filter { $0.name != "host" && $0.name != "connection" }
    let own = head.headerFields.filter { $0.name != .connection }
    try confirm(own.map(\.name.canonicalName) == fields.map(\.name), "\(number): names \(own.map(\.name))")
    for (field, other) in zip(own, fields) {
      let value = String(decoding: other.value, as: UTF8.self)
      try confirm(Array(field.value.utf8) == Array(value.utf8), "\(number): \(field), not \(value.debugDescription)")
    }
    if found.isComplete {
      try confirm(expected.body == found.body, "\(number): a body of \(found.body.count) bytes")
    }
  }
}

/// A connection that receives bytes in pieces, and answers every request.
private struct FuzzedConnection {
  struct Request {
    var head: HTTPRequest
    var body: [UInt8] = []
    var isComplete = false
  }

  static func requests(in input: [UInt8], _ date: DateHeader, _ random: inout SeededGenerator) throws -> [Request] {
    var limits = ConnectionLimits()
    limits.lingerSeconds = 0.001
    let channel = EmbeddedChannel()
    try StrictHTTP1Channel.addParser(
      StrictHTTP1Handler(limits: limits, date: date), to: channel.pipeline.syncOperations)
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
    var requests: [Request] = []
    var offset = 0
    while offset < input.count, channel.isActive {
      let count = random.below(4) == 0 ? 1 + random.below(40) : input.count
      let end = min(offset + count, input.count)
      // A refusal ends the request that is being read with an error.
      _ = try? channel.writeInbound(ByteBuffer(bytes: input[offset..<end]))
      offset = end
      while let part = try channel.readInbound(as: HTTPRequestPart.self) {
        switch part {
        case .head(let head): requests.append(Request(head: head))
        case .body(let bytes): requests[requests.count - 1].body += Array(bytes.readableBytesView)
        case .end:
          requests[requests.count - 1].isComplete = true
          let answer = HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])
          _ = try? channel.writeOutbound(HTTPResponsePart.head(answer))
          _ = try? channel.writeOutbound(HTTPResponsePart.end(nil))
        }
      }
    }
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
    _ = try? channel.finish(acceptAlreadyClosed: true)
    return requests
  }
}
