import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// What thieves of the tokens and the mailed lists of schools try.
@Suite(.serialized)
struct SchoolAttackTests {
  @Test(
    "a password reset by the school does not open an account with a second factor", arguments: TestDatabase.allCases)
  func aResetPasswordDoesNotReplaceTheSecondFactor(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let first = try await host.chooseFirst(try await school.add("kim"))
      #expect(try host.claims(first.accessToken).amr == ["pwd"])
      #expect(first.deviceSecret?.isEmpty == false)
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let temporary = try await school.reset(first.user.id)
      let refused = try await problem { _ = try await host.chooseFirst(temporary) }
      #expect(refused?.is(.secondFactorRequired) == true)
      let ticket = try #require(refused?.secondFactor)
      let live = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM sessions WHERE user_id = \(first.user.id) AND revoked_at IS NULL")
      }
      #expect(live == 0)
      // The member goes on with the ticket.
      let done = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket.ticket, totp: app.code(at: host.time.source.now())))
      #expect(try host.claims(done.accessToken).amr == ["pwd", "otp", "mfa"])
    }
  }

  @Test(
    "a session that has proved no factor is no recent proof of a protected account", arguments: TestDatabase.allCases)
  func sessionsWithoutTheFactorProveNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      // The thief signs in with the password just before the owner protects the account.
      let owner = try await host.signUp("ada")
      let thief = host.client(try await host.logIn("ada"))
      let (proved, app) = try await host.client.setUpAuthenticatorApp(owner, at: host.time.source.now())
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.DeleteTOTP()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.RenewRecoveryCodes()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.PasskeyRegistrationOptions()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.ExportMe()) })
      #expect(try await host.client(proved).send(AuthAPI.GetFactors()).totpSince == host.time.source.now())
      // With the factor, the same session may.
      host.time.advance(seconds: 30)
      _ = try await thief.send(AuthAPI.Prove(totp: app.code(at: host.time.source.now())))
      _ = try await thief.send(AuthAPI.ExportMe())
    }
  }
}
