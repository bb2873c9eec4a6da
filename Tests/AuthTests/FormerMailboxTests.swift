import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// Readers of a mailbox that an account no longer has: a denial must neither give them the account nor leave it to a
/// thief.
@Suite(.serialized)
struct FormerMailboxTests {
  private static let old = "ada@example.com"
  private static let new = "new@example.com"
  private static let password = "correct horse ada"

  private static func phone(_ host: TestPlatform) -> APIClient {
    host.client(at: "203.0.113.7", with: "KeepFit/2.1 (iPhone; iOS 19.1)")
  }

  /// Another device at another place each time.
  private static func client(_ number: Int, _ host: TestPlatform) -> APIClient {
    host.client(at: "198.51.\(number).23", with: "Place\(number)/1.0")
  }

  private static func change(to address: String, _ client: APIClient, _ host: TestPlatform) async throws {
    _ = try await client.send(AuthAPI.ChangeEmail(email: EmailAddress(validating: address), password: password))
    let code = try #require(try await host.mailedCodes(to: address).last)
    _ = try await client.send(AuthAPI.VerifyEmail(token: code))
  }

  private static func lastReport(_ host: TestPlatform, to address: String) async throws -> String {
    try #require(try await host.reported(to: address).last?.token)
  }

  /// Sets a password by the last code in a mailbox, and signs in.
  private static func reset(_ address: String, _ host: TestPlatform) async throws -> Authentication {
    let code = try #require(try await host.mailedCodes(to: address).last)
    _ = try await host.client.send(
      AuthAPI.ResetPassword(token: code, password: Password(validating: "another horse entirely")))
    return try await phone(host).send(AuthAPI.LogIn(login: address, password: "another horse entirely"))
  }

  private static func resets(_ host: TestPlatform, to address: String) async throws -> Int {
    while try await host.auth.runOnce("mail") > 0 {}
    return try host.mails(deliveredTo: address).count { $0.head.contains("Set a new password") }
  }

  @Test("a denial does not give the account to the mailbox that its owner has left", arguments: TestDatabase.allCases)
  func reportsSpeakForTheirMailbox(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUpVerified("ada", Self.phone(host))
      host.time.advance(seconds: 600)
      // The owner's new phone, on which the owner changes the address.
      let phone = Self.client(1, host)
      let session = try await phone.send(AuthAPI.LogIn(login: "ada", password: Self.password))
      let first = try await Self.lastReport(host, to: Self.old)
      try await Self.change(to: Self.new, phone.with(accessToken: session.accessToken), host)
      host.time.advance(seconds: 600)
      _ = try await Self.client(2, host).send(AuthAPI.LogIn(login: "ada", password: Self.password))
      let second = try await Self.lastReport(host, to: Self.new)

      _ = try await host.client.send(AuthAPI.DenySignIn(token: second))
      let back = try await Self.reset(Self.new, host)
      #expect(back.user.id == ada.user.id)
      #expect(back.user.email == Self.new)

      // Nor does what the former mailbox got before.
      host.time.advance(seconds: 3 * 86_400)
      _ = try await host.client.send(AuthAPI.DenySignIn(token: first))
      #expect(try await host.audited("email.restored") == 0)
      #expect(try await Self.resets(host, to: Self.old) == 0)
    }
  }

  @Test("a change of the address in a session that has proved the owner's factor stays")
  func provedChangesStay() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUpVerified("ada", Self.phone(host))
      let (_, app) = try await host.client.setUpAuthenticatorApp(ada, at: host.time.source.now())
      host.time.advance(seconds: 600)
      let session = try await Self.logIn(Self.client(1, host), app, host)
      let token = try await Self.lastReport(host, to: Self.old)
      try await Self.change(to: Self.new, host.client(session), host)
      // Whoever reads the former mailbox has the token.
      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      #expect(try await host.audited("email.restored") == 0)
      #expect(try await Self.resets(host, to: Self.old) == 0)
    }
  }

  @Test("a factor that the thief has set up does not make the address theirs")
  func theThiefsFactorProvesNothing() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUpVerified("ada", Self.phone(host))
      host.time.advance(seconds: 600)
      let thief = try await Self.client(1, host).send(AuthAPI.LogIn(login: "ada", password: Self.password))
      let token = try await Self.lastReport(host, to: Self.old)
      let (_, app) = try await host.client.setUpAuthenticatorApp(thief, at: host.time.source.now())
      host.time.advance(seconds: 600)
      let again = try await Self.logIn(Self.client(2, host), app, host)
      try await Self.change(to: "thief@example.com", host.client(again), host)
      #expect(try await host.reported(to: "thief@example.com").count == 1)

      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      let back = try await Self.reset(Self.old, host)
      #expect(back.user.id == ada.user.id)
      // The codes in the thief's mailbox are worth nothing.
      let open = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM sign_in_reports") }
      #expect(open == 0)
    }
  }

  private static func logIn(_ client: APIClient, _ app: AuthenticatorApp, _ host: TestPlatform) async throws
    -> Authentication
  {
    let interrupted = try await problem { _ = try await client.send(AuthAPI.LogIn(login: "ada", password: password)) }
    let ticket = try #require(interrupted?.secondFactor).ticket
    return try await client.send(AuthAPI.CompleteLogIn(ticket: ticket, totp: app.code(at: host.time.source.now())))
  }
}
