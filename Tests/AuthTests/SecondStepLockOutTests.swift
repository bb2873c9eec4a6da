import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// A thief of the password cannot keep the owner from the second step.
@Suite(.serialized)
struct SecondStepLockOutTests {
  private static let wrong = OneTimeCode(checked: "000000")

  /// A user with an authenticator app, at a moment at which 000000 is not its code.
  private func protected(_ host: TestPlatform) async throws -> (Authentication, AuthenticatorApp) {
    let made = try await host.client.setUpAuthenticatorApp(try await host.signUp("ada"), at: host.time.source.now())
    host.time.advance(seconds: 30)
    let steps = [-30.0, 0, 30].map { made.app.code(at: host.time.source.now().advanced(bySeconds: $0)) }
    try #require(!steps.contains(Self.wrong))
    return (made.session, made.app)
  }

  private func ticket(_ client: APIClient, deviceSecret: String? = nil) async throws -> String {
    let interrupted = try await problem {
      _ = try await client.logIn("ada", "correct horse ada", deviceSecret: deviceSecret)
    }
    return try #require(interrupted?.secondFactor).ticket
  }

  private func code(_ client: APIClient, _ request: AuthAPI.CompleteLogIn) async throws -> String? {
    try await problem { _ = try await client.send(request) }?.code
  }

  /// Wrong codes with the right password, until the network has to wait.
  private func attack(_ host: TestPlatform, from address: String) async throws {
    let client = host.client(at: address)
    let stolen = try await ticket(client)
    for _ in 0..<5 {
      #expect(try await code(client, .init(ticket: stolen, totp: Self.wrong)) == "factor-wrong")
    }
    let next = try await ticket(client)
    #expect(try await code(client, .init(ticket: next, totp: Self.wrong)) == "too-many-attempts")
  }

  @Test("the owner makes the second step while someone with the password guesses", arguments: TestDatabase.allCases)
  func theOwnerMakesTheSecondStepWhileOthersGuess(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (session, app) = try await protected(host)
      try await attack(host, from: "203.0.113.9")
      let owner = host.client(at: "198.51.100.7")
      let mine = try await ticket(owner)
      #expect(try await code(owner, .init(ticket: mine, totp: app.code(at: host.time.source.now()))) == nil)
      // The owner's success does not give the attacker new guesses.
      let attacker = host.client(at: "203.0.113.9")
      let again = try await ticket(attacker)
      #expect(try await code(attacker, .init(ticket: again, totp: Self.wrong)) == "too-many-attempts")
      // Neither does the attacker keep a session from proving itself.
      host.time.advance(seconds: 30)
      let proof = AuthAPI.Prove(totp: app.code(at: host.time.source.now()))
      _ = try await owner.with(accessToken: session.accessToken).send(proof)
    }
  }

  @Test("a known device and a recovery code work while many networks guess", arguments: TestDatabase.allCases)
  func knownDevicesMakeTheSecondStepWhileManyNetworksGuess(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let first = try await host.signUp("ada")
      let secret = try #require(first.deviceSecret)
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      host.time.advance(seconds: 30)
      for network in 0..<20 {
        let client = host.client(at: "203.0.\(network).1")
        let stolen = try await ticket(client)
        for _ in 0..<5 { _ = try await code(client, .init(ticket: stolen, totp: Self.wrong)) }
      }
      let owner = host.client(at: "198.51.100.7")
      let right = app.code(at: host.time.source.now())
      let unknown = try await ticket(owner)
      #expect(try await code(owner, .init(ticket: unknown, totp: right)) == "too-many-attempts")
      let recovery = try RecoveryCode(validating: app.recoveryCodes[0])
      #expect(try await code(owner, .init(ticket: unknown, recoveryCode: recovery)) == nil)
      // The secret may come with the password or with the code.
      let known = try await ticket(owner, deviceSecret: secret)
      #expect(try await code(owner, .init(ticket: known, totp: right)) == nil)
      host.time.advance(seconds: 30)
      let later = try await ticket(owner)
      let next = app.code(at: host.time.source.now())
      #expect(try await code(owner, .init(ticket: later, totp: next, deviceSecret: secret)) == nil)
      // The ticket has only the hash of the secret.
      _ = try await ticket(owner, deviceSecret: secret)
      let stored = try await host.database.read { db in
        try db.values("SELECT device FROM factor_tickets WHERE device IS NOT NULL", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(!stored.contains(secret))
    }
  }

  @Test("a neighbour's failures do not keep others of the network from codes, passkeys and resets")
  func neighborsDoNotBlockWhatNoOneCanGuess() async throws {
    try await TestPlatform.auth(settings: Authenticator.settings) { host async throws in
      let home = "203.0.113.9"
      let first = try await host.signUp("ada")
      try await host.proveAddress(of: "ada")
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      let phone = Authenticator("phone", host)
      try await phone.register(host.client(first))
      host.time.advance(seconds: 30)
      let owner = host.client(at: home)
      let mine = try await ticket(owner, deviceSecret: first.deviceSecret)
      _ = try await owner.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      let mailed = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      for number in 0..<50 { _ = try await problem { _ = try await owner.logIn("nobody\(number)", "wrong") } }
      let stranger = try await problem { _ = try await owner.logIn("nobody", "wrong") }
      #expect(stranger?.is(.tooManyAttempts) == true)

      #expect(try await code(owner, .init(ticket: mine, totp: app.code(at: host.time.source.now()))) == nil)
      let options = try await owner.send(AuthAPI.LogInPasskeyOptions())
      let assertion = try await phone.get(options)
      _ = try await owner.send(AuthAPI.LogInWithPasskey(credential: assertion))
      let password = try Password(validating: "correct horse ada two")
      let wrong = try await problem { _ = try await owner.send(AuthAPI.ResetPassword(token: "x", password: password)) }
      #expect(wrong?.is(.mailedTokenInvalid) == true)
      _ = try await owner.send(AuthAPI.ResetPassword(token: mailed, password: password))
    }
  }

  @Test("a reset of the password forgets what others have guessed at the second step")
  func aResetForgetsWrongCodes() async throws {
    try await TestPlatform.auth { host async throws in
      let (_, app) = try await protected(host)
      let first = try #require(try await host.mailedCodes(to: "ada@example.com").first)
      _ = try await host.client.send(AuthAPI.VerifyEmail(token: first, password: "correct horse ada"))
      for network in 0..<20 {
        let client = host.client(at: "203.0.\(network).1")
        let stolen = try await ticket(client)
        for _ in 0..<5 { _ = try await code(client, .init(ticket: stolen, totp: Self.wrong)) }
      }
      let owner = host.client(at: "198.51.100.7")
      _ = try await owner.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      let mailed = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await owner.send(
        AuthAPI.ResetPassword(token: mailed, password: Password(validating: "correct horse ada two")))
      let interrupted = try await problem { _ = try await owner.logIn("ada", "correct horse ada two") }
      let mine = try #require(interrupted?.secondFactor).ticket
      #expect(try await code(owner, .init(ticket: mine, totp: app.code(at: host.time.source.now()))) == nil)
    }
  }
}
