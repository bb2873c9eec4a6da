import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The audit trail of sign-ins.
@Suite(.serialized)
struct SignInAuditTests {
  @Test("the trail names the factors of each sign-in", arguments: TestDatabase.allCases)
  func factorsAreAudited(_ database: TestDatabase) async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    try await TestPlatform.auth(settings: provider.settings(), database: database, time: provider.time) {
      host async throws in
      func proved(_ session: Authentication) async throws -> [String?] {
        let entries = try await host.entries("session.begun", of: "session:\(session.session)")
        return try #require(entries.first).changes.filter { $0.field == "proved" }.map(\.after)
      }
      let guest = try await host.guestSession()
      #expect(try await proved(guest) == [])
      let bob = try await host.signUp("bob")
      #expect(try await proved(bob) == ["pwd"])
      let (_, app) = try await host.client.setUpAuthenticatorApp(bob, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let ticket = try await host.ticket("bob")
      let second = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket.ticket, totp: app.code(at: host.time.source.now())))
      #expect(try await proved(second) == ["pwd", "otp", "mfa"])

      let person = try await host.client.send(
        AuthAPI.SignInWithProvider(provider: "test", idToken: try provider.token(provider.claims())))
      #expect(try await proved(person) == [])
      let words = try await host.entries("sign-in.provider-proved", of: "user:\(person.user.id)")
      #expect(words.map(\.changes) == [[AuditChange("issuer", from: nil, to: provider.issuer)]])
      #expect(try await AuditChain(host.database, of: "auth", keys: host.platform.dataKeys).verify().flaw == nil)
    }
  }
}
