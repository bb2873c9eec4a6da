import Contracts
import Foundation
import HTTPServing
import Observability
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Passwords: validation, throttling, resets and changes.
@Suite(.serialized)
struct PasswordTests {
  private func reset(_ host: TestPlatform, _ token: String, _ password: String) async throws -> Problem? {
    try await problem {
      _ = try await host.client.send(
        AuthAPI.ResetPassword(token: token, password: Password(validating: password))
      )
    }
  }

  @Test(arguments: ["password1", "12345678", "QWERTYUIOP", "keepfit123", "ada@example.com"])
  func commonPasswordsAreRefused(password: String) async throws {
    try await TestPlatform.auth { host async throws in
      let refused = try await problem {
        _ = try await host.client.send(
          AuthAPI.SignUp(
            email: EmailAddress(validating: "ada@example.com"), username: Username(validating: "ada"),
            displayName: DisplayName(validating: "Ada"), password: Password(validating: password))
        )
      }
      #expect(refused?.is(.passwordTooCommon) == true)
      #expect(refused?.errors?.first?.location == "body.password")
    }
  }

  @Test(arguments: [
    ("quintet2026", true), ("LetUStudy!1", true), ("2026-Student", true), ("Roomi.1234", true), ("12students34", false),
    ("quintet of strings", false), ("my keepfit diary", false), ("815 1 623 42 7", false),
  ])
  func wordsOfTheContextAreRefused(_ password: String, _ isRefused: Bool) throws {
    let (common, password) = (CommonPasswords(), try Password(validating: password))
    guard isRefused else { return try common.check(password, names: []) }
    #expect(throws: Problem.self) { try common.check(password, names: []) }
  }

