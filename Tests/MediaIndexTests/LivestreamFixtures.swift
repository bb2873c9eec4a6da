import Contracts
import Crypto
import CurlClient
import Foundation
import GatewayService
import HTTPTypes
import MatchingService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService
@testable import MediaIndexService

/// media-index, matching and auth behind the gateway, and a stand-in of Zoom.
struct LivestreamHost: Sendable {
  static let webhookSecret = "webhook-secret"

  let test: TestPlatform
  let zoom: ZoomStandIn

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:], withZoom: Bool = true,
    _ body: (LivestreamHost) async throws -> Void
  ) async throws {
    let port = try reservedPort()
    let script = Self.path("zoom.py")
    try await Python.running([script, String(port)]) { _ in
      let origin = "http://127.0.0.1:\(port)"
      var all = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
      if withZoom {
        all.merge([
          "zoom.accountId": "account", "zoom.clientId": "client", "zoom.clientSecret": "secret", "zoom.apiUrl": origin,
          "zoom.oauthUrl": origin, "zoom.plan": "business", "zoom.webhookSecret": webhookSecret,
        ]) { $1 }
      }
      let plugins: [any ServicePlugin.Type] = [
        GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self,
      ]
      try await CurlClient.running { http in
        try await TestPlatform.run(
          plugins, settings: all.merging(settings) { $1 }, database: database, time: ManualTime()
        ) { test in
          try await body(LivestreamHost(test: test, zoom: ZoomStandIn(origin: origin, http: http)))
        }
      }
    }
  }

  static func path(_ file: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(file).path
  }

  var now: Timestamp { test.time.source.now() }

  /// A user whose token is valid however far the clock is advanced.
  func user(_ name: String) async throws -> TestUser {
    let id = try await test.client.signUp(name).user.id
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let start = now.unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.keepfit.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(),
      roles: [Role.user.rawValue], iat: start, exp: start + 365 * 86_400, jti: test.ids.text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  /// - Parameter link: Of another provider; Zoom by default.
  func create(
    _ title: String, by user: TestUser, link: String? = nil, tags: [String] = [], startsIn seconds: Double = 3600,
    visibility: LivestreamVisibility? = nil, key: String? = nil
  ) async throws -> Livestream {
    let request = MediaAPI.CreateLivestream(
      title: ShortText(checked: title), description: LongText(checked: "All levels."),
      tags: tags.map { Tag(checked: $0) }, visibility: visibility, startsAt: now.advanced(bySeconds: seconds),
      joinURL: link.map { WebLink(checked: $0) })
    return try await user.client.send(request, idempotencyKey: key)
  }

  /// A live stream whose meeting exists.
  func scheduled(_ title: String, by user: TestUser, startsIn seconds: Double = 3600) async throws -> Livestream {
    let created = try await create(title, by: user, startsIn: seconds)
    try await work()
    return try await get(created.id, by: user)
  }

  func get(_ id: LivestreamID, by user: TestUser) async throws -> Livestream {
    try await user.client.send(MediaAPI.GetLivestream(id: id))
  }

  var plugin: MediaIndexPlugin { get throws { try test.plugin(MediaIndexPlugin.self) } }

  /// Runs the jobs that are due.
  func work() async throws { try await plugin.runOnce(MeetingWorkflow.jobKind) }

  /// Runs the collector until nothing is due.
  func collect() async throws { while try await plugin.runOnce("livestreams.collect") > 0 {} }

  func advance(_ seconds: Double) async throws {
    test.time.advance(seconds: seconds)
    try await zoom.control(["now": .integer(now.unixSeconds)])
  }

  var database: any Database { get throws { try test.database(of: MediaAPI.self) } }

  func row(_ id: LivestreamID) async throws -> StoredLivestream? {
    try await database.read { db in try LivestreamStore.find(id, in: db) }
  }

  func connect(_ one: TestUser, _ other: TestUser) async throws {
    let request = try await one.client.send(MatchingAPI.RequestConnection(userID: other.id))
    _ = try await other.client.send(MatchingAPI.AcceptConnection(id: request.id))
  }

  // MARK: webhooks

  static func signature(of body: String, at stamp: String, secret: String = webhookSecret) -> String {
    let key = SymmetricKey(data: Data(secret.utf8))
    let mac = HMAC<SHA256>.authenticationCode(for: Data("v0:\(stamp):\(body)".utf8), using: key)
    return "v0=" + mac.map { String(format: "%02x", $0) }.joined()
  }

  /// Sends a webhook that is signed now.
  func webhook(_ body: String, secret: String = webhookSecret) async throws -> WireResponse {
    let stamp = String(now.unixSeconds)
    return try await webhook(body, stamp: stamp, signature: Self.signature(of: body, at: stamp, secret: secret))
  }

  func webhook(_ body: String, stamp: String, signature: String) async throws -> WireResponse {
    try await test.send(
      .post, "/v1/webhooks/zoom", body,
      headers: [(name: "x-zm-request-timestamp", value: stamp), (name: "x-zm-signature", value: signature)])
  }

  /// Reports an event of a meeting as Zoom does.
  func report(_ event: String, _ meeting: Int64, at moment: Timestamp) async throws -> Int {
    let body = """
      {"event":"\(event)","event_ts":\(moment.microseconds / 1000),\
      "payload":{"account_id":"account","object":{"id":"\(meeting)","uuid":"x","topic":"Yoga"}}}
      """
    return try await webhook(body).status
  }
}

