import AuthService
import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// The pages behind the newsletter's links, and the subscriptions of accounts.
@Suite(.serialized)
struct NewsletterPageTests {
  private func link(in mail: Mail, _ path: String) throws -> String {
    let words = mail.text.split(whereSeparator: \.isWhitespace).map { $0.trimmingCharacters(in: ["<", ">"]) }
    return try #require(words.first { $0.contains("\(path)?token=") })
  }

  /// The page's target and token.
  private func form(of page: String) throws -> (path: String, token: String) {
    let path = try #require(page.split(separator: "action=\"").dropFirst().first?.prefix { $0 != "\"" })
    let token = try #require(page.split(separator: "value=\"").dropFirst().first?.prefix { $0 != "\"" })
    return (String(path), String(token))
  }

  private func open(_ link: String, _ host: TestPlatform) async throws -> WireResponse {
    let path = try #require(link.split(separator: "/v1/", maxSplits: 1).last)
    let answer = try await host.send(.get, "/v1/\(path)")
    #expect(answer.status == 200)
    #expect(answer.header("content-type") == "text/html; charset=utf-8")
    #expect(answer.header("cache-control") == "no-store")
    let policy = try #require(answer.header("content-security-policy"))
    #expect(policy.contains("default-src 'none'"))
    #expect(!policy.contains("script-src"))
    #expect(!text(answer).contains("<script"))
    return answer
  }

  private func text(_ answer: WireResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  /// Opens a page and presses its button.
  private func press(_ link: String, _ host: TestPlatform) async throws -> String {
    let form = try form(of: text(try await open(link, host)))
    let answer = try await host.send(
      .post, form.path, "token=\(form.token)", type: "application/x-www-form-urlencoded")
    #expect(answer.status == 200)
    return text(answer)
  }

  private func subscribe(
    _ email: String, _ host: TestPlatform, by user: TestUser? = nil, as name: String = "Reader"
  ) async throws {
    // Mails are ordered by time.
    host.time.advance(seconds: 1)
    let (name, address) = (DisplayName(checked: name), try EmailAddress(validating: email))
    if let user {
      try await user.client.consent(to: .newsletter)
      _ = try await user.client.send(CatalogAPI.SubscribeMe(name: name, email: address))
    } else {
      _ = try await host.client.send(CatalogAPI.Subscribe(name: name, email: address))
    }
    let mail = try #require(try await host.mails(to: email).last { $0.head.contains("confirm that you want") })
    #expect(try await press(link(in: mail, "confirm"), host).contains("Subscribed"))
    try await settle(host)
  }

  private func settle(_ host: TestPlatform) async throws {
    while try await host.catalog.runOnce("newsletter-account") > 0 {}
  }

  private func recipients(_ host: TestPlatform, _ key: String) async throws -> Int {
    host.time.advance(seconds: 1)
    let issue = CatalogAPI.SendNewsletterIssue(
      subject: try ShortText(validating: "News"), text: try IssueText(validating: "The blue one is back."))
    let sent = try await host.owner().send(issue, idempotencyKey: key)
    while try await host.catalog.runOnce("newsletter-issue") > 0 { host.time.advance(seconds: 5) }
    return sent.recipients
  }

  private func isSubscribed(_ user: TestUser) async throws -> Bool {
    try await user.client.send(AuthAPI.GetMe()).isSubscribed
  }

  /// Proves the address of an account by the last mail to it.
  private func verify(_ email: String, of user: TestUser, _ host: TestPlatform) async throws {
    while try await host.plugin(AuthPlugin.self).runOnce("mail") > 0 {}
    let mail = try await host.mails(to: email).last { $0.head.contains("Please confirm your e-mail address") }
    let token = try #require(mail?.token)
    _ = try await user.client.send(AuthAPI.VerifyEmail(token: token))
    try await host.deliver(UserAddressVerified(userID: user.id), from: AuthAPI.self)
    try await settle(host)
  }

  @Test(arguments: TestDatabase.allCases)
  func linksConfirmAndUnsubscribe(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      try await subscribe("reader@example.com", host)
      #expect(try await recipients(host, "one") == 1)
      let mail = try #require(try await host.mails(to: "reader@example.com").last)
      let end = try link(in: mail, "unsubscribe")
      #expect(mail.head.contains("List-Unsubscribe: <\(end)>"))
      // Opening the page, as programs that check e-mails do, changes nothing.
      for _ in 0..<3 { _ = try await open(end, host) }
      #expect(try await recipients(host, "two") == 1)
      for _ in 0..<2 { #expect(try await press(end, host).contains("Unsubscribed")) }
      #expect(try await recipients(host, "three") == 0)
    }
  }

  @Test func linksThatAreNotValidSaySo() async throws {
    try await TestPlatform.catalog { host async throws in
      try await subscribe("reader@example.com", host)
      let mail = try #require(try await host.mails(to: "reader@example.com").first)
      #expect(try await press(link(in: mail, "confirm"), host).contains("not valid"))
      let script = "/v1/newsletter/unsubscribe?token=%22%3E%3Cscript%3Ex%3C/script%3E"
      #expect(!text(try await open(script, host)).contains("<script"))
      #expect(try await host.send(.get, "/v1/newsletter/unsubscribe").status == 422)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func usersUnsubscribeWithOneCall(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await subscribe("one@example.com", host, by: ada)
      try await subscribe("two@example.com", host, by: ada)
      try await subscribe("bobs@example.com", host, by: bob)
      #expect(try await isSubscribed(ada))
      for _ in 0..<2 { _ = try await ada.client.send(CatalogAPI.UnsubscribeMe()) }
      try await settle(host)
      #expect(try await !isSubscribed(ada))
      #expect(try await isSubscribed(bob))
      #expect(try await recipients(host, "one") == 1)
      #expect(try await problem { _ = try await host.client.send(CatalogAPI.UnsubscribeMe()) }?.status == 401)
    }
  }

  @Test("YD11: the account shows the subscription of its verified address", arguments: TestDatabase.allCases)
  func accountsShowTheirAddress(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      try await subscribe("ada@example.com", host)
      // Somebody else may have entered the address at sign-up.
      #expect(try await !isSubscribed(ada))
      try await verify("ada@example.com", of: ada, host)
      #expect(try await isSubscribed(ada))
      _ = try await ada.client.send(CatalogAPI.UnsubscribeMe())
      try await settle(host)
      #expect(try await !isSubscribed(ada))
      // A later subscription without signing in is shown at once.
      try await subscribe("ada@example.com", host)
      #expect(try await isSubscribed(ada))
    }
  }

