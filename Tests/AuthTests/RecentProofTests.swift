import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The limits of a stolen access token.
@Suite(.serialized)
struct RecentProofTests {
  /// Everything that needs a recent proof and no password in the request.
  private func actions(_ me: APIClient) -> [(name: String, run: () async throws -> Void)] {
    [
      ("export", { _ = try await me.send(AuthAPI.ExportMe()) }),
      ("delete", { _ = try await me.send(AuthAPI.DeleteMe()) }),
      ("authenticator app", { _ = try await me.send(AuthAPI.EnrolTOTP()) }),
      ("remove app", { _ = try await me.send(AuthAPI.DeleteTOTP()) }),
      ("recovery codes", { _ = try await me.send(AuthAPI.RenewRecoveryCodes()) }),
      ("passkey", { _ = try await me.send(AuthAPI.PasskeyRegistrationOptions()) }),
      ("remove passkey", { _ = try await me.send(AuthAPI.DeletePasskey(id: IDGenerator().make())) }),
    ]
  }

  @Test("S13: a stolen token exports, deletes and adds nothing", arguments: TestDatabase.allCases)
  func stolenTokensAreWorthLittle(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await host.signUp("ada")
      host.time.advance(seconds: 301)
      let thief = host.client(session)
      for (name, run) in actions(thief) { #expect(try await host.needsProof(run), "\(name)") }
      let confirm = AuthAPI.ConfirmTOTP(code: OneTimeCode(checked: "123456"))
      #expect(try await host.needsProof { _ = try await thief.send(confirm) })
      // These ask for the password itself.
      let evil = try EmailAddress(validating: "evil@example.com")
      for password in [nil, "guessed"] {
        let refused = try await problem {
          _ = try await thief.send(AuthAPI.ChangeEmail(email: evil, password: password))
        }
        #expect(refused?.is(.invalidCredentials) == true)
        let change = AuthAPI.ChangePassword(current: password, password: try Password(validating: "evil evil evil"))
        #expect(try await problem { _ = try await thief.send(change) }?.is(.invalidCredentials) == true)
      }
      let wrong = try await problem { _ = try await thief.send(AuthAPI.Prove(password: "guessed")) }
      #expect(wrong?.is(.invalidCredentials) == true)
      #expect(try await host.audited("proof.failed") == 1)
      // Nothing has happened.
      for action in ["account.exported", "account.deleted", "totp.enrolment-begun", "email-change.requested"] {
        #expect(try await host.audited(action) == 0, "\(action)")
      }
      #expect(try await thief.send(AuthAPI.GetMe()).email == "ada@example.com")
    }
  }

  @Test("a proof lasts five minutes, in its session only, also after a refresh", arguments: TestDatabase.allCases)
  func proofsAreStoredWithTheSession(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await host.signUp("ada")
      let other = try await host.logIn("ada")
      host.time.advance(seconds: 301)
      let me = host.client(session)
      #expect(try await host.needsProof { _ = try await me.send(AuthAPI.ExportMe()) })
      let proved = try await me.send(AuthAPI.Prove(password: "correct horse ada"))
      #expect(proved.provedAt == host.time.source.now())
      #expect(try host.claims(proved.accessToken).auth_time == host.time.source.now().unixSeconds)
      // The proof is the session's, not the token's: the old token may use it, a new one does not renew it.
      _ = try await me.send(AuthAPI.ExportMe())
      #expect(try await host.needsProof { _ = try await host.client(other).send(AuthAPI.ExportMe()) })
      host.time.advance(seconds: 200)
      let refreshed = try await host.refresh(session.refreshToken)
      let claims = try host.claims(refreshed.accessToken)
      #expect(claims.auth_time == proved.provedAt.unixSeconds)
      _ = try await host.client(refreshed).send(AuthAPI.ExportMe())
      host.time.advance(seconds: 101)
      for (name, run) in actions(host.client(refreshed)) { #expect(try await host.needsProof(run), "\(name)") }
    }
  }

  @Test func refreshingIsNoProof() async throws {
    try await TestPlatform.auth { host async throws in
      var session = try await host.signUp("ada")
      #expect(session.offersPasskey == true)
      host.time.advance(seconds: 301)
      session = try await host.refresh(session.refreshToken)
      #expect(session.offersPasskey == nil)
      #expect(try await host.needsProof { _ = try await host.client(session).send(AuthAPI.DeleteMe()) })
    }
  }

