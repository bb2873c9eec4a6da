import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Attacks by minors without their guardians, and by others with mails to guardians.
@Suite(.serialized)
struct GuardianAttackTests {
  /// A session of a user who is 13.
  private func minor(_ host: TestPlatform, _ name: String = "max", at address: String? = nil) async throws -> APIClient
  {
    let client = address.map { host.client(at: $0) } ?? host.client
    let session = try await client.signUp(name)
    let me = client.with(accessToken: session.accessToken)
    var patch = ProfilePatch()
    patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
    _ = try await me.send(AuthAPI.UpdateMe(details: patch))
    return me
  }

  private func ask(_ me: APIClient, _ email: String) async throws -> String? {
    try await problem { _ = try await me.send(AuthAPI.AskGuardian(email: EmailAddress(validating: email))) }?.code
  }

  /// The token of the last mail to a guardian.
  private func token(_ email: String, _ host: TestPlatform) async throws -> GuardianToken {
    let link = try #require(try await host.mailedCodes(to: email).last)
    return try GuardianToken(validating: String(try #require(link.split(separator: "=").last)))
  }

  @Test(
    "a guardian's no is not overridden by asking somebody else",
    arguments: TestDatabase.allCases, [GuardianDecision.refuse, .withdraw])
  func aNoStays(_ database: TestDatabase, _ decision: GuardianDecision) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = try await minor(host)
      #expect(try await ask(me, "parent@example.com") == nil)
      let parent = try await token("parent@example.com", host)
      if decision == .withdraw {
        _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: parent, decision: .consent))
      }
      _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: parent, decision: decision))
      let again = host.client(try await host.logIn("max"))
      #expect(try await ask(again, "my.other.address@example.com") == "guardian-refused")
      #expect(try await host.mailedCodes(to: "my.other.address@example.com") == [])
      // The same guardian may be asked again, and others still may not.
      #expect(try await ask(again, "parent+kids@example.com") == nil)
      #expect(try await ask(again, "my.other.address@example.com") == "guardian-refused")
      #expect(try await again.send(AuthAPI.GetGuardianStatus()).state == .asked)
      // Support knows that the other parent decides.
      try await host.auth.resetGuardian(of: "max")
      #expect(try await host.audited("guardian.reset") == 1)
      let late = try await problem {
        _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: parent, decision: .consent))
      }
      #expect(late?.is(.mailedTokenInvalid) == true)
      host.time.advance(seconds: 5400)
      let last = host.client(try await host.logIn("max"))
      #expect(try await ask(last, "father@example.com") == nil)
      await #expect(throws: Problem.self) { try await host.auth.resetGuardian(of: "nobody") }
    }
  }

  @Test("a guardian who has consented by two links withdraws by one", arguments: TestDatabase.allCases)
  func oneWithdrawalEndsAllConsents(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = try await minor(host)
      #expect(try await ask(me, "parent@example.com") == nil)
      let first = try await token("parent@example.com", host)
      func decide(_ token: GuardianToken, _ decision: GuardianDecision) async throws {
        _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: decision))
      }
      func states() async throws -> [String] {
        try await host.database.read { db in try db.values("SELECT state FROM guardian_requests ORDER BY id") }
      }
      try await decide(first, .refuse)
      #expect(try await ask(me, "parent@example.com") == nil)
      let second = try await token("parent@example.com", host)
      try await decide(second, .consent)
      try await decide(first, .consent)
      #expect(try await states() == ["given", "given"])

      try await decide(second, .withdraw)
      #expect(try await states() == ["withdrawn", "withdrawn"])
      let live = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL")
      }
      #expect(live == 0)
      host.time.advance(seconds: 5400)
      let again = host.client(try await host.logIn("max"))
      #expect(try await again.send(AuthAPI.GetGuardianStatus()).state == .withdrawn)
      // Nor does a question that is still open count beside a consent.
      #expect(try await ask(again, "parent@example.com") == nil)
      try await decide(first, .consent)
      #expect(try await states() == ["given", "withdrawn"])
    }
  }

  @Test(
    "another address of the user's own mailbox is no guardian's",
    arguments: ["max@example.com", "max+mum@example.com", "Max+x@Example.com"])
  func theOwnMailboxIsNoGuardian(address: String) async throws {
    try await TestPlatform.auth { host async throws in
      let me = try await minor(host)
      let refused = try await problem {
        _ = try await me.send(AuthAPI.AskGuardian(email: EmailAddress(validating: address)))
      }
      #expect(refused?.errors?.map(\.location) == ["body.email"])
      #expect(try await me.send(AuthAPI.GetGuardianStatus()).state == .needed)
    }
  }

  @Test("S6: many accounts in many networks aim at one mailbox as that of a guardian", arguments: TestDatabase.allCases)
  func mailsToGuardiansAreNotAimed(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      var codes: [String: Int] = [:]
      for number in 0..<12 {
        let me = try await minor(host, "eve\(number)", at: "203.0.\(number).1")
        for address in ["victim@example.com", "victim+\(number)@example.com", "Victim+x@example.com"] {
          codes[try await ask(me, address) ?? "sent", default: 0] += 1
        }
      }
      #expect(codes == ["sent": 20, "too-many-attempts": 16])
    }
  }

  @Test("S6: guests ask no guardian")
  func guestsAskNoOne() async throws {
    try await TestPlatform.auth { host async throws in
      let me = host.client(try await host.client.send(AuthAPI.SignInAsGuest()))
      var patch = ProfilePatch()
      patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
      _ = try await me.send(AuthAPI.UpdateMe(details: patch))
      #expect(try await ask(me, "victim@example.com") == "full-account-required")
      while try await host.auth.runOnce("mail") > 0 {}
      #expect(try host.mails(deliveredTo: "victim@example.com").isEmpty)
    }
  }

  @Test("S6: a username is no link in a mail to a guardian")
  func usernamesAreNoLinks() async throws {
    try await TestPlatform.auth { host async throws in
      let me = try await minor(host, "evil.example")
      #expect(try await ask(me, "victim@example.com") == nil)
      _ = try await host.client.send(
        AuthAPI.DecideAsGuardian(token: try await token("victim@example.com", host), decision: .consent))
      while try await host.auth.runOnce("mail") > 0 {}
      let mails = try host.mails(deliveredTo: "victim@example.com")
      #expect(mails.count == 2)
      #expect(mails.allSatisfy { $0.text.contains("the account evil[.]example") && !$0.text.contains("evil.example") })
    }
  }
}