  @Test("YD11: the subscription follows the account's address", arguments: TestDatabase.allCases)
  func subscriptionsFollowTheAddress(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      try await verify("ada@example.com", of: ada, host)
      try await subscribe("ada@example.com", host, by: ada)
      #expect(try await recipients(host, "one") == 1)
      let old = try #require(try await host.mails(to: "ada@example.com").last)
      let change = AuthAPI.ChangeEmail(
        email: try EmailAddress(validating: "new@example.com"), password: "correct horse ada")
      _ = try await ada.client.send(change)
      try await verify("new@example.com", of: ada, host)
      #expect(try await isSubscribed(ada))
      #expect(try await recipients(host, "two") == 1)
      let count = try await host.mails(to: "new@example.com").count { $0.head.contains("Subject: News") }
      #expect(count == 1)
      // The link in an older mail still ends it.
      #expect(try await press(link(in: old, "unsubscribe"), host).contains("Unsubscribed"))
      try await settle(host)
      #expect(try await !isSubscribed(ada))
      #expect(try await recipients(host, "three") == 0)
    }
  }

  @Test("no one else takes over the subscription of a verified address", arguments: TestDatabase.allCases)
  func subscriptionsStayWithTheirAccount(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, eve) = (try await host.user("ada"), try await host.user("eve"))
      try await verify("ada@example.com", of: ada, host)
      try await subscribe("ada@example.com", host, by: ada, as: "Ada")
      // Ada presses the button in the mails that others cause.
      try await subscribe("ada@example.com", host, by: eve, as: "Loser")
      try await subscribe("ada@example.com", host, as: "Loser")
      #expect(try await isSubscribed(ada))
      #expect(try await !isSubscribed(eve))
      #expect(try await host.export("newsletter", of: ada.id) == [["name": "Ada", "email": "ada@example.com"]])
      #expect(try await host.export("newsletter", of: eve.id) == [])
      let catalog = try host.catalog
      try await host.database.write { tx in try catalog.eraseAll(of: eve.id, in: tx) }
      #expect(try await recipients(host, "one") == 1)
    }
  }

  @Test("the account of a verified address shows what another user subscribed", arguments: TestDatabase.allCases)
  func addressesComeBeforeCallers(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, eve) = (try await host.user("ada"), try await host.user("eve"))
      try await verify("ada@example.com", of: ada, host)
      try await subscribe("ada@example.com", host, by: eve)
      #expect(try await isSubscribed(ada))
      #expect(try await !isSubscribed(eve))
      try await subscribe("ada@example.com", host, by: ada, as: "Countess")
      #expect(try await host.export("newsletter", of: ada.id) == [["name": "Countess", "email": "ada@example.com"]])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyVerifiedAddressesAreGiven(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await verify("ada@example.com", of: ada, host)
      let service = host.platform.client(of: AuthAPI.self, as: CatalogAPI.name)
      let emails = try ["ada@example.com", "bob@example.com"].map { try EmailAddress(validating: $0) }
      let known = [VerifiedAddress(userID: ada.id, email: emails[0])]
      #expect(try await service.send(AuthAPI.GetVerifiedAddresses(users: [ada.id, bob.id])).items == known)
      #expect(try await service.send(AuthAPI.GetVerifiedAddresses(emails: emails)).items == known)
      let many = AuthAPI.GetVerifiedAddresses(users: (0..<101).map { _ in host.ids.make() })
      #expect(try await problem { _ = try await service.send(many) }?.status == 422)
      let events = try await host.recorded(UserAddressVerified.self, by: AuthAPI.self)
      #expect(events.map(\.userID) == [ada.id])
    }
  }
}
