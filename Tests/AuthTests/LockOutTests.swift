import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Attackers cannot keep people out of their accounts (S5).
@Suite(.serialized)
struct LockOutTests {
  private func guess(_ client: APIClient, _ login: String, _ password: String = "wrong") async throws -> String? {
    try await problem { _ = try await client.logIn(login, password) }?.code
  }

  @Test("S5: fifteen wrong passwords from another network", arguments: TestDatabase.allCases)
  func theOwnerSignsInWhileOthersGuess(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      for login in ["ada", "ada@example.com"] {
        let attacker = host.client(at: login == "ada" ? "203.0.113.9" : "2001:db8:1:2::9")
        var codes: [String?] = []
        for number in 0..<15 { codes.append(try await guess(attacker, login, "wrong \(number)")) }
        #expect(codes.prefix(5).allSatisfy { $0 == "invalid-credentials" })
        #expect(codes.dropFirst(5).allSatisfy { $0 == "too-many-attempts" })
        #expect(try await guess(host.client(at: "198.51.100.7"), login, "correct horse ada") == nil)
      }
      // An attacker's other addresses in the same network count with it.
      #expect(try await guess(host.client(at: "2001:db8:1:2::77"), "ada@example.com") == "too-many-attempts")
      // The owner's success does not give the attacker new guesses.
      #expect(try await guess(host.client(at: "203.0.113.9"), "ada") == "too-many-attempts")
    }
  }

  @Test("S5: a known device signs in while many networks guess", arguments: TestDatabase.allCases)
  func knownDevicesDoNotWait(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let own = try await host.signUp("ada")
      let other = try await host.signUp("bob")
      let secret = try #require(own.deviceSecret)
      for network in 0..<20 {
        for number in 0..<5 {
          let code = try await guess(host.client(at: "203.0.\(network).1"), "ada", "wrong \(number)")
          #expect(code == "invalid-credentials")
        }
      }
      let elsewhere = host.client(at: "198.51.100.7")
      #expect(try await guess(elsewhere, "ada", "correct horse ada") == "too-many-attempts")
      // The secret of a device of somebody else's is worth nothing here.
      for foreign in [other.deviceSecret, "x", "", secret + "x"] {
        let refused = try await problem {
          _ = try await elsewhere.logIn("ada", "correct horse ada", deviceSecret: foreign)
        }
        #expect(refused?.is(.tooManyAttempts) == true)
      }
      let back = try await elsewhere.logIn("ada", "correct horse ada", deviceSecret: secret)
      #expect(back.user.id == own.user.id)
      #expect(back.deviceSecret == secret)
      // Whoever has stolen the device guesses no better than others.
      for number in 0..<6 {
        let refused = try await problem { _ = try await elsewhere.logIn("ada", "no \(number)", deviceSecret: secret) }
        #expect(refused?.code == (number < 5 ? "invalid-credentials" : "too-many-attempts"))
      }
      // Only hashes are stored.
      let stored = try await host.database.read { db in
        try db.values("SELECT hash FROM known_devices WHERE user_id = \(own.user.id)", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(!stored.contains(secret))
    }
  }

  @Test("one customer's networks of IPv6 do not use up the guesses of a login", arguments: TestDatabase.allCases)
  func theNetworksOfOneCustomerCountTogether(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      var codes: [String: Int] = [:]
      for network in 0..<20 {
        let attacker = host.client(at: "2001:db8:1:\(String(network, radix: 16))::9")
        for number in 0..<5 { codes[try await guess(attacker, "ada", "wrong \(number)") ?? "in", default: 0] += 1 }
      }
      #expect(codes == ["invalid-credentials": 20, "too-many-attempts": 80])
      #expect(try await guess(host.client(at: "198.51.100.7"), "ada", "correct horse ada") == nil)
      #expect(try await guess(host.client(at: "2001:db8:2:1::7"), "ada", "correct horse ada") == nil)
    }
  }

  @Test("whoever has stolen the secret of a device does not make it wait", arguments: TestDatabase.allCases)
  func thievesOfADeviceSecretDoNotLockTheDeviceOut(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let secret = try #require(try await host.signUp("ada").deviceSecret)
      func code(_ address: String, _ password: String) async throws -> String? {
        try await problem {
          _ = try await host.client(at: address).logIn("ada", password, deviceSecret: secret)
        }?.code
      }
      // Five guesses on the device's count, five on that of the network.
      for number in 0..<15 {
        let refused = try await code("203.0.113.9", "wrong \(number)")
        #expect(refused == (number < 10 ? "invalid-credentials" : "too-many-attempts"))
      }
      #expect(try await code("198.51.100.7", "correct horse ada") == nil)
      // That gives the thief no new guesses.
      #expect(try await code("203.0.113.9", "wrong") == "too-many-attempts")
    }
  }

  @Test func anAccountHasAtMostTwentyKnownDevices() async throws {
    try await TestPlatform.auth { host async throws in
      let first = try await host.signUp("ada")
      for _ in 0..<20 {
        host.time.advance(seconds: 1)
        _ = try await host.logIn("ada")
      }
      let count = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM known_devices") }
      #expect(count == 20)
      let again = try await host.client.logIn("ada", "correct horse ada", deviceSecret: first.deviceSecret)
      #expect(try #require(again.deviceSecret) != #require(first.deviceSecret))
      host.time.advance(seconds: 366 * 86_400)
      try await host.auth.runOnce("auth.purge")
      #expect(try await host.database.read { db in try db.count("SELECT COUNT(*) FROM known_devices") } == 0)
    }
  }

  @Test("S5: a thief of a session cannot stop the owner from changing the password")
  func passwordChangesAreCountedBySession() async throws {
    try await TestPlatform.auth { host async throws in
      let stolen = try await host.signUp("ada")
      let own = try await host.logIn("ada")
      func change(_ session: Authentication, _ current: String, at address: String) async throws -> String? {
        try await problem {
          _ = try await host.client(at: address).with(accessToken: session.accessToken).send(
            AuthAPI.ChangePassword(current: current, password: Password(validating: "a new password")))
        }?.code
      }
      for number in 0..<15 {
        let code = try await change(stolen, "wrong", at: "203.0.113.9")
        #expect(code == (number < 5 ? "invalid-credentials" : "too-many-attempts"))
      }
      #expect(try await change(own, "correct horse ada", at: "198.51.100.7") == nil)
    }
  }

  @Test("S5: forgotten passwords always answer 202, and the owner gets a mail", arguments: TestDatabase.allCases)
  func forgottenPasswordsAreNotBlocked(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      _ = try await host.mailedCodes(to: "ada@example.com")
      func forgot(_ address: String, at network: String) async throws {
        let forgot = AuthAPI.ForgotPassword(email: try EmailAddress(validating: address))
        let (_, response) = try await host.client(at: network).sendForResponse(forgot)
        #expect(response.status == 202)
        #expect(response.body == [])
      }
      for number in 0..<100 {
        try await forgot(number.isMultiple(of: 2) ? "ada@example.com" : "nobody@example.com", at: "203.0.113.9")
      }
      let mailed = try await host.mailedCodes(to: "ada@example.com").count
      #expect(mailed == 1 + 4)
      #expect(try await host.mailedCodes(to: "nobody@example.com") == [])
      try await forgot("ada@example.com", at: "198.51.100.7")
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      #expect(try await host.mailedCodes(to: "ada@example.com").count == mailed + 1)
      _ = try await host.client(at: "198.51.100.7").send(
        AuthAPI.ResetPassword(token: code, password: Password(validating: "a new password")))
      _ = try await host.client(at: "198.51.100.7").logIn("ada", "a new password")
    }
  }

  @Test("S5: a reset forgets what others have guessed")
  func aResetLetsTheOwnerIn() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      for network in 0..<20 {
        for number in 0..<5 { _ = try await guess(host.client(at: "203.0.\(network).1"), "ada", "wrong \(number)") }
      }
      let owner = host.client(at: "198.51.100.7")
      #expect(try await guess(owner, "ada", "correct horse ada") == "too-many-attempts")
      _ = try await owner.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "ada@example.com")))
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await owner.send(AuthAPI.ResetPassword(token: code, password: Password(validating: "a new password")))
      #expect(try await guess(owner, "ada", "a new password") == nil)
    }
  }
}
