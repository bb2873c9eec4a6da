import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// Double opt-in, one-click unsubscribing, and issues that reach every subscriber once.
@Suite(.serialized)
struct NewsletterTests {
  private func subscribe(_ name: String) throws -> CatalogAPI.Subscribe {
    CatalogAPI.Subscribe(
      name: try DisplayName(validating: "Reader \(name)"),
      email: try EmailAddress(validating: "\(name)@example.com")
    )
  }

  private func subscribeMe(_ name: String) throws -> CatalogAPI.SubscribeMe {
    let form = try subscribe(name)
    return CatalogAPI.SubscribeMe(name: form.name, email: form.email)
  }

  /// Subscribes to the newsletter and confirms with the token in the mail.
  private func subscribe(_ names: [String], _ host: TestPlatform) async throws {
    for name in names {
      _ = try await host.client.send(subscribe(name))
      // Ten requests per hour are allowed.
      host.time.advance(seconds: 361)
    }
    let wanted = Set(names.map { "\($0)@example.com" })
    for mail in try await host.mails() where wanted.contains(mail.recipient) && mail.head.contains("confirm") {
      try await confirm(mail, host)
    }
  }

  private func confirm(_ mail: Mail, _ host: TestPlatform) async throws {
    let token = try NewsletterToken(validating: try #require(mail.token))
    _ = try await host.client.send(CatalogAPI.ConfirmSubscription(token: token))
  }

  private func issue(_ host: TestPlatform, _ subject: String = "News") async throws -> NewsletterIssue {
    try await host.owner().send(
      CatalogAPI.SendNewsletterIssue(
        subject: ShortText(validating: subject), text: IssueText(validating: "The blue one is back.")),
      idempotencyKey: subject.replacing(" ", with: "-")
    )
  }

  private func sendAll(_ host: TestPlatform) async throws {
    while try await host.catalog.runOnce("newsletter-issue") > 0 { host.time.advance(seconds: 5) }
  }

  // MARK: subscribing

  @Test(arguments: TestDatabase.allCases)
  func addressesAreConfirmedFirst(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let answer = try await host.client.send(subscribe("ada"))
      #expect(try await issue(host, "Too early").recipients == 0)
      let mail = try #require(try await host.mails(to: "ada@example.com").first)
      try await confirm(mail, host)
      #expect(try await problem { try await confirm(mail, host) }?.is(.newsletterTokenInvalid) == true)
      #expect(try await issue(host, "Now").recipients == 1)

      // Subscribing a known address again gives the same response and the same mail.
      host.time.advance(seconds: 1)
      #expect(try await host.client.send(subscribe("ada")) == answer)
      let mails = try await host.mails(to: "ada@example.com")
      #expect(mails.count == 2)
      let texts = try mails.map { $0.text.replacing(try #require($0.token), with: "") }
      #expect(texts[0] == texts[1])
      try await confirm(mails[1], host)
      #expect(try await issue(host, "Once").recipients == 1)

      _ = try await host.client.send(subscribe("bob"))
      host.time.advance(seconds: 86_401)
      let late = try #require(try await host.mails(to: "bob@example.com").first)
      #expect(try await problem { try await confirm(late, host) }?.is(.newsletterTokenInvalid) == true)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func askingIsLimited(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      for _ in 0..<10 { _ = try await host.client.send(subscribe("ada")) }
      let refused = try await problem { _ = try await host.client.send(subscribe("bob")) }
      #expect(refused?.is(.tooManyRequests) == true)
      #expect(refused?.retryAfter == 3600)
      // One address gets at most three mails a day, which the response does not reveal.
      #expect(try await host.mails(to: "ada@example.com").count == 3)
      host.time.advance(seconds: 86_400)
      _ = try await host.client.send(subscribe("ada"))
      #expect(try await host.mails(to: "ada@example.com").count == 4)
    }
  }

  @Test func wrongFormsAreRefused() async throws {
    try await TestPlatform.catalog { host async throws in
      for (body, location) in [
        (#"{"name":"A\r\nBcc: x","email":"ada@example.com"}"#, "body.name"),
        (#"{"name":"Ada","email":"ada@example.com\nBcc: x@example.com"}"#, "body.email"),
        (#"{"name":"Ada"}"#, "body.email"),
      ] {
        let refused = try await host.send(.post, "/v1/newsletter/subscriptions", body).problem
        #expect(refused?.status == 422)
        #expect(refused?.errors?.first?.location == location)
      }
      #expect(try await host.mails().isEmpty)
      let user = try await host.user("ada").client
      let list = try await problem { _ = try await user.send(CatalogAPI.ListNewsletterIssues()) }
      #expect(list?.status == 403)
      let owner = try await host.owner()
      let unknown = CatalogAPI.GetNewsletterIssue(id: IDGenerator().make())
      #expect(try await problem { _ = try await owner.send(unknown) }?.is(.newsletterIssueNotFound) == true)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func accountsReportWhetherTheyAreSubscribed(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let (user, me) = (ada.id, ada.client)
      func isSubscribed() async throws -> Bool {
        while try await host.catalog.runOnce("newsletter-account") > 0 {}
        return try await me.send(AuthAPI.GetMe()).isSubscribed
      }
      try await me.consent(to: .newsletter)
      _ = try await me.send(subscribeMe("private"))
      #expect(try await !isSubscribed())
      try await confirm(try #require(try await host.mails(to: "private@example.com").first), host)
      #expect(try await isSubscribed())
      #expect(
        try await host.export("newsletter", of: user) == [["name": "Reader private", "email": "private@example.com"]]
      )
      _ = try await issue(host)
      try await sendAll(host)
      let mail = try #require(try await host.mails(to: "private@example.com").last)
      let token = try NewsletterToken(validating: try #require(mail.token))
      for _ in 0..<2 { _ = try await host.client.send(CatalogAPI.Unsubscribe(token: token)) }
      #expect(try await !isSubscribed())

      // No data of a deleted user is left.
      _ = try await me.send(subscribeMe("private"))
      try await confirm(try #require(try await host.mails(to: "private@example.com").last), host)
      _ = try await me.send(subscribeMe("second"))
      _ = try await issue(host, "Last")
      let catalog = try host.catalog
      try await host.database.write { tx in try catalog.eraseAll(of: user, in: tx) }
      let left = try await host.database.read { db in
        try db.values(
          """
          SELECT lookup FROM newsletter_subscriptions UNION ALL SELECT lookup FROM newsletter_requests
          UNION ALL SELECT lookup FROM newsletter_deliveries WHERE state = 'waiting'
          """,
          as: String.self
        )
      }
      #expect(left.isEmpty)
      #expect(try await host.export("newsletter", of: user) == [])
    }
  }

  // MARK: unsubscribing

  @Test func mailProgramsUnsubscribeWithOneClick() async throws {
    let port = try reservedPort()
    let settings = ["port": "\(port)", "catalog.publicUrl": "http://127.0.0.1:\(port)"]
    try await TestPlatform.listeningCatalog(settings: settings, time: ManualTime()) { host async throws in
      // The workers of a platform that listens run as well, and may be about to deliver it.
      func mail(_ subject: String) async throws -> Mail {
        func all() async throws -> [Mail] { try await host.mails().filter { $0.head.contains("Subject: \(subject)") } }
        try await eventually("\(subject) is delivered") { try await !all().isEmpty }
        return try #require(try await all().last)
      }
      func curl(_ arguments: String...) async throws -> String {
        try await Command.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}"] + arguments)
      }
      _ = try await host.client.send(subscribe("ada"))
      try await confirm(try await mail("Please confirm"), host)
      _ = try await issue(host)
      try await sendAll(host)
      let head = try await mail("News").head
      let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("List-Unsubscribe: <") })
      let url = String(line.dropFirst("List-Unsubscribe: <".count).dropLast())
      #expect(url.hasPrefix("http://127.0.0.1:\(port)/v1/newsletter/unsubscribe?token="))
      #expect(head.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"))

      // Programs that check e-mails follow the link, which changes nothing.
      #expect(try await curl(url) == "200")
      #expect(try await curl("-d", "List-Unsubscribe=Maybe", url) == "422")
      #expect(try await curl("-d", "List-Unsubscribe=One-Click", String(url.dropLast(2)) + "xx") == "422")
      // The form has one of two encodings (RFC 8058).
      #expect(try await curl("-F", "List-Unsubscribe=Maybe", url) == "422")
      #expect(try await curl("-F", "List-Unsubscribe=One-Click", String(url.dropLast(2)) + "xx") == "422")
      for (type, body) in [
        ("multipart/form-data", "x"), ("multipart/form-data; boundary=x", "--x\r\n"),
        ("multipart/form-data; boundary=x", "--x\r\n\r\nOne-Click\r\n--x--"),
        ("multipart/form-data; boundary=x", String(repeating: "--x\r\n", count: 500)),
        ("application/x-www-form-urlencoded", "%zz"),
      ] {
        #expect(try await curl("-H", "Content-Type: \(type)", "--data-binary", body, url) == "400", "\(type)")
      }
      #expect(try await curl("-H", "Content-Type: image/png", "--data-binary", "x", url) == "415")
      #expect(try await issue(host, "Second").recipients == 1)
      for encoding in ["-F", "-d", "-F"] {
        #expect(try await curl(encoding, "List-Unsubscribe=One-Click", url) == "204")
      }
      #expect(try await issue(host, "Third").recipients == 0)
    }
  }

  @Test func forgedTokensUnsubscribeNoOne() async throws {
    try await TestPlatform.catalog { host async throws in
      let letters = String(repeating: "A", count: 43)
      for token in ["x", "a.b", ".", "a.b.c", "\(letters).\(letters)"] {
        let call = CatalogAPI.Unsubscribe(token: NewsletterToken(checked: token))
        #expect(try await problem { _ = try await host.client.send(call) }?.is(.newsletterTokenInvalid) == true)
      }
    }
  }

  // MARK: issues

  @Test(arguments: TestDatabase.allCases)
  func whoUnsubscribesInTheMiddleGetsNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let names = (0..<60).map { "reader\($0)" }
      try await subscribe(names, host)
      let sent = try await issue(host)
      #expect(sent.recipients == 60)
      #expect(try await issue(host) == sent)
      #expect(try await host.catalog.runOnce("newsletter-issue") > 0)
      let first = try await host.mails().filter { $0.head.contains("Subject: News") }
      #expect(first.count == 50)
      let waiting = try #require(Set(names.map { "\($0)@example.com" }).subtracting(first.map(\.recipient)).first)
      let request = CatalogAPI.Subscribe(name: DisplayName(checked: "x"), email: EmailAddress(checked: waiting))
      _ = try await host.client.send(request)
      let lookup = try await host.database.read { db in
        try db.value("SELECT lookup FROM newsletter_requests ORDER BY expires_at DESC", as: String.self)
      }
      let token = UnsubscribeToken.make(for: try #require(lookup), host.platform.dataKeys)
      _ = try await host.client.send(CatalogAPI.Unsubscribe(token: NewsletterToken(checked: token)))
      host.time.advance(seconds: 5)
      try await sendAll(host)
      let all = try await host.mails().filter { $0.head.contains("Subject: News") }.map(\.recipient)
      #expect(all.count == 59)
      #expect(Set(all).count == 59)
      #expect(!all.contains(waiting))
      let owner = try await host.owner()
      let done = try await owner.send(CatalogAPI.GetNewsletterIssue(id: sent.id))
      #expect(done.recipients == 60)
      #expect(done.sent == 59)
      #expect(try await owner.send(CatalogAPI.ListNewsletterIssues()).items == [done])
    }
  }

  @Test func issuesReachEverybodyOnceThroughAnInterruption() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      let time = ManualTime()
      let names = (0..<120).map { "reader\($0)" }
      let files = ["data": folder]
      try await TestPlatform.catalog(settings: files, time: time) { host async throws in
        try await subscribe(names, host)
      }
      // Only now, because it is reserved for a minute.
      let port = try reservedPort()
      let server = files.merging([
        "mail.url": "smtp://127.0.0.1:\(port)", "mail.username": "quintet", "mail.password": "post-secret",
        "mail.authoritiesFile": tls.certificate,
      ]) { $1 }
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../AuthTests/smtp.py").path
      try await Python.running([script, "\(port)", tls.certificate, tls.key]) { lines async throws in
        // The first process queues one batch, sends a part of it and stops.
        try await TestPlatform.catalog(settings: server, time: time) { host async throws in
          #expect(try await issue(host).recipients == 120)
          #expect(try await host.catalog.runOnce("newsletter-issue") > 0)
          // Several at a time.
          for _ in 0..<3 { #expect(try await host.catalog.runOnce("mail") == 8) }
        }
        // The second process sends the rest.
        try await TestPlatform.catalog(settings: server, time: time) { host async throws in
          time.advance(seconds: 300)
          try await sendAll(host)
          var mails = 0
          while true {
            let count = try await host.catalog.runOnce("mail")
            if count == 0 { break }
            mails += count
          }
          #expect(mails == 96)
          let owner = try await host.owner()
          #expect(try await owner.send(CatalogAPI.ListNewsletterIssues()).items.first?.sent == 120)
        }
        var recipients: [String] = []
        var messages: Set<Substring> = []
        for await line in lines {
          let mail = try WireJSON.decode(JSONValue.self, from: line.utf8)
          guard case .array(let to)? = mail["to"], let content = mail["content"]?.string else { continue }
          recipients += to.compactMap(\.string)
          messages.formUnion(content.split(separator: "\r\n").filter { $0.hasPrefix("Message-ID: ") })
          if recipients.count == 120 { break }
        }
        #expect(Set(recipients) == Set(names.map { "\($0)@example.com" }))
        #expect(messages.count == 120)
      }
    }
  }
}
