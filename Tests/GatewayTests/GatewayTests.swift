import Contracts
import CurlClient
import Foundation
import GatewayService
import HTTPTypes
import ServiceKit
import TestKit
import Testing

/// The gateway in front of a misbehaving service; the JWKS route stands for any route without a token.
@Suite(.serialized)
struct GatewayTests {
  private static let path = "/.well-known/jwks.json"

  /// - Parameter isFast: Whether requests take the byte path.
  private func gateway(
    _ isFast: Bool,
    upstream: String,
    isThere: Bool = true,
    settings: [String: String] = [:],
    _ body: (_ url: String, _ client: CurlClient) async throws -> Void
  ) async throws {
    let all = settings.merging(["services.auth.url": upstream, "edge.fast": "\(isFast)"]) { $1 }
    try await TestPlatform.listen([GatewayPlugin.self], settings: all) { _, web in
      if isThere { try await web.client.waitForServices() }
      try await body(web.url, web.http)
    }
  }

  /// Answers every request on a connection: the gateway's own like auth, others by the script.
  ///
  /// - Parameter seconds: How long the gateway waits for a response.
  private func server(
    seconds: Double = Waiting.limit,
    _ script: @escaping @Sendable (ScriptedServer.Connection, _ head: String) -> Bool
  ) throws -> ScriptedServer {
    var service = try ServiceDescription(of: AuthAPI.self)
    for index in service.operations.indices { service.operations[index].seconds = seconds }
    let description = DescriptionAPI.Answer(version: "1", description: service)
    let described = String(decoding: try WireJSON.encode(description), as: UTF8.self)
    return try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains("/events/subscriptions/") {
          let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
          connection.readBody(length ?? 0)
          connection.answer("{}")
        } else if head.contains(DescriptionAPI.Describe.operation.path.description) {
          connection.answer(described)
        } else if head.contains("/internal/") {
          connection.answer(#"{"items":[],"next":"2026-01-01T00:00:00.000Z"}"#)
        } else if !script(connection, head) {
          return
        }
      }
    }
  }

  private func problem(_ response: ClientResponse) async throws -> Problem {
    try WireJSON.decode(Problem.self, from: try await response.body.collect(upTo: 100_000))
  }

  @Test(arguments: [false, true]) func passesOnOnlyWhatItShould(isFast: Bool) async throws {
    let upstream = try server { connection, head in
      connection.answer(head, headers: "X-Answer: yes\r\nConnection: X-Private\r\nX-Private: 1\r\nKeep-Alive: 5\r\n")
      return true
    }
    defer { upstream.stop() }
    try await gateway(isFast, upstream: upstream.origin) { url, client async throws in
      let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
      let request = ClientRequest(
        origin: url,
        target: Self.path + "?q=%20a",
        headers: [
          .accept: "application/json", .connection: "X-Hop", HTTPField.Name("X-Hop")!: "1",
          HTTPField.Name("X-User-ID")!: "admin", HTTPField.Name("X-Forwarded-For")!: "6.6.6.6",
          HTTPField.Name("X-Service-Authorization")!: "Bearer x", HTTPField.Name("X-Request-ID")!: "mine",
          HTTPField.Name("Forwarded")!: "for=6.6.6.6", HTTPField.Name("X-Real-IP")!: "6.6.6.6",
          HTTPField.Name("traceparent")!: trace, HTTPField.Name("tracestate")!: "a=b", HTTPField.Name("X-Kept")!: "yes",
          .cookie: "__Host-archived=sealed",
        ]
      )
      let response = try await client.send(request)
      let seen = String(decoding: try await response.body.collect(upTo: 10_000), as: UTF8.self).lowercased()
      #expect(seen.hasPrefix("get /.well-known/jwks.json?q=%20a http/1.1\r\n"))
      for kept in [
        "accept: application/json", "x-kept: yes", "x-forwarded-for: 127.0.0.1", "x-forwarded-proto: http",
        "host: \(upstream.origin.dropFirst(7))",
      ] {
        #expect(seen.contains(kept), "\(kept)")
      }
      for stripped in [
        "6.6.6.6", "x-hop", "x-user-id", "x-service-authorization", "x-request-id: mine", "forwarded: for", "cookie",
      ] {
        #expect(!seen.contains(stripped), "\(stripped)")
      }
      // The request begins a trace of its own.
      #expect(seen.contains(/\r\ntraceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01\r\n/))
      #expect(!seen.contains("4bf92f3577b34da6a3ce929d0e0e4736"))
      #expect(!seen.contains("tracestate"))
      #expect(response.headers[HTTPField.Name("X-Answer")!] == "yes")
      #expect(response.headers[HTTPField.Name("X-Private")!] == nil)
      #expect(response.headers[HTTPField.Name("X-Request-ID")!]?.count == 16)
    }
  }

  @Test(arguments: [false, true]) func deadSlowAndCutUpstreamsAreProblems(isFast: Bool) async throws {
    let isHeadReceived = Gate()
    let upstream = try server(seconds: 10) { connection, head in
      if head.contains("cut-head") { return false }
      if head.contains("cut-body") {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        connection.write([UInt8](repeating: 65, count: 5000))
        isHeadReceived.wait()
        return false
      }
      connection.waitForClose()
      return false
    }
    defer { upstream.stop() }
    try await gateway(isFast, upstream: upstream.origin) { url, client async throws in
      let cut = try await client.send(ClientRequest(origin: url, target: Self.path + "?cut-head"))
      #expect(cut.status == 502)
      #expect(try await problem(cut).is(.upstreamFailed))
      let cutLater = try await client.send(
        ClientRequest(origin: url, target: Self.path + "?cut-body", delivery: .streaming))
      isHeadReceived.open()
      let body = await #expect(throws: ClientError.self) { try await cutLater.body.collect(upTo: 100_000) }
      #expect(body?.reason == .connectionLost)
      let slow = try await client.send(
        ClientRequest(origin: url, target: Self.path + "?slow", timeouts: .init(firstByte: Waiting.limit, total: nil))
      )
      #expect(slow.status == 504)
      #expect(try await problem(slow).is(.upstreamTimeout))
    }
    try await gateway(isFast, upstream: "http://127.0.0.1:1", isThere: false) { url, client async throws in
      let down = try await client.send(ClientRequest(origin: url, target: Self.path))
      #expect(down.status == 503)
      #expect(down.headers[.retryAfter] == "1")
      #expect(try await problem(down).is(.unavailable))
      #expect(try await client.send(ClientRequest(origin: url, target: "/livez")).status == 200)
    }
  }

  /// Backpressure: a client that does not read stalls the upstream instead of filling the gateway's memory.
  @Test(arguments: [false, true]) func holdsFastUpstreamsBack(isFast: Bool) async throws {
    let written = Counter()
    let upstream = try server { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
      let block = [UInt8](repeating: 65, count: 1 << 16)
      while connection.write(block) { written.add(block.count) }
      return false
    }
    defer { upstream.stop() }
    try await gateway(isFast, upstream: upstream.origin) { url, _ async throws in
      let connection = try RawConnection(to: url)
      connection.send("GET \(Self.path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(await connection.receive(until: "AAAA").hasPrefix("HTTP/1.1 200 OK"))
      // Of 1 GiB.
      #expect(try await standstill(of: "the upstream") { written.value } < 32 << 20)
    }
  }

  @Test(arguments: [false, true]) func turnsStrangersAwayAtTheDoor(isFast: Bool) async throws {
    let upstream = try server { connection, _ in
      connection.answer(#"{"keys":[]}"#)
      return true
    }
    defer { upstream.stop() }
    try await gateway(isFast, upstream: upstream.origin) { url, client async throws in
      func status(_ target: String, _ headers: HTTPFields = [:], _ method: HTTPRequest.Method = .get) async throws
        -> Int
      {
        try await client.send(ClientRequest(method, origin: url, target: target, headers: headers)).status
      }
      #expect(try await status("/v1/users/me") == 401)
      #expect(try await status("/v1/users/me", [.authorization: "Basic x"]) == 401)
      #expect(try await status("/v1/users/me", [.authorization: "Bearer a.b.c"]) == 401)
      #expect(try await status("/internal/v1/revoked-sessions?since=2026-01-01T00:00:00Z") == 404)
      #expect(try await status("/events", [:], .post) == 404)
      #expect(try await status("/v1/auth/../auth/login") == 404)
      #expect(try await status("/v1/auth/login", [:], .delete) == 405)
      #expect(try await status("/docs") == 200)
      #expect(try await status("/") == 200)
      #expect(try await status("/internal/v1/sessions/renew", [:], .post) == 404)
      let large = try await client.send(
        ClientRequest(
          .post,
          origin: url,
          target: "/v1/auth/login",
          body: .bytes(Array(repeating: 32, count: 5000))
        )
      )
      #expect(large.status == 413)
    }
  }
}
