import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import TestKit
import Testing

@testable import ServiceKit

/// A listening service with malformed, slow and pipelined requests.
@Suite(.serialized)
struct HostTests {
  private func guestbook(
    _ settings: [String: String] = [:],
    _ body: (TestPlatform.Web) async throws -> Void
  ) async throws {
    let all = settings.merging(["services.auth.url": "http://127.0.0.1:1"]) { $1 }
    try await TestPlatform.listen([GuestbookPlugin.self], settings: all) { _, web in try await body(web) }
  }

  private func status(_ raw: String, at url: String) async throws -> (status: String, text: String, isClosed: Bool) {
    let connection = try RawConnection(to: url)
    connection.send(raw)
    let (text, isClosed) = await connection.receiveAll()
    return (String(text.prefix(12)), text, isClosed)
  }

  @Test func malformedRequestsGet400AndAClosedConnection() async throws {
    try await guestbook { web async throws in
      let cases = [
        "GET /v1/entries HTTP/1.1\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET /v1/entries HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n",
        "GET /v1/entries HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/3.7\r\nHost: a\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n",
      ]
      for raw in cases {
        let answer = try await status(raw, at: web.url)
        #expect(answer.status == "HTTP/1.1 400", "\(raw.prefix(80).debugDescription) gave \(answer.text.prefix(60))")
        #expect(answer.isClosed, "\(raw.prefix(80).debugDescription)")
      }
      // HTTP/0.9 has no status codes; the connection is closed.
      let old = try await status("GET /v1/entries\r\n\r\n", at: web.url)
      #expect(old.isClosed)
      #expect(!old.text.contains("200"))
    }
  }