  /// With default settings. The clock does not advance, so every wrong guess counts.
  @Test(arguments: TestDatabase.allCases)
  func guessingIsSlowedDownAndARestartForgivesNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      for attempt in 1...5 {
        let wrong = try await problem { _ = try await host.logIn("ada", "wrong \(attempt)") }
        #expect(wrong?.is(.invalidCredentials) == true, "attempt \(attempt)")
      }
      // Even the correct password is throttled now.
      let early = try await problem { _ = try await host.logIn("ada") }
      #expect(early?.is(.tooManyAttempts) == true)
      #expect(early?.retryAfter == 1)
      host.time.advance(seconds: 1)
      #expect(try await problem { _ = try await host.logIn("ADA", "wrong") }?.is(.invalidCredentials) == true)
      #expect(try await problem { _ = try await host.logIn("ada") }?.retryAfter == 2)
      host.time.advance(seconds: 2)
      _ = try await host.logIn("ada")
      // A successful login resets the counter.
      for _ in 1...4 { #expect(try await problem { _ = try await host.logIn("ada", "no") }?.status == 401) }
      _ = try await host.logIn("ada")
    }
  }

  @Test func theThrottleIsInTheDatabase() async throws {
    try await TemporaryFolder.run { folder in
      for run in 0..<2 {
        try await TestPlatform.auth(settings: ["data": folder]) { host async throws in
          if run == 0 { _ = try await host.signUp("ada") }
          for _ in 0..<3 { _ = try await problem { _ = try await host.logIn("ada", "wrong") } }
        }
      }
      try await TestPlatform.auth(settings: ["data": folder]) { host async throws in
        #expect(try await problem { _ = try await host.logIn("ada") }?.is(.tooManyAttempts) == true)
      }
    }
  }

  @Test func manyGuessesAtOnceDoNotSlipThrough() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      let codes = try await concurrently(0..<50) { number in
        try await problem { _ = try await host.logIn("ada", "wrong \(number)") }?.code ?? "in"
      }.counts
      #expect(codes["invalid-credentials"] == 5)
      #expect(codes["too-many-attempts"] == 45)
    }
  }

  @Test func networksAreLimited() {
    #expect(ClientNetwork.of("2001:db8:1:2::5") == ClientNetwork.of("2001:db8:1:2:ffff::1"))
    #expect(ClientNetwork.of("2001:db8:1:3::5") != ClientNetwork.of("2001:db8:1:2::5"))
    #expect(ClientNetwork.of("192.0.2.7") == "192.0.2.7")
    #expect(ClientNetwork.of("::ffff:192.0.2.7") == "192.0.2.7")
    #expect(ClientNetwork.around("2001:db8:1:2::5") == ClientNetwork.around("2001:db8:1:3::5"))
    #expect(ClientNetwork.around("2001:db8:1:2::5") != ClientNetwork.around("2001:db8:2:2::5"))
    #expect(ClientNetwork.around("192.0.2.7") == "192.0.2")
    #expect(ClientNetwork.around("::ffff:192.0.2.7") == "192.0.2")
    #expect(ClientNetwork.around("unknown") == "unknown")
  }

  @Test func forgottenPasswordsAreSetAnewByMail() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      func forgot(_ address: String) async throws {
        _ = try await host.client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: address)))
      }
      try await forgot("nobody@example.com")
      #expect(try await host.mailedCodes(to: "nobody@example.com").isEmpty)
      try await forgot("ada@example.com")
      try await forgot("ada@example.com")
      let codes = try await host.mailedCodes(to: "ada@example.com").suffix(2)
      let (old, new) = (codes[codes.startIndex], codes[codes.startIndex + 1])
      // The second mail invalidates the first one's code; a code for another purpose is not valid.
      let verification = try await host.mailedCodes(to: "ada@example.com")[0]
      for token in [old, verification, "", "x"] {
        #expect(try await reset(host, token, "a new password")?.is(.mailedTokenInvalid) == true)
      }
      #expect(try await reset(host, new, "password1")?.is(.passwordTooCommon) == true)
      #expect(try await reset(host, new, "a new password") == nil)
      #expect(try await reset(host, new, "another password")?.is(.mailedTokenInvalid) == true)
      #expect(try await problem { _ = try await host.refresh(session.refreshToken) }?.is(.refreshTokenInvalid) == true)
      #expect(try await problem { _ = try await host.logIn("ada") }?.is(.invalidCredentials) == true)
      #expect(try await host.logIn("ada", "a new password").user.isEmailVerified)
    }
  }

  @Test func mailedCodesExpire() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      _ = try await host.client.send(
        AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com"))
      )
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      host.time.advance(seconds: 601)
      #expect(try await reset(host, code, "a new password")?.is(.mailedTokenInvalid) == true)
    }
  }

  /// Keycloak #51220: the token is consumed before its effect, in the same transaction.
  @Test(arguments: TestDatabase.allCases)
  func oneOfFiftyParallelResetsWins(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      _ = try await host.client.send(
        AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com"))
      )
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      let outcomes = try await concurrently(0..<50) { number in
        (number, try await self.reset(host, code, "new password \(number)"))
      }
      let winners = outcomes.filter { $0.1 == nil }
      #expect(winners.count == 1)
      // All others are refused because the code has been used, or must retry later.
      let refusals = Set(outcomes.compactMap { $0.1?.code })
      #expect(refusals.isSubset(of: ["mailed-token-invalid", "too-many-attempts"]), "\(refusals)")
      host.time.advance(seconds: 3600)  // after so many attempts there is a delay
      _ = try await host.logIn("ada", "new password \(winners[0].0)")
    }
  }

  @Test func changingThePasswordEndsTheOtherSessionsAndPendingChanges() async throws {
    try await TestPlatform.auth { host async throws in
      let other = try await host.signUp("ada")
      let own = try await host.logIn("ada")
      let me = host.client.with(accessToken: own.accessToken)
      // An attacker who knows the password requests another address; changing the password invalidates the code.
      _ = try await me.send(
        AuthAPI.ChangeEmail(
          email: EmailAddress(validating: "evil@example.com"), password: "correct horse ada")
      )
      let evil = try #require(try await host.mailedCodes(to: "evil@example.com").last)
      func change(_ current: String?, _ new: String) async throws -> Problem? {
        try await problem {
          _ = try await me.send(
            AuthAPI.ChangePassword(current: current, password: Password(validating: new))
          )
        }
      }
      #expect(try await change("wrong", "a new password")?.is(.invalidCredentials) == true)
      #expect(try await change(nil, "a new password")?.is(.invalidCredentials) == true)
      #expect(try await change("correct horse ada", "a new password") == nil)
      _ = try await host.refresh(own.refreshToken)
      #expect(try await problem { _ = try await host.refresh(other.refreshToken) }?.is(.refreshTokenInvalid) == true)
      let late = try await problem { _ = try await host.client.send(AuthAPI.VerifyEmail(token: evil)) }
      #expect(late?.is(.mailedTokenInvalid) == true)
    }
  }

  @Test func addressesAreProvedAndChanged() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      let me = host.client.with(accessToken: session.accessToken)
      func verify(_ token: String) async throws -> Problem? {
        try await problem { _ = try await me.send(AuthAPI.VerifyEmail(token: token)) }
      }
      #expect(session.user.isEmailVerified == false)
      let first = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await me.send(AuthAPI.ResendVerification())
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      #expect(try await verify(first)?.is(.mailedTokenInvalid) == true)
      #expect(try await verify(code) == nil)
      #expect(try await me.send(AuthAPI.GetMe()).isEmailVerified)

      func change(_ address: String, _ password: String?) async throws -> Problem? {
        try await problem {
          _ = try await me.send(
            AuthAPI.ChangeEmail(email: EmailAddress(validating: address), password: password)
          )
        }
      }
      #expect(try await change("lovelace@example.com", "wrong")?.is(.invalidCredentials) == true)
      #expect(try await change("lovelace@example.com", "correct horse ada") == nil)
      #expect(try await me.send(AuthAPI.GetMe()).email == "ada@example.com")
      let move = try #require(try await host.mailedCodes(to: "lovelace@example.com").last)
      #expect(try await verify(move) == nil)
      #expect(try await me.send(AuthAPI.GetMe()).email == "lovelace@example.com")
      _ = try await host.logIn("lovelace@example.com", "correct horse ada")
      #expect(try await problem { _ = try await host.logIn("ada@example.com", "correct horse ada") }?.status == 401)

      // Another user has taken the requested address.
      #expect(try await change("bob@example.com", "correct horse ada") == nil)
      let bob = try await host.signUp("bob")
      let codes = try await host.mailedCodes(to: "bob@example.com")
      _ = try await host.client.with(accessToken: bob.accessToken).send(AuthAPI.VerifyEmail(token: codes[1]))
      #expect(try await verify(codes[0])?.is(.emailTaken) == true)
    }
  }

  private func hashes(_ metrics: Metrics) throws -> Int {
    let line = try #require(metrics.text().firstMatch(of: /\npassword_hashes_total (\d+)/))
    return try #require(Int(line.1))
  }

  /// The attack: any number of requests that are refused only after their passwords were hashed.
  @Test func whatIsRefusedCostsNoHash() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let guest = try await host.guestSession()
      _ = try await host.client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      let before = try hashes(host.platform.metrics)
      for (session, token) in [(ada, ada.refreshToken), (guest, ada.refreshToken), (guest, "nonsense")] {
        let refused = try await problem {
          _ = try await host.client.with(accessToken: session.accessToken).send(
            AuthAPI.Upgrade(
              refreshToken: token, username: Username(validating: "eve"),
              password: Password(validating: "correct horse eve")))
        }
        #expect(refused?.is(session.session == ada.session ? .notAGuest : .refreshTokenInvalid) == true)
      }
      host.time.advance(seconds: 2 * 86_400)
      let refused = try await problem {
        _ = try await host.client.send(
          AuthAPI.ResetPassword(token: code, password: Password(validating: "another horse entirely")))
      }
      #expect(refused?.is(.mailedTokenInvalid) == true)
      #expect(try hashes(host.platform.metrics) == before)
    }
  }

  /// The time of a response does not reveal whether there is an account.
  @Test func unknownAccountsCostAsMuchAsKnownOnes() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      for login in ["ada", "ada@example.com", "nobody", "nobody@example.com", ""] {
        let before = try hashes(host.platform.metrics)
        let refused = try await problem { _ = try await host.logIn(login, "wrong password") }
        #expect(refused?.is(.invalidCredentials) == true, "\(login)")
        #expect(try hashes(host.platform.metrics) == before + 1, "\(login)")
      }
    }
  }

  @Test(arguments: [
    nil, "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$\(String(repeating: "A", count: 43))",
    LegacyPassword.text(salt: "salt", hash: String(repeating: "ab", count: 64)),
  ])
  func wrongPasswordsCostOneHash(stored: String?) async throws {
    let metrics = Metrics()
    let check = try await PasswordCheck(PasswordHasher(metrics))
    #expect(try hashes(metrics) == 1)  // the decoy's
    #expect(try await check.check("wrong password", against: stored) == .wrong)
    #expect(try hashes(metrics) == 2)
  }
}
