import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// Sessions: listing, expiry, revocation and refresh token rotation.
@Suite(.serialized)
struct SessionTests {
  @Test(arguments: TestDatabase.allCases)
  func usersSeeAndEndTheirSessions(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let first = try await host.signUp("ada", app: .keepfit)
      host.time.advance(seconds: 60)
      let second = try await host.logIn("ada")
      let me = host.client.with(accessToken: second.accessToken)
      let sessions = try await me.send(AuthAPI.ListSessions()).items
      #expect(sessions.map(\.id) == [second.session, first.session])
      #expect(sessions.map(\.isCurrent) == [true, false])
      #expect(sessions.map(\.app) == [.web, .keepfit])
      #expect(sessions[0].lastUsedAt.seconds(since: sessions[1].lastUsedAt) == 60)

      _ = try await me.send(AuthAPI.EndSession(id: first.session))
      _ = try await me.send(AuthAPI.EndSession(id: first.session))
      #expect(try await me.send(AuthAPI.ListSessions()).items.map(\.id) == [second.session])
      let ended = try await problem { _ = try await host.refresh(first.refreshToken) }
      #expect(ended?.is(.refreshTokenInvalid) == true)

      let other = try await host.signUp("bob")
      let foreign = try await problem { _ = try await me.send(AuthAPI.EndSession(id: other.session)) }
      #expect(foreign?.is(.sessionNotFound) == true)
      _ = try await host.refresh(other.refreshToken)
    }
  }

  @Test func logOutEndsWhatItSays() async throws {
    try await TestPlatform.auth { host async throws in
      let sessions = [try await host.signUp("ada"), try await host.logIn("ada"), try await host.logIn("ada")]
      let me = host.client.with(accessToken: sessions[0].accessToken)
      _ = try await me.send(AuthAPI.LogOut(scope: .others))
      let own = try await host.refresh(sessions[0].refreshToken)
      for session in sessions.dropFirst() {
        #expect(
          try await problem { _ = try await host.refresh(session.refreshToken) }?.is(.refreshTokenInvalid) == true)
      }
      let again = try await host.logIn("ada")
      _ = try await me.send(AuthAPI.LogOut(scope: .global))
      for token in [own.refreshToken, again.refreshToken] {
        #expect(try await problem { _ = try await host.refresh(token) }?.is(.refreshTokenInvalid) == true)
      }
    }
  }

  @Test func sessionsEndWhenUnusedAndWhenOld() async throws {
    try await TestPlatform.auth(settings: ["auth.sessionIdleDays": "2", "auth.sessionDays": "5"]) { host async throws in
      let unused = try await host.signUp("ada")
      var used = try await host.logIn("ada")
      for _ in 0..<3 {
        host.time.advance(seconds: 1.5 * 86_400)
        used = try await host.refresh(used.refreshToken)
      }
      #expect(try await problem { _ = try await host.refresh(unused.refreshToken) }?.is(.refreshTokenInvalid) == true)
      host.time.advance(seconds: 86_400)
      #expect(try await problem { _ = try await host.refresh(used.refreshToken) }?.is(.refreshTokenInvalid) == true)
    }
  }

  @Test func usersMayWantToBeLoggedOutSooner() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      let me = host.client.with(accessToken: session.accessToken)
      var settings = UserSettings()
      settings.logOutAfterMinutes = InactivityMinutes(30)
      _ = try await me.send(AuthAPI.PutSettings(settings))
      host.time.advance(seconds: 29 * 60)
      let next = try await host.refresh(session.refreshToken)
      host.time.advance(seconds: 31 * 60)
      #expect(try await problem { _ = try await host.refresh(next.refreshToken) }?.is(.refreshTokenInvalid) == true)
    }
  }

  /// Keycloak #51312: after a successful revocation no token is valid.
  @Test func refreshNeverOutlivesRevoke() async throws {
    try await TestPlatform.auth { host async throws in
      for round in 0..<1000 {
        let session = try await host.guestSession()
        let owner = host.client.with(accessToken: session.accessToken)
        async let refreshed = try? host.refresh(session.refreshToken)
        async let revoked: Void = { _ = try await owner.send(AuthAPI.EndSession(id: session.session)) }()
        let token = await refreshed?.refreshToken ?? session.refreshToken
        try await revoked
        let answer = try await problem { _ = try await host.refresh(token) }
        #expect(answer?.is(.refreshTokenInvalid) == true, "round \(round)")
      }
    }
  }

  /// Keycloak #50999: generations are numbers, so two rotations at the same instant differ.
  @Test func replayAfterTwoRotationsInOneInstantEndsTheSession() async throws {
    try await TestPlatform.auth { host async throws in
      let first = try await host.signUp("ada")
      let second = try await host.refresh(first.refreshToken)
      let third = try await host.refresh(second.refreshToken)
      let replayed = try await problem { _ = try await host.refresh(first.refreshToken) }
      #expect(replayed?.is(.refreshTokenReused) == true)
      #expect(try await problem { _ = try await host.refresh(third.refreshToken) }?.is(.refreshTokenInvalid) == true)
      let found = try await AuditTrail(host.database).search(
        AuditFilter(object: "session:\(first.session)"), limit: 10, cursor: nil)
      #expect(found.items.first?.action == "session.ended")
      #expect(found.items.first?.changes == [AuditChange("reason", from: nil, to: "refreshTokenReused")])
    }
  }

  /// Keycloak #49213: a failed transaction is rolled back, so the old token still works.
  @Test func failedRefreshLeavesTheOldTokenGood() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      _ = try await host.database.write { tx in
        try tx.execute(
          """
          CREATE TRIGGER broken BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'injected'); END
          """
        )
      }
      #expect(try await problem { _ = try await host.refresh(session.refreshToken) }?.status == 500)
      _ = try await host.database.write { tx in try tx.execute("DROP TRIGGER broken") }
      let next = try await host.refresh(session.refreshToken)
      #expect(next.session == session.session)
      #expect(next.refreshToken != session.refreshToken)
    }
  }

  @Test func manySessionsDisplaceTheLeastUsed() async throws {
    try await TestPlatform.auth { host async throws in
      let first = try await host.signUp("eve")
      for _ in 0..<100 {
        host.time.advance(seconds: 1)
        _ = try await host.logIn("eve")
      }
      #expect(try await problem { _ = try await host.refresh(first.refreshToken) }?.is(.refreshTokenInvalid) == true)
    }
  }
}

extension TestPlatform {
  func guestSession() async throws -> Authentication { try await client.send(AuthAPI.SignInAsGuest()) }
}
