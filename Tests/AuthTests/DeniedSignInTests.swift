import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// Factors that someone else has added to an account are removed when its owner says that the sign-in was not theirs.
@Suite(.serialized)
struct DeniedSignInTests {
  private static let phone = "KeepFit/2.1 (iPhone; iOS 19.1)"
  private static let windows =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"

  private struct Break: Sendable {
    let home: APIClient
    let ada: Authentication
    let elsewhere: APIClient
    let thief: Authentication
    /// From the mail about the thief's sign-in.
    let token: String
  }

  /// Someone knows Ada's password, and signs in ten minutes after her.
  private static func breakIn(_ host: TestPlatform) async throws -> Break {
    let home = host.client(at: "203.0.113.7", with: phone)
    let ada = try await host.signUpVerified("ada", home)
    host.time.advance(seconds: 600)
    let elsewhere = host.client(at: "198.51.100.23", with: windows)
    let thief = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
    let token = try #require(try await host.reported(to: "ada@example.com").first?.token)
    return Break(home: home, ada: ada, elsewhere: elsewhere, thief: thief, token: token)
  }

  private static func reset(_ host: TestPlatform) async throws {
    let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
    _ = try await host.client.send(
      AuthAPI.ResetPassword(token: code, password: Password(validating: "another horse entirely")))
  }

  /// Mails to Ada about sign-in methods that were removed.
  private static func removalMails(_ host: TestPlatform) async throws -> Int {
    while try await host.auth.runOnce("mail") > 0 {}
    return try host.mails(deliveredTo: "ada@example.com").count {
      $0.text.contains("after an unusual sign-in were removed")
    }
  }

  private static func stored(_ host: TestPlatform) async throws -> [Int] {
    try await host.database.read { db in
      try [
        db.count("SELECT COUNT(*) FROM passkeys"), db.count("SELECT COUNT(*) FROM totp_secrets"),
        db.count("SELECT COUNT(*) FROM recovery_codes"), db.count("SELECT COUNT(*) FROM known_places"),
      ]
    }
  }

