import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// The newsletter of signed-in users needs their consent (LS21), and minors publish only with a guardian's (SD17).
@Suite(.serialized)
struct NewsletterConsentTests {
  private func subscribe(_ user: TestUser, _ host: TestPlatform) async throws {
    _ = try await user.client.send(
      CatalogAPI.SubscribeMe(
        name: DisplayName(validating: "Ada"), email: EmailAddress(validating: "reader@example.com")))
    let mail = try #require(try await host.mails(to: "reader@example.com").last)
    let token = try NewsletterToken(validating: try #require(mail.token))
    _ = try await host.client.send(CatalogAPI.ConfirmSubscription(token: token))
  }

  private func subscriptions(_ host: TestPlatform) async throws -> Int {
    try await host.database.read { db in try db.count("SELECT COUNT(*) FROM newsletter_subscriptions") }
  }

  @Test(arguments: TestDatabase.allCases)
  func subscriptionsNeedAConsentAndEndWithIt(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let refused = try await problem { try await subscribe(ada, host) }
      #expect(refused?.code == "consent-required")
      #expect(refused?.errors?.map(\.message) == ["newsletter"])
      #expect(try await host.mails(to: "reader@example.com").isEmpty)

      try await ada.client.consent(to: .newsletter)
      try await subscribe(ada, host)
      #expect(try await subscriptions(host) == 1)
      try await ada.client.consent(to: .newsletter, isGiven: false)
      let events = try await host.recorded(ConsentChanged.self, by: AuthAPI.self)
      for event in events { try await host.deliver(event, from: AuthAPI.self, to: CatalogAPI.self) }
      #expect(try await subscriptions(host) == 0)
    }
  }

  @Test func aMinorPublishesOnlyWithAGuardiansConsent() async throws {
    try await TestPlatform.catalog { host async throws in
      let session = try await host.client.signUp("max")
      let me = host.client.with(accessToken: session.accessToken)
      var patch = ProfilePatch()
      patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
      _ = try await me.send(AuthAPI.UpdateMe(details: patch))
      let limited = try await host.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      func attempts(_ session: Authentication) async throws -> [String?] {
        let client = host.client.with(accessToken: session.accessToken)
        let id: CommentID = host.ids.make()
        let text = try CommentText(validating: "Nice")
        return [
          try await problem { _ = try await client.send(CatalogAPI.ReplyToComment(id: id, text: text)) }?.code,
          try await problem { _ = try await client.send(CatalogAPI.CommentOnPost(id: host.ids.make(), text: text)) }?
            .code,
        ]
      }
      #expect(try await attempts(limited) == ["guardian-consent-required", "guardian-consent-required"])
      // Reading is not limited.
      _ = try await host.client.with(accessToken: limited.accessToken).send(CatalogAPI.ListListings())

      _ = try await me.send(AuthAPI.AskGuardian(email: EmailAddress(validating: "parent@example.com")))
      let link = try #require(try await host.authMails(to: "parent@example.com").compactMap(\.token).last)
      let token = try GuardianToken(validating: String(try #require(link.split(separator: "=").last)))
      _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: .consent))
      let free = try await host.client.send(AuthAPI.Refresh(refreshToken: limited.refreshToken))
      #expect(try await attempts(free) == ["comment-not-found", "post-not-found"])
    }
  }
}

extension TestPlatform {
  /// The mails of auth to an address, delivered first.
  fileprivate func authMails(to address: String) async throws -> [Mail] {
    while try await plugin(AuthPlugin.self).runOnce("mail") > 0 {}
    return try mails(deliveredTo: address)
  }
}
