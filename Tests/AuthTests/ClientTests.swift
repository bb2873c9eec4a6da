import AuthService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

/// Registered clients are stopped at once (S14).
@Suite(.serialized)
struct ClientTests {
  private struct Registered {
    let id: UserID
    let secret: String
  }

  /// How often they ask until a token is refused is a matter of speed.
  private static let settings = ["limits.costly": "0/1"]

  private func token(_ client: Registered, _ api: APIClient) async throws -> String {
    try await api.send(AuthAPI.IssueToken(clientID: client.id.rawValue, clientSecret: client.secret)).accessToken
  }

  private func refusal(_ token: String, _ api: APIClient) async throws -> String? {
    try await problem { _ = try await api.with(accessToken: token).send(AuthAPI.SearchAudit()) }?.code
  }

  private func register(_ name: String, _ host: TestPlatform) async throws -> Registered {
    let made = try await host.auth.createClient(name, scopes: [.administration], roles: [.support])
    return Registered(id: made.id, secret: made.secret)
  }

  @Test("S14: a disabled client's token is refused, and stays refused")
  func disabledClientsStopAtOnce() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: Self.settings) {
      host, web async throws in
      let api = web.client
      let (client, other) = (try await register("reports", host), try await register("other", host))
      let (old, foreign) = (try await token(client, api), try await token(other, api))
      #expect(try await refusal(old, api) == nil)
      try await host.auth.disableClient("reports")
      let refused = try await problem { _ = try await token(client, api) }
      #expect(refused?.is(.invalidClient) == true)
      try await eventually("the token is refused") { try await refusal(old, api) == "session-revoked" }
      try await host.auth.enableClient(client.id.rawValue)
      let new = try await token(client, api)
      #expect(try await refusal(new, api) == nil)
      #expect(try await refusal(old, api) == "session-revoked")
      #expect(try await refusal(foreign, api) == nil)
    }
  }

  @Test("S14: a rotated secret ends the old one and its tokens")
  func secretsAreRotated() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: Self.settings) {
      host, web async throws in
      let api = web.client
      let client = try await register("reports", host)
      let old = try await token(client, api)
      let rotated = Registered(id: client.id, secret: try await host.auth.rotateClient("reports"))
      #expect(try await problem { _ = try await token(client, api) }?.is(.invalidClient) == true)
      let new = try await token(rotated, api)
      try await eventually("the old token is refused") { try await refusal(old, api) == "session-revoked" }
      #expect(try await refusal(new, api) == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func changesOfClientsAreStored(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let client = try await register("reports", host)
      _ = try await register("beats", host)
      for _ in 0..<2 { try await host.auth.disableClient("reports") }
      let listed = try await host.auth.clients()
      #expect(listed.map(\.name) == ["beats", "reports"])
      #expect(listed.map { $0.disabledAt == nil } == [true, false])
      #expect(listed.map(\.scopes) == [[.administration], [.administration]])
      try await host.auth.enableClient(client.id.rawValue)
      let secret = try await host.auth.rotateClient("reports")
      #expect(secret != client.secret)
      await #expect(throws: ClientError.self) { try await host.auth.disableClient("nobody") }
      await #expect(throws: ClientError.self) { try await register("reports", host) }
      let actions = try await host.database.read { db in
        try db.values("SELECT action FROM audit WHERE action LIKE 'client.%' ORDER BY id", as: String.self)
      }
      #expect(
        actions == ["client.created", "client.created", "client.disabled", "client.enabled", "client.secret-rotated"])
      let readable = try await host.database.read { db in
        try db.values("SELECT secret_hash FROM clients", as: String.self).contains(secret)
      }
      #expect(!readable)
    }
  }

  @Test("S5: wrong secrets from elsewhere do not stop a client")
  func wrongSecretsStopNoOneElse() async throws {
    try await TestPlatform.auth { host async throws in
      let client = try await register("reports", host)
      let forged = Registered(id: client.id, secret: "wrong")
      var codes: [String?] = []
      for _ in 0..<15 {
        codes.append(try await problem { _ = try await token(forged, host.client(at: "203.0.113.9")) }?.code)
      }
      #expect(codes.prefix(5).allSatisfy { $0 == "invalid-client" })
      #expect(codes.dropFirst(5).allSatisfy { $0 == "too-many-attempts" })
      _ = try await token(client, host.client(at: "198.51.100.7"))
    }
  }
}