/// Controls the stand-in and looks at what it has.
struct ZoomStandIn: Sendable {
  let origin: String
  let http: CurlClient

  struct Meeting: Sendable {
    var id: Int64
    var topic: String
    var status: String
    var agenda: String
    var startTime: String
    var host: String
  }

  private static let timeouts = ClientRequest.Timeouts(connect: Waiting.limit, firstByte: Waiting.limit, total: nil)

  func control(_ order: JSONValue) async throws {
    _ = try await http.execute(
      ClientRequest(
        .post, origin: origin, target: "/control", headers: [.contentType: "application/json"],
        body: .bytes(try WireJSON.encode(order)), timeouts: Self.timeouts))
  }

  /// Has the next request of an operation fail: `500`, `429`, `garbage`, or `lost`, which loses the answer.
  func fault(_ kind: String, on operation: String) async throws {
    try await control(["faults": .array([["on": .string(operation), "kind": .string(kind)]])])
  }

  func set(_ status: String, of meeting: Int64) async throws {
    try await control(["status": ["id": .integer(meeting), "status": .string(status)]])
  }

  private func report() async throws -> JSONValue {
    let response = try await http.execute(ClientRequest(origin: origin, target: "/control", timeouts: Self.timeouts))
    return try await WireJSON.decode(JSONValue.self, from: response.body.collect(upTo: 8 << 20))
  }

  var meetings: [Meeting] {
    get async throws {
      let report = try await report()
      return report["meetings"]?.elements.map { row in
        Meeting(
          id: row["id"].flatMap(Self.integer) ?? 0, topic: row["topic"]?.string ?? "",
          status: row["status"]?.string ?? "",
          agenda: row["agenda"]?.string ?? "", startTime: row["start_time"]?.string ?? "",
          host: row["host_id"]?.string ?? "")
      } ?? []
    }
  }

  private static func integer(_ value: JSONValue) -> Int64? {
    if case .integer(let number) = value { number } else { nil }
  }

  /// How often an operation has been asked for.
  func count(_ operation: String) async throws -> Int64 {
    let report = try await report()
    return report["counts"]?[operation].flatMap(Self.integer) ?? 0
  }
}

/// The code of the problem with which a call fails; `nil` on success.
func problemCode(_ body: () async throws -> Void) async throws -> String? { try await problem(body)?.code }