  @Test func aProtectedAccountIsProvedByItsFactor() async throws {
    try await TestPlatform.auth { host async throws in
      let (session, app) = try await host.client.setUpAuthenticatorApp(
        try await host.signUp("ada"), at: host.time.source.now())
      host.time.advance(seconds: 301)
      let me = host.client(session)
      // The password alone neither proves nor changes anything.
      let weak = try await problem { _ = try await me.send(AuthAPI.Prove(password: "correct horse ada")) }
      #expect(weak?.is(.secondFactorRequired) == true)
      let address = try EmailAddress(validating: "new@example.com")
      let change = AuthAPI.ChangeEmail(email: address, password: "correct horse ada")
      #expect(try await host.needsProof { _ = try await me.send(change) })
      let password = AuthAPI.ChangePassword(
        current: "correct horse ada", password: try Password(validating: "another horse"))
      #expect(try await host.needsProof { _ = try await me.send(password) })
      let code = app.code(at: host.time.source.now())
      _ = try await me.send(AuthAPI.Prove(totp: code))
      #expect(try await problem { _ = try await me.send(AuthAPI.Prove(totp: code)) }?.is(.factorWrong) == true)
      _ = try await me.send(change)
      _ = try await me.send(password)
      let recovery = try RecoveryCode(validating: app.recoveryCodes[3])
      host.time.advance(seconds: 301)
      _ = try await me.send(AuthAPI.Prove(recoveryCode: recovery))
      _ = try await me.send(AuthAPI.ExportMe())
      for request in [AuthAPI.Prove(), AuthAPI.Prove(password: "x", totp: code)] {
        #expect(try await problem { _ = try await me.send(request) }?.is(.invalidRequest) == true)
      }
    }
  }

  @Test func guessingProofsIsSlowedDown() async throws {
    try await TestPlatform.auth { host async throws in
      let me = host.client(try await host.signUp("ada"))
      for _ in 0..<5 {
        let wrong = try await problem { _ = try await me.send(AuthAPI.Prove(password: "guessed")) }
        #expect(wrong?.is(.invalidCredentials) == true)
      }
      let early = try await problem { _ = try await me.send(AuthAPI.Prove(password: "correct horse ada")) }
      #expect(early?.is(.tooManyAttempts) == true)
      host.time.advance(seconds: 1)
      _ = try await me.send(AuthAPI.Prove(password: "correct horse ada"))
    }
  }

  @Test func endedSessionsProveNothing() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      let other = try await host.logIn("ada")
      try await host.database.write { tx in
        try SessionStore.end(.one(session.session), of: session.user.id, .ended, by: .operator, in: tx)
      }
      let refused = try await problem {
        _ = try await host.client(session).send(AuthAPI.Prove(password: "correct horse ada"))
      }
      #expect(refused?.is(.sessionRevoked) == true)
      #expect(try await problem { _ = try await host.client(session).send(AuthAPI.ExportMe()) }?.status == 401)
      _ = try await host.client(other).send(AuthAPI.ExportMe())
    }
  }

  /// Guests have nothing to prove themselves with; a stolen guest's token is worth nothing once the guest has an account.
  @Test func guestsAreExemptUntilTheyHaveAnAccount() async throws {
    try await TestPlatform.auth { host async throws in
      let guest = try await host.client.send(AuthAPI.SignInAsGuest())
      host.time.advance(seconds: 301)
      _ = try await host.client(guest).send(AuthAPI.ExportMe())
      _ = try await host.client(guest).send(
        AuthAPI.Upgrade(
          refreshToken: guest.refreshToken, email: EmailAddress(validating: "ada@example.com"),
          username: Username(validating: "ada"),
          displayName: DisplayName(validating: "Ada"), password: Password(validating: "correct horse ada")))
      _ = try await host.client(guest).send(AuthAPI.ExportMe())
      host.time.advance(seconds: 301)
      #expect(try await host.needsProof { _ = try await host.client(guest).send(AuthAPI.ExportMe()) })
      #expect(try await host.needsProof { _ = try await host.client(guest).send(AuthAPI.DeleteMe()) })
      let second = try await host.client.send(AuthAPI.SignInAsGuest())
      host.time.advance(seconds: 301)
      _ = try await host.client(second).send(AuthAPI.DeleteMe())
    }
  }
}
