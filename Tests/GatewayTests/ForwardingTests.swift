import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import GatewayService

/// Long bodies through the gateway: what holds them back, what cuts them, and what does not.
@Suite(.serialized)
struct ForwardingTests {
  private static let path = "/v1/auth/blob"
  /// The time for the head of a response where transfers take longer.
  private static let seconds = 8.0
  /// How long these take, in seconds.
  private static let duration = 10.0

  private static func operations(_ seconds: Double) -> [Contracts.Operation] {
    [
      .put(
        "/v1/auth/blob", "Put", access: .anyone, limits: .init(bodyBytes: 1 << 30, seconds: seconds), accepts: .raw),
      .get("/v1/auth/blob", "Get", access: .anyone, limits: .init(seconds: seconds)),
      .options("/v1/auth/blob", "Describe", access: .anyone, limits: .init(seconds: seconds)),
      .head("/v1/auth/blob", "Look", access: .anyone, limits: .init(seconds: seconds)),
    ]
  }

  /// - Parameter isFast: Whether requests take the byte path.
  private func run(
    _ isFast: Bool,
    seconds: Double = Waiting.limit,
    _ script: @escaping @Sendable (ScriptedServer.Connection, _ head: String) -> Void,
    _ body: (_ url: String, _ client: CurlClient) async throws -> Void
  ) async throws {
    var description = try ServiceDescription(of: AuthAPI.self)
    description.operations += Self.operations(seconds).map { PublicOperation($0) }
    let answer = DescriptionAPI.Answer(version: "1", description: description)
    let described = String(decoding: try WireJSON.encode(answer), as: UTF8.self)
    let upstream = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains(Self.path) { return script(connection, head) }
        let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
        connection.readBody(length ?? 0)
        let isDescription = head.contains(DescriptionAPI.Describe.operation.path.description)
        connection.answer(isDescription ? described : #"{"items":[],"next":"2026-01-01T00:00:00.000Z"}"#)
      }
    }
    defer { upstream.stop() }
    let settings = ["services.auth.url": upstream.origin, "edge.fast": "\(isFast)"]
    try await TestPlatform.listen([GatewayPlugin.self], settings: settings) { _, web in
      try await web.client.waitForServices()
      try await body(web.url, web.http)
    }
  }

  private func put(_ url: String, length: Int, headers: String = "") throws -> RawConnection {
    let connection = try RawConnection(to: url)
    connection.send("PUT \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(headers)\r\n")
    return connection
  }

  @Test(arguments: [false, true]) func anUploadMayTakeLongerThanItsResponse(isFast: Bool) async throws {
    let received = Counter()
    let isSlow = Mutex(true)
    try await run(isFast, seconds: Self.seconds) { connection, head in
      let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      while isSlow.withLock({ $0 }) {
        guard !connection.readBody(1).isEmpty else { return }
        received.add()
      }
      received.add(connection.readBody(length - received.value).count)
      connection.answer("all", closes: true)
    } _: { url, _ async throws in
      let start = ContinuousClock.now
      let length = 100_000
      let connection = try put(url, length: length)
      var sent = 0
      // The last byte is sent when the time for the head has long been over.
      while ContinuousClock.now - start < .seconds(Self.duration) {
        connection.send("x")
        sent += 1
        try await eventually("the byte is there") { received.value == sent }
      }
      isSlow.withLock { $0 = false }
      #expect(await connection.sendAll(String(repeating: "x", count: length - sent)))
      #expect(await connection.receive(until: "all").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test(arguments: [false, true]) func aDownloadMayTakeLongerThanItsHead(isFast: Bool) async throws {
    try await run(isFast, seconds: Self.seconds) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n")
      let end = ContinuousClock.now + .seconds(Self.duration)
      var sent = 0
      while ContinuousClock.now < end, sent < 900_000 {
        connection.write("x")
        sent += 1
        usleep(1000)  // so that not all is sent before the time is over
      }
      connection.write([UInt8](repeating: 120, count: 1_000_000 - sent))
    } _: { url, client async throws in
      let response = try await client.send(
        ClientRequest(origin: url, target: Self.path, delivery: .streaming, timeouts: .init(total: nil)))
      #expect(try await response.body.collect(upTo: 1_000_000).count == 1_000_000)
    }
  }

  @Test(arguments: [false, true]) func aCallerWhoLeavesEndsTheRequestToTheService(isFast: Bool) async throws {
    let (received, ends) = (Counter(), Counter())
    try await run(isFast) { connection, _ in
      while !connection.readBody(1).isEmpty { received.add() }
      ends.add()
    } _: { url, client async throws in
      var connection: RawConnection? = try put(url, length: 1 << 20)
      connection?.send("some")
      try await eventually("the service receives it") { received.value == 4 }
      connection = nil
      try await eventually("the service notices") { ends.value == 1 }
      #expect(received.value == 4)
    }
  }

  @Test(arguments: [false, true]) func aServiceThatDiesIsAProblemBeforeTheBodyHasEnded(isFast: Bool) async throws {
    try await run(isFast) { connection, _ in
      connection.readBody(4)
    } _: { url, _ async throws in
      let connection = try put(url, length: 1 << 20)
      connection.send("some")
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 502"))
      #expect(text.contains("upstream-failed"))
      #expect(isClosed)
    }
  }

  @Test(arguments: [false, true]) func aServiceThatRefusesDoesNotReceiveTheRest(isFast: Bool) async throws {
    try await run(isFast) { connection, _ in
      connection.answer("no", status: "409 Conflict", closes: true)
      connection.waitForClose()
    } _: { url, _ async throws in
      let connection = try put(url, length: 1 << 29)
      connection.send("some")
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 409"))
      #expect(isClosed)
    }
  }

  /// The rest of a request whose response is refused a slot has no second reader, which would crash the gateway.
  @Test(arguments: [false, true]) func anUploadWhoseResponseHasNoSlotIsRefused(isFast: Bool) async throws {
    let isDone = Gate()
    try await run(isFast) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome")  // of any length
      isDone.wait()
    } _: { url, client async throws in
      defer { isDone.open() }
      let timeouts = ClientRequest.Timeouts(firstByte: Waiting.limit, total: nil)
      let download = ClientRequest(origin: url, target: Self.path, delivery: .streaming, timeouts: timeouts)
      var downloads = [try await client.send(download)]
      while downloads.last?.status == 200 { downloads.append(try await client.send(download)) }
      #expect(downloads.count == Downloads.perNetwork + 1)
      let connection = try put(url, length: 1 << 20)
      connection.send("some")
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 503"))
      #expect(text.contains("Too many files are being loaded."))
      #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
      #expect(isClosed)
      let next = try await client.send(download)
      #expect(next.status == 503)
    }
  }

  /// A service that does not read stalls its caller instead of filling the gateway's memory.
  @Test(arguments: [false, true]) func fastCallersAreHeldBack(isFast: Bool) async throws {
    let isDone = Gate()
    try await run(isFast) { _, _ in
      isDone.wait()
    } _: { url, _ async throws in
      let sent = Counter()
      let connection = try put(url, length: 1 << 30)
      let sending = Task {
        let block = String(repeating: "x", count: 1 << 16)
        while await connection.sendAll(block) { sent.add(block.utf8.count) }
      }
      #expect(try await standstill(of: "the caller") { sent.value } < 32 << 20)
      isDone.open()
      await sending.value
    }
  }

  @Test(arguments: [false, true]) func expectationsAreMetByTheGateway(isFast: Bool) async throws {
    try await run(isFast) { connection, head in
      let body = connection.readBody(4)
      connection.answer(
        "\(String(decoding: body, as: UTF8.self)) \(head.lowercased().contains("expect:"))", closes: true)
    } _: { url, _ async throws in
      let connection = try put(url, length: 4, headers: "Expect: 100-continue\r\n")
      #expect(await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
      connection.send("body")
      #expect(await connection.receive(until: "false").contains("body false"))
    }
  }

  @Test(arguments: [false, true]) func optionsAndHeadAreTheServices(isFast: Bool) async throws {
    try await run(isFast) { connection, head in
      let method = head.prefix { $0 != " " }
      connection.write("HTTP/1.1 204 No Content\r\nTus-Version: \(method)\r\nConnection: close\r\n\r\n")
    } _: { url, client async throws in
      let name = try #require(HTTPField.Name("Tus-Version"))
      for method in [HTTPRequest.Method.options, .head] {
        let response = try await client.send(ClientRequest(method, origin: url, target: Self.path))
        #expect(response.status == 204)
        #expect(response.headers[name] == method.rawValue)
      }
    }
  }

  @Test(arguments: [false, true]) func preflightsAreTheGateways(isFast: Bool) async throws {
    let settings = ["cors.origins": "https://app.example", "edge.fast": "\(isFast)"]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self, TusPlugin.self], settings: settings) { _, web in
      let method = try #require(HTTPField.Name("Access-Control-Request-Method"))
      let preflight = try await web.http.send(
        ClientRequest(
          .options, origin: web.url, target: "/v1/tus", headers: [.origin: "https://app.example", method: "PATCH"]))
      #expect(preflight.status == 204)
      let allowed = preflight.headers[.accessControlAllowHeaders] ?? ""
      for name in ["Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Metadata", "Upload-Checksum"] {
        #expect(allowed.contains(name))
      }
      let options = try await web.http.send(
        ClientRequest(.options, origin: web.url, target: "/v1/tus", headers: [.origin: "https://app.example"]))
      #expect(options.headers[try #require(HTTPField.Name("Tus-Version"))] == "1.0.0")
      #expect(options.headers[.accessControlExposeHeaders]?.contains("Upload-Offset") == true)
    }
  }
}

/// A service with a route that reads its body while it arrives.
struct TusPlugin: ServicePlugin, Feature {
  enum API: ServiceAPI {
    static let name = "tus"
    static let summary = "Test"
    static let endpoints: [any Endpoint.Type] = []
    static let rawRoutes = [options]
    static let options = RawRoute(
      .options("/v1/tus", "Describe", access: .anyone, success: 204))
  }

  static let manifest = Manifest(name: API.name, api: API.self)

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) {
    routes.receive(API.options) { _ in
      PlainResponse(204, [HTTPField.Name("Tus-Version") ?? .accept: "1.0.0"])
    }
  }
}
