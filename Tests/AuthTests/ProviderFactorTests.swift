import Contracts
import TestKit
import Testing

/// Second factors and proofs of users who sign in with a provider.
extension ProviderTests {
  @Test("a provider's word does not replace the second factor")
  func protectedAccountsNeedTheirFactor() async throws {
    try await Self.run { host, provider async throws in
      let first = try await Self.signIn(host, try provider.token(provider.claims()))
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let token = try provider.token(provider.claims())
      let interrupted = try await problem { _ = try await Self.signIn(host, token) }
      #expect(interrupted?.is(.secondFactorRequired) == true)
      let ticket = try #require(interrupted?.secondFactor)
      #expect(ticket.factors == [.totp, .recoveryCode])
      let done = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket.ticket, totp: app.code(at: host.time.source.now())))
      #expect(done.user.id == first.user.id)
      #expect(try host.claims(done.accessToken).amr == ["otp", "mfa"])
      #expect(try await host.client(done).send(AuthAPI.ListSessions()).items.first?.app == .keepfit)
    }
  }

  @Test("a provider's word does not move a guest before the second factor", arguments: TestDatabase.allCases)
  func guestsMoveAfterTheFactor(_ database: TestDatabase) async throws {
    try await Self.run(database: database) { host, provider async throws in
      let first = try await Self.signIn(host, try provider.token(provider.claims()))
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let guest = try await host.guestSession()
      let token = try provider.token(provider.claims())
      let stolen = try await problem { _ = try await Self.signIn(host, token, guest: guest.accessToken) }
      #expect(stolen?.is(.refreshTokenInvalid) == true)
      let interrupted = try await problem {
        _ = try await Self.signIn(
          host, token, guest: guest.accessToken, guestRefreshToken: guest.refreshToken)
      }
      let ticket = try #require(interrupted?.secondFactor).ticket
      #expect(try await host.recorded(GuestSignedIn.self, by: AuthAPI.self).isEmpty)
      #expect(try await host.audited("guest.signed-in") == 0)
      _ = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket, totp: app.code(at: host.time.source.now())))
      let moves = try await host.recorded(GuestSignedIn.self, by: AuthAPI.self)
      #expect(moves.map(\.guestID) == [guest.user.id])
      #expect(moves.map(\.userID) == [first.user.id])
    }
  }

  @Test("who has neither password nor factor proves by a fresh sign-in")
  func freshSignInsAreProofs() async throws {
    try await Self.run { host, provider async throws in
      let first = try await Self.signIn(host, try provider.token(provider.claims()))
      host.time.advance(seconds: 301)
      // Closures in `#expect` and beside it may be taken for each other by the compiler (Swift 6.3).
      let early = try await problem { _ = try await host.client(first).send(AuthAPI.ExportMe()) }
      #expect(early?.code == Problem.Kind.recentSignInRequired.code)
      let password = try await problem { _ = try await host.client(first).send(AuthAPI.Prove(password: "anything")) }
      #expect(password?.code == Problem.Kind.invalidCredentials.code)
      let fresh = try await Self.signIn(host, try provider.token(provider.claims()))
      _ = try await host.client(fresh).send(AuthAPI.ExportMe())
      let late = try await problem { _ = try await host.client(first).send(AuthAPI.DeleteMe()) }
      #expect(late?.code == Problem.Kind.recentSignInRequired.code)
    }
  }
}
