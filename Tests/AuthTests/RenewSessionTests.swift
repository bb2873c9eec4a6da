import AuthService
import Contracts
import ServiceKit
import TestKit
import Testing

/// How the gateway gets access tokens for browsers.
@Suite(.serialized)
struct RenewSessionTests {
  private func renew(_ refreshToken: String, at host: TestPlatform) async throws -> Authentication {
    try await host.platform.client(of: AuthAPI.self, as: GatewayAPI.name)
      .send(AuthAPI.RenewSession(refreshToken: refreshToken))
  }

  @Test(arguments: TestDatabase.allCases)
  func theRefreshTokenStays(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await host.signUp("ada", app: .keepfit)
      for _ in 0..<3 {
        host.time.advance(seconds: 3600)
        // Whoever asks at the same time gets a token, too.
        for _ in 0..<2 {
          let renewed = try await renew(session.refreshToken, at: host)
          #expect(renewed.refreshToken == session.refreshToken)
          #expect(renewed.session == session.session)
          #expect(renewed.deviceSecret == nil)
          let me = host.client.with(accessToken: renewed.accessToken)
          let sessions = try await me.send(AuthAPI.ListSessions()).items
          #expect(sessions.map(\.app) == [.keepfit])
          #expect(sessions[0].lastUsedAt == host.time.source.now())
        }
      }
      // An app on a device still gets another one, and the older one is then known to be stolen.
      _ = try await host.refresh(session.refreshToken)
      host.time.advance(seconds: 60)
      let stolen = try await problem { _ = try await renew(session.refreshToken, at: host) }
      #expect(stolen?.is(.refreshTokenReused) == true)
    }
  }

  @Test func itEndsWithTheSession() async throws {
    try await TestPlatform.auth(settings: ["auth.sessionIdleDays": "2", "auth.sessionDays": "5"]) { host async throws in
      let unused = try await host.signUp("ada")
      let used = try await host.logIn("ada")
      let ended = try await host.logIn("ada")
      _ = try await host.client.with(accessToken: ended.accessToken).send(AuthAPI.LogOut())
      func isRefused(_ token: String) async throws -> Bool {
        try await problem { _ = try await renew(token, at: host) }?.is(.refreshTokenInvalid) == true
      }
      #expect(try await isRefused(ended.refreshToken))
      #expect(try await isRefused("nonsense"))
      for _ in 0..<3 {
        host.time.advance(seconds: 1.5 * 86_400)
        _ = try await renew(used.refreshToken, at: host)
      }
      #expect(try await isRefused(unused.refreshToken))
      host.time.advance(seconds: 86_400)
      #expect(try await isRefused(used.refreshToken))
    }
  }
}
