import Contracts
import Foundation
import GatewayService
import ServiceKit
import TestKit
import Testing

/// The byte path answers as the standard pipeline does, for the same bytes.
@Suite(.serialized)
struct BothPathsTests {
  private static let path = "/v1/auth/echo"

  private static let operations: [Contracts.Operation] = [
    .get("/v1/auth/echo", "Get", access: .anyone), .get("/v1/auth/echo/{id}", "Get one", access: .anyone),
    .put("/v1/auth/echo", "Put", access: .anyone, limits: .init(bodyBytes: 1 << 20), accepts: .raw),
    .get("/v1/echo", "Get", access: .anyone), .get("/v1/echo/mine", "Get own", access: .user),
    .head("/v1/auth/echo", "Look", access: .anyone), .options("/v1/auth/echo", "Describe", access: .anyone),
  ]

  /// Responds with what it has received, in the form that the query names.
  private static func answer(_ connection: ScriptedServer.Connection, _ head: String) -> Bool {
    let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
    let body = connection.readBody(length)
    let own: Set = ["host", "x-request-id", "traceparent", "content-length", "transfer-encoding", "connection"]
    let lines = head.split(separator: "\r\n")
    let fields = lines.dropFirst().map { $0.lowercased() }
      .filter { line in !own.contains(String(line.prefix { $0 != ":" })) }.sorted()
    var text = ([String(lines.first ?? "")] + fields).joined(separator: "\n") + "\n\(body.count) bytes"
    if head.contains("large") { text += String(repeating: " and so on", count: 3000) }
    let common = "X-Answer: yes\r\nContent-Type: application/json\r\nETag: \"1\"\r\n"
    if head.contains("cut-head") { return false }
    if head.contains("until-close") {
      connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\(common)\r\n\(text)")
      return false
    }
    if head.contains("chunked-answer") {
      let size = String(text.utf8.count, radix: 16)
      return connection.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(common)\r\n\(size)\r\n\(text)\r\n0\r\nX-Sum: 1\r\n\r\n")
    }
    if head.contains("interim") { connection.write("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n") }
    if head.contains("empty") { return connection.write("HTTP/1.1 204 No Content\r\nX-Answer: yes\r\n\r\n") }
    if head.contains("same") { return connection.write("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n") }
    let status = head.contains("missing") ? "404 Not Found" : head.contains("failed") ? "500 X" : "200 OK"
    let extra = head.contains("kept") ? "Cache-Control: public, max-age=60\r\nVary: Accept\r\n" : ""
    let hop = "Connection: X-Hop\r\nX-Hop: 1\r\nSet-Cookie: a=b\r\nX-Frame-Options: SAMEORIGIN\r\nServer: s\r\n"
    connection.answer(text, status: status, headers: common + extra + hop)
    return true
  }