  /// RFC 6585 §5; the refusal carries ``ConstantFields``.
  @Test func headsThatAreTooLargeGet431() async throws {
    try await guestbook { web async throws in
      for field in ["X: \(String(repeating: "x", count: 40_000))\r\n", String(repeating: "X: x\r\n", count: 101)] {
        let answer = try await status("GET /v1/entries HTTP/1.1\r\nHost: a\r\n\(field)\r\n", at: web.url)
        #expect(answer.status == "HTTP/1.1 431", "\(answer.text.prefix(60))")
        #expect(answer.isClosed)
        let text = answer.text.lowercased()
        for part in [
          "x-content-type-options: nosniff", "cache-control: no-store", "content-security-policy: default-src 'none'",
          "head-too-large",
        ] { #expect(text.contains(part)) }
      }
    }
  }

  @Test func goodRequestsKeepTheConnection() async throws {
    try await guestbook { web async throws in
      let connection = try RawConnection(to: web.url)
      for _ in 0..<3 {
        connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = await connection.receive(until: "ok\n")
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("\r\nDate: "))
      }
      connection.send("HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      let head = await connection.receive(until: "\r\n\r\n")
      #expect(head.contains("Content-Length: 3\r\n"))
      #expect(head.hasSuffix("\r\n\r\n"))
      // Two requests in one packet get two responses in order.
      connection.send(
        "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      )
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.contains("200 OK"))
      #expect(text.contains("404 Not Found"))
      #expect(isClosed)
      let old = try await status("GET /livez HTTP/1.0\r\n\r\n", at: web.url)
      #expect(old.status == "HTTP/1.1 200")
      #expect(old.isClosed)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
    try await guestbook { web async throws in
      let good = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
      let last = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      let post = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
      /// The statuses of all responses until the server closes the connection.
      func statuses(_ text: String) async throws -> [String] {
        let connection = try RawConnection(to: web.url)
        connection.send(text)
        let (received, isClosed) = await connection.receiveAll()
        #expect(isClosed)
        return received.matches(of: /HTTP\/1\.1 (\d{3})/).map { String($0.1) }
      }
      // `Connection: close` ends the connection after the response to its own request.
      #expect(try await statuses(good + good + last) == ["200", "200", "200"])
      #expect(try await statuses(good + last + good) == ["200", "200"])
      // A response that is sent before the request body arrives does not affect the next response.
      #expect(try await statuses(post + last) == ["404", "200"])
      // A malformed request is answered in order, after the responses to valid ones.
      #expect(try await statuses(good + "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + good) == ["200", "400"])
    }
  }

  @Test func connectionsEndAsTheProtocolSays() async throws {
    try await guestbook { web async throws in
      // The value is case-insensitive.
      let closed = try await status("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", at: web.url)
      #expect(closed.isClosed)
      #expect(closed.text.lowercased().contains("connection: close"))
      // A body of unknown length has chunks, except for HTTP/1.0, where the end of the connection ends it.
      let chunked = try RawConnection(to: web.url)
      chunked.send("GET /countdown HTTP/1.1\r\nHost: a\r\n\r\n")
      let chunks = await chunked.receive(until: "0\r\n\r\n")
      #expect(chunks.hasSuffix("\r\n\r\n1\r\n3\r\n1\r\n2\r\n1\r\n1\r\n0\r\n\r\n"))
      let old = try await status("GET /countdown HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", at: web.url)
      #expect(old.isClosed)
      #expect(old.text.hasSuffix("\r\n\r\n321"))
      #expect(!old.text.lowercased().contains("transfer-encoding"))
    }
  }

  @Test func noRequestGetsTwoResponsesOrNone() async throws {
    try await guestbook { web async throws in
      /// The statuses of all responses to a text, after which the client closes its side.
      func statuses(_ text: String, thenCloses: Bool = false) async throws -> [String] {
        let connection = try RawConnection(to: web.url)
        connection.send(text)
        if thenCloses { connection.closeOutput() }
        return await connection.receiveAll().text.matches(of: /HTTP\/1\.1 (\d{3})/).map { String($0.1) }
      }
      let get = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
      let last = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      #expect(try await statuses(get + get + get, thenCloses: true) == ["200", "200", "200"])
      #expect(try await statuses("GET / HTTP/2.0\r\nHost: a\r\n\r\n") == ["400"])
      #expect(try await statuses(last + "\0\0\0") == ["200"])
      #expect(try await statuses(get + get + "\0\0\0") == ["200", "200", "400"])
      // The response comes before the body, which then is malformed.
      let early = try RawConnection(to: web.url)
      early.send("POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      #expect(await early.receive(until: "}").hasPrefix("HTTP/1.1 404"))
      early.send("zz\r\n")
      let rest = await early.receiveAll()
      #expect(rest.text.isEmpty)
      #expect(rest.isClosed)
    }
  }

  @Test func clientsMayAskBeforeTheySendABody() async throws {
    try await guestbook { web async throws in
      let connection = try RawConnection(to: web.url)
      connection.send(
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nIdempotency-Key: one\r\nContent-Type: application/json\r\n"
          + "Content-Length: 13\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
      )
      #expect(await connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.send(#"{"text":"hi"}"#)
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 201"))
      #expect(isClosed)
    }
  }

  /// A connection closed while its client still sends is reset, and the client never sees why.
  @Test(arguments: [("Host: a", "413"), ("Host: a\r\nHost: b", "400")])
  func aClientThatWritesBeforeItReadsGetsItsResponse(host: String, status: String) async throws {
    // A route that refuses before it reads, without a limit of the time that the server takes for the rest.
    let route = Route(method: "POST", path: PathTemplate("/v1/entries")) { _, _ in throw EndpointLimits.tooLarge(1000) }
    try await ListeningServer.run(ListeningServer.dispatcher([route])) { server async throws in
      let connection = try RawConnection(to: server.url)
      let size = 20_000_000
      let isSent = await connection.sendAll(
        "POST /v1/entries HTTP/1.1\r\n\(host)\r\nIdempotency-Key: one\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size)
      )
      #expect(isSent)
      #expect(await connection.receive(until: "}").hasPrefix("HTTP/1.1 \(status)"))
    }
  }

  /// The response is larger than the sockets' buffers. That the connection lingers for no time shows when it starts to.
  @Test func aSlowReaderGetsTheWholeLastResponse() async throws {
    var limits = OpenServer.patient
    limits.lingerSeconds = 0
    let size = 32 << 20
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let date = DateHeader(time: .system)
    let server = try HTTPServer(host: "127.0.0.1", port: 0, limits: limits, date: date, logger: logger) { _, _ in
      Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: size)))
    }
    let running = Task { try await server.run() }
    try await attempt {
      let port = try #require(await server.listeningPort())
      let connection = try RawConnection(to: "http://127.0.0.1:\(port)")
      connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.utf8.count > size)
      #expect(isClosed)
    } finally: {
      running.cancel()
      _ = await running.result
    }
  }

  @Test func nothingAfterARefusedRequestTakesEffect() async throws {
    try await guestbook { web async throws in
      let post =
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n"
        + "Content-Length: 13\r\n\r\n" + #"{"text":"hi"}"#
      let connection = try RawConnection(to: web.url)
      connection.send("POST /v1/entries HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5\r\n\r\nhello" + post)
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.matches(of: /HTTP\/1\.1 (\d{3})/).map { String($0.1) } == ["400"])
      #expect(isClosed)
      // More than the sockets' buffers hold: once it is sent, or refused, the server has read the request before it.
      _ = await connection.sendAll(post + String(repeating: "x", count: 40_000_000))
      #expect(try await web.client.send(GuestbookAPI.ListEntries()).items == [])
    }
  }

  @Test func slowCallersAreCutOff() async throws {
    try await guestbook(["http.headSeconds": "0.5", "http.bodySeconds": "0.5", "http.idleSeconds": "0.5"]) {
      web async throws in
      let silent = try RawConnection(to: web.url)
      let head = try RawConnection(to: web.url)
      head.send("GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: ")
      let body = try RawConnection(to: web.url)
      body.send(
        "POST /v1/entries HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
      )
      let idle = try RawConnection(to: web.url)
      idle.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      for connection in [silent, head, body, idle] { #expect(await connection.receiveAll().isClosed) }
    }
  }

  @Test func answersThatTakeTooLongAre503() async throws {
    try await guestbook(["http.answerSeconds": "0.5", "shutdown.seconds": "1"]) { web async throws in
      let connection = try RawConnection(to: web.url)
      connection.send(
        "POST /v1/misbehave HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
          + #"{"how":"sleep"}"#
      )
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 503"))
      #expect(text.contains("\"unavailable\""))
      #expect(isClosed)
    }
  }

  @Test func callersMistakesAreProblemsAndStoreNothing() async throws {
    try await guestbook { web async throws in
      func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ body: String,
        key: String? = "k",
        type: String = "application/json"
      ) async throws -> (Int, Problem?) {
        var headers: HTTPFields = [.contentType: type]
        if let key { headers[HTTPField.Name("Idempotency-Key")!] = key }
        let response = try await web.http.send(
          ClientRequest(method, origin: web.url, target: target, headers: headers, body: .bytes(Array(body.utf8)))
        )
        let bytes = try await response.body.collect(upTo: 100_000)
        #expect(response.headers[.contentType] == "application/problem+json")
        return (response.status, try? WireJSON.decode(Problem.self, from: bytes))
      }
      let cases: [(HTTPRequest.Method, String, String, String?, String, Int, String)] = [
        (.post, "/v1/entries", #"{"text":"#, "k", "application/json", 400, "malformed-request"),
        (.post, "/v1/entries", #"{"text":1}"#, "k", "application/json", 422, "invalid-request"),
        (.post, "/v1/entries", "{}", "k", "application/json", 422, "invalid-request"),
        (.post, "/v1/entries", #"{"text":"x"}"#, nil, "application/json", 400, "idempotency-key-missing"),
        (.post, "/v1/entries", #"{"text":"x"}"#, "a b", "application/json", 400, "malformed-request"),
        (.post, "/v1/entries", #"{"text":"x"}"#, "k", "text/plain", 415, "unsupported-media-type"),
        (
          .post, "/v1/entries", #"{"text":"\#(String(repeating: "x", count: 1000))"}"#, "k", "application/json", 413,
          "body-too-large"
        ),
        (.put, "/v1/entries", "{}", "k", "application/json", 405, "method-not-allowed"),
        (.get, "/v1/entries?limit=1000", "", nil, "application/json", 422, "invalid-request"),
        (.get, "/v1/nowhere", "", nil, "application/json", 404, "not-found"),
        (.post, "/v1/misbehave", #"{"how":"throw"}"#, nil, "application/json", 500, "internal-error"),
        (.post, "/v1/misbehave", #"{"how":"undeclared"}"#, nil, "application/json", 500, "internal-error"),
        (.post, "/events", "{}", nil, "application/json", 401, "token-missing"),
      ]
      for (method, target, body, key, type, status, code) in cases {
        let (got, problem) = try await send(method, target, body, key: key, type: type)
        #expect(got == status, "\(method) \(target) \(body.prefix(40))")
        #expect(problem?.code == code, "\(method) \(target) \(body.prefix(40))")
        #expect(problem?.trace?.count == 32)
        #expect(problem.map { "\($0)".contains("hush") } == false)
      }
      let list = try await web.http.send(ClientRequest(origin: web.url, target: "/v1/entries"))
      #expect(String(decoding: try await list.body.collect(upTo: 1000), as: UTF8.self) == #"{"items":[]}"#)
    }
  }

  @Test func oneKeyOneEffectOneAnswer() async throws {
    try await guestbook { web async throws in
      let client = web.client
      let entries = try await concurrently(0..<30) { _ in
        try await client.send(GuestbookAPI.AddEntry(text: "once"), idempotencyKey: "k")
      }
      #expect(entries == Array(repeating: .init(number: 1, text: "once"), count: 30))
      let reused = try await problem {
        _ = try await client.send(GuestbookAPI.AddEntry(text: "other"), idempotencyKey: "k")
      }
      #expect(reused?.is(.idempotencyKeyReused) == true)
      #expect(try await client.send(GuestbookAPI.ListEntries()).items.count == 1)
    }
  }

  @Test func reportsItsStateOnThePrivatePort() async throws {
    try await guestbook { web async throws in
      func get(_ origin: String, _ target: String) async throws -> (Int, String) {
        let response = try await web.http.send(ClientRequest(origin: origin, target: target))
        return (response.status, String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self))
      }
      #expect(try await get(web.url, "/v1/entries").0 == 200)
      // Without auth, no token can be accepted.
      let reason = "auth has not answered since the start, so it is unknown which sessions have ended"
      #expect(
        try await get(web.url, "/readyz") == (503, "[+] database ok\n[-] ended-sessions failed: \(reason)\n"))
      #expect(try await get(web.url, "/metrics").0 == 404)
      let metrics = try await get(web.privateURL, "/metrics").1
      #expect(
        metrics.contains(
          #"http_server_request_duration_seconds_count{service="guestbook",http_request_method="GET",http_route="/v1/entries",http_response_status_code="200"} 1"#
        )
      )
      try await eventually("the database is sampled") {
        try await get(web.privateURL, "/metrics").1.contains(#"outbox_pending{service="guestbook"} 0"#)
      }
      #expect(try await get(web.privateURL, "/dead-letters") == (200, #"[{"service":"guestbook","letters":[]}]"#))
    }
  }

  @Test func refusesToStartWithoutWhatItNeeds() async throws {
    func failure(_ settings: [String: String], _ plugins: [any ServicePlugin.Type] = [GuestbookPlugin.self]) async
      -> String
    {
      do {
        let platform = try await ServiceHost.build(plugins, settings: Settings(settings))
        await platform.close()
        return "started"
      } catch { return "\(error)" }
    }
    #expect(await failure([:]).contains("SERVICES_AUTH_URL"))
    let url = ["services.auth.url": "http://127.0.0.1:1"]
    #expect(await failure(url.merging(["service.privateKeys": "c2hvcnQ="]) { $1 }).contains("SERVICE_PRIVATE_KEYS"))
    #expect(await failure(url.merging(["service.tls.key": "/key"]) { $1 }).contains("SERVICE_TLS_AUTHORITIES"))
    #expect(await failure(url.merging(["port": "x"]) { $1 }).contains("port"))
    #expect(await failure(url.merging(["data": "/proc/nowhere"]) { $1 }).contains("/proc/nowhere"))
    #expect(await failure(url, [GuestbookPlugin.self, GuestbookPlugin.self]).contains("twice"))
    let incomplete = try await TemporaryFolder.run { folder in
      await failure(url.merging(["data": folder]) { $1 }, [IncompletePlugin.self])
    }
    #expect(incomplete.contains("ListEntries has no handler"))
    #expect(incomplete.contains("topic book has no handler"))
    #expect(incomplete.contains("topic page is handled but not declared in the manifest"))
  }
}

/// Registers only one of its declared endpoints, and topics that it has not declared.
private struct IncompletePlugin: ServicePlugin, Feature {
  static let manifest = Manifest(name: "incomplete", api: GuestbookAPI.self, topics: ["book"])
  init(environment: ServiceEnvironment) {}
  func register(in routes: inout Routes) {
    routes.topics("page") { _, topics in topics }
    routes.on(GuestbookAPI.AddEntry.self) { _, _ in .init(number: 1, text: "") }
  }
}
