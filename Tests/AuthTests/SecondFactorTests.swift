import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Authenticator apps and recovery codes: setting up, the second step of sign-in, and what a token is worth without it.
@Suite(.serialized)
struct SecondFactorTests {
  private func logIn(_ host: TestPlatform, _ ticket: FactorTicket, _ code: OneTimeCode) async throws -> Authentication {
    try await host.client.send(AuthAPI.CompleteLogIn(ticket: ticket.ticket, totp: code))
  }

  private func refusal(_ host: TestPlatform, _ request: AuthAPI.CompleteLogIn) async throws -> String? {
    try await problem { _ = try await host.client.send(request) }?.code
  }

  /// A user with an authenticator app, half a minute after it was set up.
  private func protected(_ name: String, _ host: TestPlatform) async throws -> (Authentication, AuthenticatorApp) {
    let made = try await host.client.setUpAuthenticatorApp(try await host.signUp(name), at: host.time.source.now())
    host.time.advance(seconds: 30)
    return made
  }

  @Test("a right password without the factor is in the audit trail", arguments: TestDatabase.allCases)
  func passwordsWithoutTheFactorAreAudited(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      _ = try await host.client.setUpAuthenticatorApp(ada, at: host.time.source.now())
      _ = try await host.ticket("ada")
      let found = try await AuditTrail(host.database).search(
        AuditFilter(object: "user:\(ada.user.id)", action: "sign-in.awaits-factor"), limit: 10, cursor: nil)
      #expect(found.items.map(\.actor) == ["anonymous"])
      #expect(found.items.flatMap(\.changes).map(\.after) == ["pwd"])
    }
  }

  @Test("an authenticator app of another maker makes the codes", arguments: TestDatabase.allCases)
  func pyotpSignsIn(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: ["auth.productName": "Acme & Co"], database: database) { host async throws in
      let session = try await host.signUp("ada")
      try await host.proveAddress(of: "ada")
      let me = host.client(session)
      let enrolment = try await me.send(AuthAPI.EnrolTOTP())
      // Until it is confirmed, nothing is protected.
      _ = try await host.logIn("ada")
      func code() async throws -> OneTimeCode {
        let script = """
          import datetime, pyotp, sys
          totp = pyotp.parse_uri(sys.argv[1])
          assert (totp.name, totp.issuer, totp.secret) == ("ada@example.com", "Acme & Co", sys.argv[3])
          print(totp.at(int(sys.argv[2])))
          """
        let second = "\(host.time.source.now().unixSeconds)"
        let output = try await Command.run([Python.path(), "-c", script, enrolment.uri, second, enrolment.secret])
        return try OneTimeCode(validating: String(output.prefix(6)))
      }
      let enrolled = try await me.send(AuthAPI.ConfirmTOTP(code: try await code()))
      #expect(enrolled.recoveryCodes?.count == 10)
      host.time.advance(seconds: 30)
      let ticket = try await host.ticket("ada", app: .keepfit)
      #expect(ticket.factors == [.totp, .recoveryCode])
      let signedIn = try await logIn(host, ticket, try await code())
      let claims = try host.claims(signedIn.accessToken)
      #expect(claims.amr == ["pwd", "otp", "mfa"])
      #expect(claims.auth_time == host.time.source.now().unixSeconds)
      #expect(try await host.client(signedIn).send(AuthAPI.ListSessions()).items.first?.app == .keepfit)
      // The stored values are not readable.
      let stored = try await host.database.read { db in
        try db.values("SELECT secret FROM totp_secrets", as: String.self)
          + db.values("SELECT hash FROM recovery_codes", as: String.self)
      }
      #expect(stored.count == 11)
      let shown = [enrolment.secret] + (enrolled.recoveryCodes ?? [])
      for text in shown { #expect(!stored.contains { $0.localizedCaseInsensitiveContains(text) }) }
      let mails = try await mails(host)
      #expect(mails.contains { $0.text.contains("An authenticator app was added") })
    }
  }

  private func mails(_ host: TestPlatform) async throws -> [Mail] {
    while try await host.auth.runOnce("mail") > 0 {}
    return try host.mails(deliveredTo: "ada@example.com")
  }

  @Test("a code that was seen over a shoulder does not work again", arguments: TestDatabase.allCases)
  func codesWorkOnce(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, app) = try await protected("ada", host)
      let code = app.code(at: host.time.source.now())
      _ = try await logIn(host, try await host.ticket("ada"), code)
      let again = try await host.ticket("ada")
      #expect(try await refusal(host, .init(ticket: again.ticket, totp: code)) == "factor-wrong")
      // Neither does that of the step before, which would still be in time.
      let earlier = app.code(at: host.time.source.now().advanced(bySeconds: -30))
      #expect(try await refusal(host, .init(ticket: again.ticket, totp: earlier)) == "factor-wrong")
      host.time.advance(seconds: 30)
      _ = try await logIn(host, again, app.code(at: host.time.source.now()))
      #expect(try await host.audited("second-factor.failed") == 2)
    }
  }

  @Test("of parallel sign-ins with one code, one succeeds", arguments: TestDatabase.allCases)
  func codesWorkOnceInParallel(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, app) = try await protected("ada", host)
      let code = app.code(at: host.time.source.now())
      var tickets: [FactorTicket] = []
      for _ in 0..<5 { tickets.append(try await host.ticket("ada")) }
      let outcomes = try await concurrently(tickets) { ticket in
        try await problem { _ = try await self.logIn(host, ticket, code) }?.code ?? "signed in"
      }
      #expect(outcomes.count { $0 == "signed in" } == 1, "\(outcomes)")
    }
  }

  @Test func ticketsWorkOnceAndExpireAndEndWithTheSessions() async throws {
    try await TestPlatform.auth { host async throws in
      let (session, app) = try await protected("ada", host)
      let used = try await host.ticket("ada")
      _ = try await logIn(host, used, app.code(at: host.time.source.now()))
      host.time.advance(seconds: 30)
      let code = app.code(at: host.time.source.now())
      #expect(try await refusal(host, .init(ticket: used.ticket, totp: code)) == "factor-ticket-invalid")
      #expect(try await refusal(host, .init(ticket: "guessed", totp: code)) == "factor-ticket-invalid")
      let ended = try await host.ticket("ada")
      _ = try await host.client(session).send(AuthAPI.LogOut(scope: .global))
      #expect(try await refusal(host, .init(ticket: ended.ticket, totp: code)) == "factor-ticket-invalid")
      let late = try await host.ticket("ada")
      host.time.advance(seconds: 301)
      let fresh = app.code(at: host.time.source.now())
      #expect(try await refusal(host, .init(ticket: late.ticket, totp: fresh)) == "factor-ticket-invalid")
      // Exactly one proof belongs to a ticket.
      let none = try await problem { _ = try await host.client.send(AuthAPI.CompleteLogIn(ticket: "x")) }
      #expect(none?.is(.invalidRequest) == true)
      let rows = try await host.database.read { try $0.values("SELECT hash FROM factor_tickets", as: String.self) }
      for ticket in [used, ended, late] { #expect(!rows.contains(ticket.ticket)) }
    }
  }

  @Test("who knows the password cannot guess the code", arguments: TestDatabase.allCases)
  func guessingIsSlowedDown(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, app) = try await protected("ada", host)
      let ticket = try await host.ticket("ada")
      let right = app.code(at: host.time.source.now()).rawValue
      let wrong = OneTimeCode(checked: right == "000000" ? "000001" : "000000")
      for _ in 0..<5 {
        #expect(try await refusal(host, .init(ticket: ticket.ticket, totp: wrong)) == "factor-wrong")
      }
      // The ticket has ended, and with a new one even the right code must wait.
      let code = OneTimeCode(checked: right)
      #expect(try await refusal(host, .init(ticket: ticket.ticket, totp: code)) == "factor-ticket-invalid")
      let next = try await host.ticket("ada")
      #expect(try await refusal(host, .init(ticket: next.ticket, totp: code)) == "too-many-attempts")
      host.time.advance(seconds: 1)
      _ = try await logIn(host, next, code)
      #expect(try await host.audited("second-factor.failed") == 5)
    }
  }

  @Test("recovery codes work once and are renewed", arguments: TestDatabase.allCases)
  func recoveryCodes(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, app) = try await protected("ada", host)
      try await host.proveAddress(of: "ada")
      func use(_ code: String) async throws -> Authentication {
        let ticket = try await host.ticket("ada").ticket
        return try await host.client.send(
          AuthAPI.CompleteLogIn(ticket: ticket, recoveryCode: try RecoveryCode(validating: code)))
      }
      let session = try await use(app.recoveryCodes[0].uppercased())
      let again = try await problem { _ = try await use(app.recoveryCodes[0]) }
      #expect(again?.is(.factorWrong) == true)
      let me = host.client(session)
      #expect(try await me.send(AuthAPI.GetFactors()).recoveryCodesLeft == 9)
      let renewed = try await me.send(AuthAPI.RenewRecoveryCodes()).codes
      #expect(Set(renewed).count == 10)
      #expect(Set(renewed).isDisjoint(with: app.recoveryCodes))
      #expect(try await problem { _ = try await use(app.recoveryCodes[1]) }?.is(.factorWrong) == true)
      _ = try await use(renewed[1])
      // Bob's codes are not Ada's.
      let (_, other) = try await protected("bob", host)
      #expect(try await problem { _ = try await use(other.recoveryCodes[0]) }?.is(.factorWrong) == true)
      #expect(try await mails(host).contains { $0.text.contains("with a recovery code") })
    }
  }

  @Test("S13: administration needs a second factor, also after a refresh", arguments: TestDatabase.allCases)
  func administrationNeedsASecondFactor(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.auth.createAccount(
        email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
        displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
        roles: [.administrator])
      let list = AuthAPI.AdminListUsers()
      func status(_ token: String) async throws -> Int {
        try await problem { _ = try await host.client.with(accessToken: token).send(list) }?.status ?? 200
      }
      // A thief of the password has no administration.
      let password = try await host.logIn("boss")
      #expect(password.missingFactor == .enrol)
      #expect(try !host.claims(password.accessToken).scope.contains("administration"))
      #expect(try await status(password.accessToken) == 403)
      let refreshed = try await host.refresh(password.refreshToken)
      #expect(refreshed.missingFactor == .enrol)
      #expect(try await status(refreshed.accessToken) == 403)

      let (proved, app) = try await host.client.setUpAuthenticatorApp(refreshed, at: host.time.source.now())
      #expect(try host.claims(proved.accessToken).scope.hasSuffix(" administration"))
      #expect(try await status(proved.accessToken) == 200)
      // The session that was begun before has not proved it.
      let later = try await host.refresh(proved.refreshToken)
      #expect(later.missingFactor == nil)
      #expect(try await status(later.accessToken) == 200)
      host.time.advance(seconds: 30)
      let phone = try await logIn(
        host, try await host.ticket("boss", app: .keepfit), app.code(at: host.time.source.now()))
      #expect(phone.missingFactor == nil)
      #expect(try await status(phone.accessToken) == 403)

      // Without the factor, the right ends in every session.
      _ = try await host.client(later).send(AuthAPI.DeleteTOTP())
      #expect(try await host.client(later).send(AuthAPI.GetFactors()).recoveryCodesLeft == 0)
      let after = try await host.refresh(later.refreshToken)
      #expect(after.missingFactor == .enrol)
      #expect(try await status(after.accessToken) == 403)
      #expect(try await host.logIn("boss").missingFactor == .enrol)
    }
  }

  @Test("the last factor takes the other sessions' administration along", arguments: TestDatabase.allCases)
  func sessionsEndWithTheFactorThatTheyProved(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.auth.createAccount(
        email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
        displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
        roles: [.administrator])
      let weak = try await host.logIn("boss")
      let (own, app) = try await host.client.setUpAuthenticatorApp(
        try await host.logIn("boss"), at: host.time.source.now())
      host.time.advance(seconds: 30)
      let other = try await logIn(host, try await host.ticket("boss"), app.code(at: host.time.source.now()))
      _ = try await host.client(own).send(AuthAPI.DeleteTOTP())
      let live = try await host.database.read { db in
        try db.values("SELECT id FROM sessions WHERE revoked_at IS NULL", as: SessionID.self)
      }
      // Those that have not proved the factor had nothing from it.
      #expect(Set(live) == [weak.session, own.session])
      let feed = try await host.database.read { db in
        try db.values("SELECT id FROM revoked_sessions", as: SessionID.self)
      }
      #expect(feed == [other.session])
      #expect(
        try await problem { _ = try await host.refresh(other.refreshToken) }?.is(.refreshTokenInvalid) == true)
      #expect(try await host.refresh(own.refreshToken).missingFactor == .enrol)
    }
  }

  @Test func sessionsFromBeforeTheFactorMustProveIt() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.auth.createAccount(
        email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
        displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
        roles: [.owner])
      let old = try await host.logIn("boss")
      let (_, app) = try await host.client.setUpAuthenticatorApp(
        try await host.logIn("boss"), at: host.time.source.now())
      let refreshed = try await host.refresh(old.refreshToken)
      #expect(refreshed.missingFactor == .prove)
      let me = host.client(refreshed)
      let weak = try await problem { _ = try await me.send(AuthAPI.Prove(password: "correct horse boss")) }
      #expect(weak?.is(.secondFactorRequired) == true)
      host.time.advance(seconds: 30)
      let proved = try await me.send(AuthAPI.Prove(totp: app.code(at: host.time.source.now())))
      #expect(try host.claims(proved.accessToken).scope.hasSuffix(" administration"))
      #expect(try host.claims(proved.accessToken).amr == ["pwd", "otp", "mfa"])
    }
  }

  @Test func enrolmentIsBoundAndConfirmed() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      let me = host.client(session)
      let wrong = OneTimeCode(checked: "000000")
      #expect(
        try await problem { _ = try await me.send(AuthAPI.ConfirmTOTP(code: wrong)) }?.code == "enrolment-missing")
      let secret = try await me.send(AuthAPI.EnrolTOTP()).secret
      let app = try AuthenticatorApp(base32: secret)
      // Another session of the user, which has not seen the secret, cannot confirm it.
      let other = host.client(try await host.logIn("ada"))
      let code = AuthAPI.ConfirmTOTP(code: app.code(at: host.time.source.now()))
      #expect(try await problem { _ = try await other.send(code) }?.code == "enrolment-missing")
      let late = app.code(at: host.time.source.now().advanced(bySeconds: 300))
      #expect(try await problem { _ = try await me.send(AuthAPI.ConfirmTOTP(code: late)) }?.code == "factor-wrong")
      #expect(try await me.send(AuthAPI.GetFactors()).totpSince == nil)
      _ = try await me.send(code)
      #expect(try await me.send(AuthAPI.GetFactors()).totpSince == host.time.source.now())
      #expect(try await problem { _ = try await me.send(code) }?.code == "enrolment-missing")
      // Its first code is used by then.
      let ticket = try await host.ticket("ada")
      #expect(try await refusal(host, .init(ticket: ticket.ticket, totp: code.code)) == "factor-wrong")

      let guest = host.client(try await host.client.send(AuthAPI.SignInAsGuest()))
      #expect(try await problem { _ = try await guest.send(AuthAPI.EnrolTOTP()) }?.is(.forbidden) == true)
      #expect(try await problem { _ = try await guest.send(AuthAPI.RenewRecoveryCodes()) }?.is(.forbidden) == true)
    }
  }

  @Test func aGuestsCartMovesOnceTheSecondFactorIsProved() async throws {
    try await TestPlatform.auth { host async throws in
      let (session, app) = try await protected("ada", host)
      let guest = try await host.client.send(AuthAPI.SignInAsGuest())
      let interrupted = try await problem {
        _ = try await host.client.send(
          AuthAPI.LogIn(
            login: "ada", password: "correct horse ada", guest: guest.accessToken,
            guestRefreshToken: guest.refreshToken))
      }
      let ticket = try #require(interrupted?.secondFactor)
      #expect(try await host.recorded(GuestSignedIn.self, by: AuthAPI.self).isEmpty)
      _ = try await logIn(host, ticket, app.code(at: host.time.source.now()))
      let moved = try await host.recorded(GuestSignedIn.self, by: AuthAPI.self)
      #expect(moved.map(\.guestID) == [guest.user.id])
      #expect(moved.map(\.userID) == [session.user.id])
    }
  }

  @Test func operatorsHelpWhoHasLostTheFactors() async throws {
    try await TestPlatform.auth { host async throws in
      let (session, _) = try await protected("ada", host)
      try await host.proveAddress(of: "ada")
      try await host.auth.resetFactors(of: "ada@example.com")
      #expect(try await problem { _ = try await host.refresh(session.refreshToken) }?.is(.refreshTokenInvalid) == true)
      let again = try await host.logIn("ada")
      #expect(try await host.client(again).send(AuthAPI.GetFactors()).recoveryCodesLeft == 0)
      #expect(try await host.audited("second-factors.reset") == 1)
      #expect(try await mails(host).contains { $0.text.contains("removed the second factors") })
      await #expect(throws: Problem.self) { try await host.auth.resetFactors(of: "nobody") }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsLeftOfADeletedAccount(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (session, _) = try await protected("ada", host)
      _ = try await host.ticket("ada")
      let me = host.client(session)
      _ = try await me.send(AuthAPI.EnrolTOTP())
      let export = try await me.send(AuthAPI.ExportMe())["services"]?["auth"]
      #expect(export?["authenticatorApp"]?["since"]?.string == "2026-01-01T00:00:00.000Z")
      _ = try await me.send(AuthAPI.DeleteMe())
      for table: SQL in ["totp_secrets", "totp_enrolments", "recovery_codes", "factor_tickets", "passkeys"] {
        #expect(try await host.database.read { try $0.count("SELECT COUNT(*) FROM \(table)") } == 0, "\(table.text)")
      }
    }
  }
}
