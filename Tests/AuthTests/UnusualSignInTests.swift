import AuthService
import Contracts
import Crypto
import Persistence
import ServiceKit
import TestKit
import Testing

/// Sign-ins from elsewhere: who learns of them, and what "this was not me" does.
@Suite(.serialized)
struct UnusualSignInTests {
  private static let phone = "KeepFit/2.1 (iPhone; iOS 19.1)"
  private static let windows =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"

  @Test(arguments: TestDatabase.allCases)
  func theOwnerLocksOutWhoeverKnowsThePassword(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      let ada = try await host.signUpVerified("ada", home)
      _ = try await home.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      // Neither the sign-up nor the same phone at the same place is worth a mail.
      #expect(try await host.reported(to: "ada@example.com").isEmpty)

      // The attack: someone else knows the password.
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      let thief = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      let mails = try await host.reported(to: "ada@example.com")
      #expect(mails.count == 1)
      let mail = try #require(mails.first)
      #expect(mail.text.contains("Device: Chrome on Windows\nNetwork: 198.51.100.0/24\n"))
      #expect(!mail.text.contains("198.51.100.23"))
      let token = try #require(mail.token)
      let stored = try await host.database.read { db in
        try db.values("SELECT hash FROM sign_in_reports", as: String.self)
          + db.values("SELECT address FROM sign_in_reports", as: String.self)
          + db.values("SELECT lookup FROM known_places", as: String.self)
      }
      #expect(stored.count == 6)
      #expect(stored.filter { $0.contains(token) || $0.contains("@") || $0.contains("198") }.isEmpty)

      // Anyone who has the token locks the account, and gets nothing.
      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      let refused = try await problem { _ = try await host.refresh(thief.refreshToken) }
      #expect(refused?.code == "refresh-token-invalid")
      #expect(try await problem { _ = try await host.refresh(ada.refreshToken) }?.code == "refresh-token-invalid")
      #expect(
        try await problem { _ = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada")) }?
          .code == "invalid-credentials")
      #expect(
        try await problem { _ = try await host.client.send(AuthAPI.DenySignIn(token: token)) }?.code
          == "mailed-token-invalid")
      let live = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL")
      }
      #expect(live == 0)

      // The owner's mailbox has the code for a new password.
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      #expect(code != token)
      let reset = AuthAPI.ResetPassword(token: code, password: try Password(validating: "another horse entirely"))
      _ = try await host.client.send(reset)
      let back = try await home.send(AuthAPI.LogIn(login: "ada", password: "another horse entirely"))
      #expect(back.user.id == ada.user.id)
      let audited = try await AuditTrail(host.database).search(
        AuditFilter(object: "user:\(ada.user.id)", action: "sign-in.denied"), limit: 10, cursor: nil)
      #expect(audited.items.count == 1)
    }
  }

  /// The owner has changed the address since, in a session from before the sign-in. A denial then takes the password from
  /// the thief all the same, and whoever reads the old mailbox does not get the account.
  @Test func aReportToAFormerAddressTakesThePasswordFromTheThief() async throws {
    try await TestPlatform.auth { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      let ada = try await host.signUpVerified("ada", home)
      host.time.advance(seconds: 120)
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      _ = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      let token = try #require(try await host.reported(to: "ada@example.com").first?.token)
      let change = AuthAPI.ChangeEmail(
        email: try EmailAddress(validating: "new@example.com"), password: "correct horse ada")
      _ = try await home.with(accessToken: ada.accessToken).send(change)
      let code = try #require(try await host.mailedCodes(to: "new@example.com").last)
      _ = try await home.with(accessToken: ada.accessToken).send(AuthAPI.VerifyEmail(token: code))
      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      #expect(try await problem { _ = try await host.refresh(ada.refreshToken) }?.code == "refresh-token-invalid")
      #expect(
        try await problem { _ = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada")) }?
          .code == "invalid-credentials")
      let reset = try #require(try await host.mailedCodes(to: "new@example.com").last)
      _ = try await home.send(
        AuthAPI.ResetPassword(token: reset, password: Password(validating: "another horse entirely")))
      let back = try await home.send(AuthAPI.LogIn(login: "ada", password: "another horse entirely"))
      #expect(back.user.email == "new@example.com")
      let mails = try host.mails(deliveredTo: "ada@example.com")
      #expect(mails.filter { $0.head.contains("Set a new password") }.isEmpty)
    }
  }

  @Test(
    "a password reset ends the reports from before, a change of the password does not", arguments: TestDatabase.allCases
  )
  func reportsEndWithTheReset(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      _ = try await host.signUpVerified("ada", home)
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      let thief = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      let token = try #require(try await host.reported(to: "ada@example.com").first?.token)
      _ = try await elsewhere.with(accessToken: thief.accessToken).send(
        AuthAPI.ChangePassword(current: "correct horse ada", password: Password(validating: "the thief's own one")))
      func reports() async throws -> Int {
        try await host.database.read { db in try db.count("SELECT COUNT(*) FROM sign_in_reports") }
      }
      #expect(try await reports() == 1)
      _ = try await home.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await home.send(
        AuthAPI.ResetPassword(token: code, password: Password(validating: "another horse entirely")))
      #expect(try await reports() == 0)
      let back = try await home.send(AuthAPI.LogIn(login: "ada", password: "another horse entirely"))
      let late = try await problem { _ = try await host.client.send(AuthAPI.DenySignIn(token: token)) }
      #expect(late?.code == "mailed-token-invalid")
      _ = try await host.refresh(back.refreshToken)
    }
  }

  /// The attack: sign up with someone else's address, so that the places and reports from then count for its owner.
  @Test(arguments: TestDatabase.allCases)
  func theOwnerOfAnAddressBeginsAnew(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let squatter = host.client(at: "203.0.113.7", with: Self.phone)
      let made = try await squatter.signUp("victim")
      let other = host.client(at: "198.51.100.23", with: Self.windows)
      _ = try await other.send(AuthAPI.LogIn(login: "victim", password: "correct horse victim"))
      #expect(try await host.auth.runOnce("unusual-sign-in") == 1)
      func left() async throws -> [Int] {
        try await host.database.read { db in
          [
            try db.count("SELECT COUNT(*) FROM known_places WHERE user_id = \(made.user.id)"),
            try db.count("SELECT COUNT(*) FROM sign_in_reports WHERE user_id = \(made.user.id)"),
          ]
        }
      }
      #expect(try await left() == [4, 1])
      _ = try await host.client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "victim@example.com")))
      let code = try #require(try await host.mailedCodes(to: "victim@example.com").last)
      _ = try await host.client.send(
        AuthAPI.ResetPassword(token: code, password: Password(validating: "the victim's own")))
      #expect(try await left() == [0, 0])
    }
  }

  @Test func reportsExpireAndDoNotFloodAMailbox() async throws {
    try await TestPlatform.auth { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      _ = try await host.signUpVerified("ada", home)
      for number in 0..<15 {
        let client = host.client(at: "198.51.\(number).1", with: Self.windows)
        _ = try await client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      }
      let mails = try await host.reported(to: "ada@example.com")
      #expect(mails.count == 10)
      let token = try #require(mails.first?.token)
      host.time.advance(seconds: 14 * 86_400 + 1)
      #expect(
        try await problem { _ = try await host.client.send(AuthAPI.DenySignIn(token: token)) }?.code
          == "mailed-token-invalid")
    }
  }

  /// The attack: sign up with someone else's address, and make sign-ins that are mailed to it.
  @Test func reportsCannotBeAimedAtOthers() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.client(at: "203.0.113.7", with: Self.phone).signUp("victim")
      let client = host.client(at: "198.51.100.23", with: Self.windows)
      _ = try await client.send(AuthAPI.LogIn(login: "victim", password: "correct horse victim"))
      #expect(try await host.reported(to: "victim@example.com").isEmpty)
    }
  }

  /// The attack: a sign-in whose device is a sentence, or a link, that the owner reads in our mail.
  @Test(arguments: [
    ("visit evil.example", UnusualSignInTests.windows, "Chrome on Windows"),
    ("http://evil.example/x", "evil.example/1.0", "unknown"),
    ("Pixel 9 Pro", UnusualSignInTests.windows, "Pixel 9 Pro"), ("iPhone17,1", "evil.example/1.0", "iPhone17,1"),
  ])
  func mailsAboutSignInsHaveNoTextOfStrangers(model: String, agent: String, shown: String) async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUpVerified("ada", host.client(at: "203.0.113.7", with: Self.phone))
      let client = host.client(at: "198.51.100.23", with: agent, [("x-device", model)])
      _ = try await client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      let mail = try #require(try await host.reported(to: "ada@example.com").first)
      #expect(mail.text.contains("Device: \(shown)\n"))
      #expect(!mail.text.contains("evil"))
    }
  }

  @Test func otherDevicesGetAPushWithTheToken() async throws {
    let settings = [
      "apns.key": P256.Signing.PrivateKey().pemRepresentation, "apns.keyId": "KEY1234567", "apns.teamId": "TEAM123456",
    ]
    try await TestPlatform.auth(settings: settings) { host async throws in
      let home = host.client(at: "203.0.113.7", with: Self.phone)
      let ada = try await home.signUp("ada")
      let elsewhere = host.client(at: "198.51.100.23", with: Self.windows)
      let thief = try await elsewhere.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      for (session, letter) in [(ada, "a"), (thief, "b")] {
        let device = AuthAPI.PutDevice(
          id: host.ids.make(), apnsToken: try PushToken(validating: String(repeating: letter, count: 64)))
        _ = try await host.client.with(accessToken: session.accessToken).send(device)
      }
      #expect(try await host.auth.runOnce("unusual-sign-in") == 1)
      // To the owner's device, not to that of the new session.
      let pushes = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM jobs WHERE kind = 'push'") }
      #expect(pushes == 1)
    }
  }

  /// Addresses are not stored with sessions, and shown as networks.
  @Test(arguments: [
    ("203.0.113.7", "203.0.113.0/24"), ("::ffff:203.0.113.7", "203.0.113.0/24"),
    ("2001:db8:12:3456::7", "2001:db8:12::/48"),
  ])
  func sessionsShowDeviceAndNetwork(address: String, network: String) async throws {
    try await TestPlatform.auth { host async throws in
      let app = [("x-app-version", "2.1.0"), ("x-device", "iPhone17,1")]
      let home = host.client(at: address, with: Self.phone, app)
      let ada = try await home.signUp("ada", app: .keepfit)
      let list = try await host.client.with(accessToken: ada.accessToken).send(AuthAPI.ListSessions()).items
      let session = try #require(list.first)
      #expect(session.address == network)
      #expect(session.device == Self.phone)
      #expect(session.deviceName == "KeepFit on iPhone")
      #expect(session.appVersion == "2.1.0")
      #expect(session.deviceModel == "iPhone17,1")
      let stored = try await host.database.read { db in try db.values("SELECT address FROM sessions", as: String.self) }
      #expect(stored == [network])
    }
  }
}

extension TestPlatform {
  /// A client of auth whose requests the gateway has received from an address.
  func client(at address: String, with device: String, _ fields: [(String, String)] = []) -> APIClient {
    APIClient(transport: platform.transport(to: AuthAPI.name)) {
      [(name: "x-forwarded-for", value: address), (name: "user-agent", value: device)]
        + fields.map { (name: $0.0, value: $0.1) }
    }
  }

  /// Signs up and proves the address.
  func signUpVerified(_ name: String, _ client: APIClient) async throws -> Authentication {
    let session = try await client.signUp(name)
    let code = try #require(try await mailedCodes(to: "\(name)@example.com").last)
    _ = try await client.with(accessToken: session.accessToken).send(AuthAPI.VerifyEmail(token: code))
    return session
  }

  /// The mails about unusual sign-ins.
  func reported(to address: String) async throws -> [Mail] {
    while try await auth.runOnce("unusual-sign-in") + auth.runOnce("mail") > 0 {}
    return try mails(deliveredTo: address).filter { $0.head.contains("New sign-in to your account") }
  }
}