  private func run(_ settings: [String: String], _ body: (_ url: String) async throws -> Void) async throws {
    var description = try ServiceDescription(of: AuthAPI.self)
    description.operations += Self.operations.map { PublicOperation($0) }
    for index in description.operations.indices { description.operations[index].seconds = Waiting.limit }
    let known = DescriptionAPI.Answer(version: "1", description: description)
    let described = String(decoding: try WireJSON.encode(known), as: UTF8.self)
    let upstream = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains("/echo") {
          guard Self.answer(connection, head) else { return }
          continue
        }
        let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
        connection.readBody(length ?? 0)
        let isDescription = head.contains(DescriptionAPI.Describe.operation.path.description)
        connection.answer(isDescription ? described : #"{"items":[],"keys":[],"next":"2026-01-01T00:00:00.000Z"}"#)
      }
    }
    defer { upstream.stop() }
    let all = settings.merging(["services.auth.url": upstream.origin]) { $1 }
    // The rest of a limit does not depend on how long a request takes.
    try await TestPlatform.listen([GatewayPlugin.self], settings: all, time: ManualTime()) { test, web in
      // Not over HTTP, because that would be charged to the address of the test.
      try await test.client.waitForServices()
      try await body(web.url)
    }
  }

  /// The responses that a caller sees, without what differs every time.
  private func answers(to raw: String, at url: String) async throws -> [String] {
    let connection = try RawConnection(to: url)
    connection.send(raw)
    let (text, isClosed) = await connection.receiveAll()
    #expect(isClosed, "\(raw.prefix(80).debugDescription)")
    return PlainAnswer.all(in: text).map { $0.comparable } + [isClosed ? "closed" : "open"]
  }

  private static let last = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  private static func get(_ query: String, _ headers: String = "") -> String {
    "GET \(path)?\(query) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n" + last
  }

  private static let cases: [String] =
    [
      last, get("a=%20b"), get("query=x"), get("%71uery=x"), get("large"), get("large", "Accept-Encoding: gzip\r\n"),
      get("large", "Accept-Encoding: br, gzip;q=0\r\n"), get("large", "Origin: https://app.example\r\n"),
      get("x", "Origin: https://other.example\r\n"), get("chunked-answer"),
      get("chunked-answer&large", "Accept-Encoding: deflate, gzip\r\n"), get("until-close"), get("interim"),
      get("empty"), get("same"), get("missing"), get("failed"), get("kept"), get("cut-head"),
      get("x", "X-Forwarded-For: 6.6.6.6\r\nForwarded: for=1\r\nX-User-ID: 1\r\nX-Kept: 1\r\nX-Request-ID: 1\r\n"),
      get("x", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\ntracestate: a=b\r\n"),
      get("x", "traceparent: nonsense\r\ntracestate: a=b\r\n"), get("x", "Connection: X-Hop\r\nX-Hop: 1\r\n"),
      get("x", "Cookie: a=b; c=d\r\nAuthorization: Basic x\r\n"), get("x", "Authorization: Bearer a.b.c\r\n"),
      get("x", "Authorization: bearer  a.b.c\r\n"), get("x", "X: é\r\nTE: trailers\r\n"), get("x", "X:\ta\t\r\n"),
      get("x", "Sec-Fetch-Dest: script\r\n"), get("x", "Sec-Fetch-Dest: empty\r\n"),
      get("same", "If-None-Match: \"1\"\r\n"), get("x", "If-None-Match: \"1\"\r\nIf-None-Match: \"2\"\r\n"),
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "GET / HTTP/1.1\r\nHost: a\r\nSec-Fetch-Dest: document\r\n\r\n" + last,
      "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n" + last,
      "GET \(path)/7 HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "GET \(path)/%37 HTTP/1.1\r\nHost: a\r\n\r\n" + last, "GET \(path)/.. HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "GET \(path)/ HTTP/1.1\r\nHost: a\r\n\r\n" + last, "GET /v1/echo HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "GET /v1/echo?kept HTTP/1.1\r\nHost: a \r\n\r\n" + last,
      "GET /v1/echo?kept HTTP/1.1\r\nHost: a:80\r\n\r\n" + last, "GET /v1/echo/mine HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "GET /v1/echo/mine HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\n\r\n" + last,
      "GET /v1/none HTTP/1.1\r\nHost: a\r\n\r\n" + last, "DELETE \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + last, "OPTIONS \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "OPTIONS \(path) HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n\r\n"
        + last,
      "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + last, "GET \(path) HTTP/1.0\r\n\r\n",
      "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + last,
      "PUT \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + last,
      "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + last,
      "PUT \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello" + last,
      "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n",
      "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n\(String(repeating: "a", count: 100_000))"
        + last,
      String(repeating: "GET \(path)?x HTTP/1.1\r\nHost: a\r\n\r\n", count: 20) + last,
    ] + malformed

  /// Requests that have to be refused, after one that is valid.
  private static let malformed: [String] = [
    "GET \(path) HTTP/1.1\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET \(path) HTTP/1.1\r\nHost: user@a\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET \(path) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "PUT \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "GET \(path) HTTP/1.1\r\nHost : a\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n",
    "GET \(path) HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
    "GET \(path) HTTP/1.1\nHost: a\n\n", "GET \(path) HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET //a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/3.7\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n",
    "GET \(path) HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
    "GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n",
  ].flatMap { [$0, "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + $0] }

  @Test func theSameBytesGetTheSameAnswers() async throws {
    let settings = ["cors.origins": "https://app.example", "limits.read": "0/1", "limits.write": "0/1"]
    var expected: [[String]] = []
    try await run(settings.merging(["edge.fast": "false"]) { $1 }) { url async throws in
      for raw in Self.cases { expected.append(try await answers(to: raw, at: url)) }
    }
    try await run(settings.merging(["edge.fast": "true"]) { $1 }) { url async throws in
      for (raw, expected) in zip(Self.cases, expected) {
        let found = try await answers(to: raw, at: url)
        #expect(found == expected, "\(raw.prefix(200).debugDescription)")
      }
    }
  }

  /// Limits are charged once, whichever path a request takes, and reported in the same way.
  @Test(arguments: ["false", "true"])
  func limitsAreTheSame(isFast: String) async throws {
    try await run(["limits.read": "3/3600", "edge.fast": isFast]) { url async throws in
      let get = "GET \(Self.path) HTTP/1.1\r\nHost: a\r\n\r\n"
      let odd = "GET \(Self.path) HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n"
      let connection = try RawConnection(to: url)
      connection.send(get + odd + get + Self.last)
      let found = PlainAnswer.all(in: await connection.receiveAll().text)
      #expect(found.map(\.status) == [200, 200, 200, 429])
      #expect(
        found.compactMap { $0.fields["ratelimit"] }.map { $0.prefix { $0 != ";" } + ";" + $0.split(separator: ";")[1] }
          == ["\"read\";r=2", "\"read\";r=1", "\"read\";r=0", "\"read\";r=0"])
      #expect(found.last?.fields["connection"] == "close")
    }
  }

  /// A head in pieces is one request, and bytes after it wait.
  @Test func headsMayArriveInPieces() async throws {
    try await run(["edge.fast": "true"]) { url async throws in
      let connection = try RawConnection(to: url)
      for part in ["GET \(Self.path)?a HT", "TP/1.1\r", "\nHost: a\r\nX-Kept", ": 1\r\n\r", "\nGET "] {
        connection.send(part)
      }
      #expect(await connection.receive(until: "0 bytes").contains("x-kept: 1"))
      connection.send("\(Self.path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await connection.receiveAll().isClosed)
    }
  }
}
