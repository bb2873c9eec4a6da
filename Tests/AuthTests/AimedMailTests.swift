import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Mails cannot be aimed at a person (S6).
@Suite(.serialized)
struct AimedMailTests {
  private func change(_ session: Authentication, _ name: String, to address: String, _ client: APIClient) async throws
    -> String?
  {
    try await problem {
      _ = try await client.with(accessToken: session.accessToken).send(
        AuthAPI.ChangeEmail(email: EmailAddress(validating: address), password: "correct horse \(name)"))
    }?.code
  }

  /// Sends what is queued and counts the mails to some addresses.
  private func delivered(_ host: TestPlatform, to addresses: String...) async throws -> Int {
    while try await host.auth.runOnce("password-reset") + host.auth.runOnce("mail") > 0 {}
    return try addresses.map { try host.mails(deliveredTo: $0).count }.reduce(0, +)
  }

  @Test("S6: many accounts in many networks aim at one mailbox", arguments: TestDatabase.allCases)
  func aMailboxGetsFewMails(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      var codes: [String: Int] = [:]
      for number in 0..<12 {
        let client = host.client(at: "203.0.\(number).1")
        let session = try await client.signUp("eve\(number)")
        // `+` makes another address of the same mailbox.
        for address in ["victim@example.com", "victim+\(number)@example.com", "Victim+x@example.com"] {
          codes[try await change(session, "eve\(number)", to: address, client) ?? "sent", default: 0] += 1
        }
      }
      #expect(codes == ["sent": 20, "too-many-attempts": 16])
      let suffixes = (0..<12).map { "victim+\($0)@example.com" }
      var count = try await delivered(host, to: "victim@example.com", "victim+x@example.com")
      for address in suffixes { count += try await delivered(host, to: address) }
      #expect(count == 20)
      let stored = try await host.database.read { db in
        try db.values("SELECT key FROM rate_limit_states", as: String.self)
      }
      #expect(stored.allSatisfy { !$0.contains("victim") })
    }
  }

  @Test("S6: one network cannot use up what an address may get")
  func othersStillReachTheAddress() async throws {
    try await TestPlatform.auth { host async throws in
      let attacker = host.client(at: "203.0.113.9")
      for number in 0..<4 {
        let session = try await attacker.signUp("eve\(number)")
        #expect(try await change(session, "eve\(number)", to: "victim@example.com", attacker) == nil)
      }
      let more = try await attacker.signUp("eve4")
      #expect(try await change(more, "eve4", to: "victim@example.com", attacker) == "too-many-attempts")
      // The victim signs up from somewhere else.
      _ = try await host.client(at: "198.51.100.7").signUp("victim")
      #expect(try await delivered(host, to: "victim@example.com") == 5)
    }
  }

  @Test("one customer's networks of IPv6 do not use up what an address may get")
  func theNetworksOfOneCustomerCountTogether() async throws {
    try await TestPlatform.auth { host async throws in
      var sent = 0
      for number in 0..<10 {
        let client = host.client(at: "2001:db8:1:\(String(number, radix: 16))::9")
        for part in 0..<2 {
          let name = "eve\(number)x\(part)"
          let session = try await client.signUp(name)
          if try await change(session, name, to: "victim@example.com", client) == nil { sent += 1 }
        }
      }
      #expect(sent == 8)
      _ = try await host.client(at: "198.51.100.7").signUp("victim")
      #expect(try await delivered(host, to: "victim@example.com") == 9)
    }
  }

  @Test("S6: signing up again and again with somebody's address")
  func repeatedSignUpsMailLittle() async throws {
    try await TestPlatform.auth { host async throws in
      let attacker = host.client(at: "203.0.113.9")
      for number in 0..<10 {
        let session = try await attacker.signUp(
          email: "victim@example.com", username: "eve\(number)", password: "correct horse eve")
        _ = try await delivered(host)
        _ = try await attacker.with(accessToken: session.accessToken).send(AuthAPI.DeleteMe())
      }
      #expect(try await delivered(host, to: "victim@example.com") == 4)
    }
  }

  @Test("S6: guests do not change an e-mail address")
  func guestsSendNoMail() async throws {
    try await TestPlatform.auth { host async throws in
      let guest = try await host.guestSession()
      let refused = try await problem {
        _ = try await host.client.with(accessToken: guest.accessToken).send(
          AuthAPI.ChangeEmail(email: EmailAddress(validating: "victim@example.com"), password: nil))
      }
      #expect(refused?.is(.fullAccountRequired) == true)
      #expect(try await host.database.read { db in try db.count("SELECT COUNT(*) FROM mailed_tokens") } == 0)
      #expect(try await delivered(host, to: "victim@example.com") == 0)
    }
  }

  @Test("S6: notices go to verified addresses only")
  func noticesAreNotAimed() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("victim")
      let me = host.client.with(accessToken: session.accessToken)
      var password = "correct horse victim"
      for number in 0..<5 {
        let next = "another password \(number)"
        _ = try await me.send(AuthAPI.ChangePassword(current: password, password: Password(validating: next)))
        password = next
      }
      _ = try await me.send(
        AuthAPI.ChangeEmail(email: EmailAddress(validating: "eve@example.com"), password: password))
      #expect(try await delivered(host, to: "victim@example.com") == 1)
    }
  }

  @Test("new recovery codes again and again do not flood somebody's mailbox", arguments: TestDatabase.allCases)
  func noticesOfFactorsAreNotAimed(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      func renewOften(_ name: String) async throws -> Int {
        let session = try await host.client.setUpAuthenticatorApp(
          try await host.logIn(name), at: host.time.source.now()
        ).session
        let before = try await delivered(host, to: "\(name)@example.com")
        for _ in 0..<12 { _ = try await host.client(session).send(AuthAPI.RenewRecoveryCodes()) }
        return try await delivered(host, to: "\(name)@example.com") - before
      }
      _ = try await host.signUp("victim")
      #expect(try await renewOften("victim") == 0)
      // The owner of an address learns of it, but not twelve times, and still of something else.
      _ = try await host.signUp("ada")
      try await host.proveAddress(of: "ada")
      #expect(try await renewOften("ada") == 5)
      try await host.auth.resetFactors(of: "ada")
      _ = try await delivered(host)
      let mails = try host.mails(deliveredTo: "ada@example.com")
      #expect(mails.contains { $0.text.contains("removed the second factors") })
    }
  }

  @Test("S6: a platform sends at most so many mails an hour")
  func theTotalIsLimited() async throws {
    try await TestPlatform.auth(settings: ["auth.mailsPerHour": "5"]) { host async throws in
      var last: Authentication?
      for number in 0..<8 { last = try await host.client(at: "203.0.\(number).1").signUp("user\(number)") }
      _ = try await delivered(host)
      #expect(try host.mails().count == 5)
      let me = host.client.with(accessToken: try #require(last).accessToken)
      let refused = try await problem { _ = try await me.send(AuthAPI.ResendVerification()) }
      #expect(refused?.is(.tooManyAttempts) == true)
      #expect(refused?.retryAfter == 720)
      host.time.advance(seconds: 720)
      _ = try await me.send(AuthAPI.ResendVerification())
      #expect(try await delivered(host, to: "user7@example.com") == 1)
    }
  }

  @Test(arguments: [
    ("ada@example.com", "ada@example.com"), ("Ada+shop+x@Example.com", "ada@example.com"),
    ("a.d.a+x@googlemail.com", "ada@gmail.com"), ("a.d.a@example.com", "a.d.a@example.com"),
  ])
  func addressesOfOneMailbox(address: String, mailbox: String) throws {
    #expect(MailLimits.mailbox(try EmailAddress(validating: address)) == mailbox)
  }
}