  @Test("a thief's passkey does not survive the denial of the sign-in", arguments: TestDatabase.allCases)
  func aThiefsPasskeyGoes(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: Authenticator.settings, database: database) { host async throws in
      let broken = try await Self.breakIn(host)
      let device = Authenticator("thief", host)
      try await device.register(host.client(broken.thief))
      #expect(try await Self.stored(host) == [1, 0, 10, 4])
      // A later sign-in, from another place, does not hide the first one.
      host.time.advance(seconds: 60)
      _ = try await device.logIn(host)

      _ = try await host.client.send(AuthAPI.DenySignIn(token: broken.token))
      #expect(try await Self.stored(host) == [0, 0, 0, 2])
      #expect(try await host.audited("credentials.removed") == 1)
      #expect(try await Self.removalMails(host) == 1)
      #expect(try await problem { _ = try await device.logIn(host) }?.is(.passkeyRefused) == true)
      try await Self.reset(host)
      // The owner is not asked for a factor that the thief has.
      let back = try await broken.home.send(AuthAPI.LogIn(login: "ada", password: "another horse entirely"))
      #expect(back.user.id == broken.ada.user.id)
    }
  }

  @Test("a reset of the password alone removes the thief's factor as well")
  func resetsRemoveTheFactorsToo() async throws {
    try await TestPlatform.auth { host async throws in
      let broken = try await Self.breakIn(host)
      _ = try await host.client.setUpAuthenticatorApp(broken.thief, at: host.time.source.now())
      #expect(try await Self.stored(host) == [0, 1, 10, 4])
      _ = try await broken.home.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      try await Self.reset(host)
      #expect(try await Self.stored(host) == [0, 0, 0, 2])
      #expect(try await Self.removalMails(host) == 1)
      let back = try await broken.home.send(AuthAPI.LogIn(login: "ada", password: "another horse entirely"))
      #expect(back.user.id == broken.ada.user.id)
    }
  }

  @Test("a reset keeps what was added after a sign-in that had proved the owner's factor")
  func resetsKeepWhatTheOwnerHasAdded() async throws {
    try await TestPlatform.auth(settings: Authenticator.settings) { host async throws in
      let ada = try await host.signUpVerified("ada", host.client(at: "203.0.113.7", with: Self.phone))
      let (_, app) = try await host.client.setUpAuthenticatorApp(ada, at: host.time.source.now())
      host.time.advance(seconds: 600)
      let laptop = host.client(at: "198.51.100.23", with: Self.windows)
      let interrupted = try await problem {
        _ = try await laptop.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      }
      let ticket = try #require(interrupted?.secondFactor).ticket
      let session = try await laptop.send(
        AuthAPI.CompleteLogIn(ticket: ticket, totp: app.code(at: host.time.source.now())))
      #expect(try await host.reported(to: "ada@example.com").count == 1)
      try await Authenticator("laptop", host).register(host.client(session))

      _ = try await laptop.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      try await Self.reset(host)
      #expect(try await Self.stored(host).prefix(3) == [1, 1, 10])
      #expect(try await Self.removalMails(host) == 0)
    }
  }

  @Test("a reset ends the reports that were pushed only", arguments: TestDatabase.allCases)
  func resetsEndPushedReports(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      let ada = try await home.signUp("ada")
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      _ = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      // The address is not proved yet, so that it gets no mail.
      #expect(try await host.reported(to: "ada@example.com").isEmpty)
      _ = try await home.with(accessToken: ada.accessToken).send(AuthAPI.VerifyEmail(token: code))
      func reports() async throws -> Int {
        try await host.database.read { db in try db.count("SELECT COUNT(*) FROM sign_in_reports") }
      }
      #expect(try await reports() == 1)
      _ = try await home.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      try await Self.reset(host)
      #expect(try await reports() == 0)
    }
  }

  @Test("what a thief adds by an instance whose clock is slow goes as well", arguments: TestDatabase.allCases)
  func clocksMayDiffer(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let broken = try await Self.breakIn(host)
      let (session, _) = try await host.client.setUpAuthenticatorApp(broken.thief, at: host.time.source.now())
      let thief = host.client(session)
      _ = try await thief.send(
        AuthAPI.ChangeEmail(email: EmailAddress(validating: "thief@example.com"), password: "correct horse ada"))
      let code = try #require(try await host.mailedCodes(to: "thief@example.com").last)
      _ = try await thief.send(AuthAPI.VerifyEmail(token: code))
      // As another instance would have stored it, half a minute late.
      try await host.database.write { tx in
        try tx.execute("UPDATE totp_secrets SET created_at = created_at - 30000000")
        try tx.execute("UPDATE recovery_codes SET created_at = created_at - 30000000")
        try tx.execute(
          "UPDATE former_addresses SET changed_at = changed_at - 30000000, factor_at = factor_at - 30000000")
      }
      _ = try await host.client.send(AuthAPI.DenySignIn(token: broken.token))
      #expect(try await Self.stored(host) == [0, 0, 0, 2])
      #expect(try await host.audited("email.restored") == 1)
    }
  }

  @Test("factors that the owner had before stay")
  func earlierFactorsStay() async throws {
    try await TestPlatform.auth { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      let ada = try await host.signUpVerified("ada", home)
      let (_, app) = try await host.client.setUpAuthenticatorApp(ada, at: host.time.source.now())
      host.time.advance(seconds: 600)
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      let interrupted = try await problem {
        _ = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      }
      let ticket = try #require(interrupted?.secondFactor).ticket
      _ = try await elsewhere.send(AuthAPI.CompleteLogIn(ticket: ticket, totp: app.code(at: host.time.source.now())))
      let token = try #require(try await host.reported(to: "ada@example.com").first?.token)
      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      #expect(try await Self.stored(host) == [0, 1, 10, 2])
      #expect(try await host.audited("credentials.removed") == 0)
    }
  }

  @Test("a thief who changes the address does not keep the account", arguments: TestDatabase.allCases)
  func theAddressComesBack(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let broken = try await Self.breakIn(host)
      let thief = host.client(broken.thief)
      _ = try await thief.send(
        AuthAPI.ChangeEmail(email: EmailAddress(validating: "thief@example.com"), password: "correct horse ada"))
      let code = try #require(try await host.mailedCodes(to: "thief@example.com").last)
      _ = try await thief.send(AuthAPI.VerifyEmail(token: code))
      let former = try await host.database.read { db in
        try db.values("SELECT address FROM former_addresses", as: String.self)
      }
      #expect(former.count == 1)
      #expect(!former.joined().contains("@"))

      _ = try await host.client.send(AuthAPI.DenySignIn(token: broken.token))
      #expect(try await host.audited("email.restored") == 1)
      #expect(
        try await problem {
          _ = try await broken.elsewhere.send(
            AuthAPI.LogIn(login: "thief@example.com", password: "correct horse ada"))
        }?.is(.invalidCredentials) == true)
      try await Self.reset(host)
      let back = try await broken.home.send(
        AuthAPI.LogIn(login: "ada@example.com", password: "another horse entirely"))
      #expect(back.user.id == broken.ada.user.id)
      #expect(back.user.email == "ada@example.com")
      let toThief = try host.mails(deliveredTo: "thief@example.com")
      #expect(toThief.filter { $0.head.contains("Set a new password") }.isEmpty)
    }
  }
}
