import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import CatalogService

/// Contact messages to the owner, and the owner's answers.
struct ContactTests {
  private func message(_ subject: String = "A question", from email: String = "eve@example.com") throws
    -> CatalogAPI.SendContactMessage
  {
    CatalogAPI.SendContactMessage(
      firstName: try PersonName(validating: "Eveline"), lastName: try PersonName(validating: "Writer"),
      email: try EmailAddress(validating: email), subject: try ShortText(validating: subject),
      message: try LongText(validating: "Do you ship\r\nto Mars?"))
  }

  @Test(arguments: TestDatabase.allCases)
  func messagesAreReadAndAnswered(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.owner()
      _ = try await owner.send(CatalogAPI.PutSite(body: Site(email: EmailAddress(validating: "boss@example.com"))))
      for subject in ["First", "Second"] {
        #expect(try await host.client.send(message(subject)) == Acknowledgement())
        host.time.advance(seconds: 1)
      }
      // The owner is notified, without the content of the message.
      let notices = try await host.mails(to: "boss@example.com")
      #expect(notices.count == 2)
      #expect(!notices.contains { $0.text.contains("Mars") })
      #expect(!notices.contains { $0.head.contains("First") })

      let list = try await owner.send(CatalogAPI.ListContactMessages(state: .open))
      #expect(list.items.map(\.subject.rawValue) == ["Second", "First"])
      let first = try #require(list.items.last)
      #expect(first.message.rawValue == "Do you ship\nto Mars?")
      let page = try await owner.send(CatalogAPI.ListContactMessages(limit: PageSize(checked: 1)))
      let rest = try await owner.send(
        CatalogAPI.ListContactMessages(limit: PageSize(checked: 1), cursor: page.nextCursor)
      )
      #expect(page.items + rest.items == list.items)

      let answer = CatalogAPI.AnswerContactMessage(
        id: first.id,
        text: try LongText(validating: "Not yet."))
      let answered = try await owner.send(answer, idempotencyKey: "a1")
      #expect(answered.state == .answered)
      #expect(answered.version == 2)
      #expect(answered.answer?.text.rawValue == "Not yet.")
      #expect(answered.answer?.at == host.time.source.now())
      #expect(try await owner.send(answer, idempotencyKey: "a1") == answered)
      #expect(try await problem { _ = try await owner.send(answer) }?.is(.contactMessageAnswered) == true)
      let mails = try await host.mails(to: "eve@example.com")
      #expect(mails.count == 1)
      #expect(mails.first?.text.hasPrefix("Not yet.\n\nYou wrote:\n\n> Do you ship\n> to Mars?") == true)
      #expect(mails.first?.head.contains("Subject: Re: First\r\n") == true)
      #expect(mails.first?.head.contains("Reply-To: <boss@example.com>") == true)

      func close(_ version: Int) async throws -> ContactMessage {
        try await owner.send(
          CatalogAPI.UpdateContactMessage(
            id: first.id,
            ifMatch: EntityTag(version: version),
            state: .closed)
        )
      }
      #expect(try await problem { _ = try await close(1) }?.status == 412)
      #expect(try await close(2).version == 3)
      #expect(try await owner.send(CatalogAPI.ListContactMessages(state: .closed)).items.map(\.id) == [first.id])

      for _ in 0..<2 { _ = try await owner.send(CatalogAPI.DeleteContactMessage(id: first.id)) }
      let gone = try await problem { _ = try await owner.send(CatalogAPI.GetContactMessage(id: first.id)) }
      #expect(gone?.is(.contactMessageNotFound) == true)
      let actions = try await host.database.read { db in
        try db.values("SELECT action FROM audit ORDER BY id", as: String.self)
      }
      let expected: Set<String> = [
        "contact-messages.viewed", "contact-message.answered", "contact-message.changed", "contact-message.deleted",
      ]
      #expect(expected.subtracting(actions).isEmpty)
    }
  }

  @Test func onlyTheOwnerReads() async throws {
    try await TestPlatform.catalog { host async throws in
      _ = try await host.client.send(message())
      let user = try await host.user("ada").client
      #expect(try await problem { _ = try await user.send(CatalogAPI.ListContactMessages()) }?.status == 403)
      #expect(try await problem { _ = try await host.client.send(CatalogAPI.ListContactMessages()) }?.status == 401)
    }
  }

  @Test func nothingSlipsIntoTheHeadOfAMail() async throws {
    try await TestPlatform.catalog { host async throws in
      let good = [
        "firstName": "Eve", "lastName": "Writer", "email": "eve@example.com", "subject": "Hi", "message": "Hello",
      ]
      func send(_ field: String, _ value: String) async throws -> Problem? {
        var form = good
        form[field] = value
        let json = try WireJSON.encode(
          JSONValue.object(form.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        )
        return try await host.send(.post, "/v1/contact-messages", String(decoding: json, as: UTF8.self)).problem
      }
      for (field, value) in [
        ("subject", "Hi\r\nBcc: all@example.com"), ("subject", "Hi\nBcc: all@example.com"), ("subject", "Hi\u{0}"),
        ("subject", ""), ("subject", String(repeating: "x", count: 121)), ("firstName", "Eve\r\nX: y"),
        ("lastName", "W\u{85}riter"), ("email", "eve@example.com\r\nBcc: all@example.com"),
        ("email", "eve@example.com, all@example.com"), ("email", "<eve@example.com>"), ("message", "\u{1B}[2J"),
        ("message", " \n\t"), ("message", String(repeating: "x", count: 5001)),
      ] {
        let refused = try await send(field, value)
        #expect(refused?.status == 422, "\(field) \(value.prefix(20).debugDescription)")
        if !value.contains("\u{0}") { #expect(refused?.errors?.first?.location == "body.\(field)") }
      }
      #expect(try await send("subject", "Grüße: Bcc: all@example.com") == nil)
      let owner = try await host.owner()
      let kept = try #require(try await owner.send(CatalogAPI.ListContactMessages()).items.first)
      _ = try await owner.send(
        CatalogAPI.AnswerContactMessage(
          id: kept.id,
          text: LongText(validating: "\nBcc: all@example.com\n"))
      )
      let mail = try #require(try await host.mails(to: "eve@example.com").first)
      #expect(!mail.head.contains("\r\nBcc:"))
      #expect(mail.head.contains("Subject: =?UTF-8?B?"))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func messagesAreLimited(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      // A repeated request is not another message.
      for _ in 0..<3 { _ = try await host.client.send(message(), idempotencyKey: "k1") }
      for _ in 0..<4 { _ = try await host.client.send(message()) }
      host.time.advance(seconds: 600)
      let refused = try await problem { _ = try await host.client.send(message()) }
      #expect(refused?.is(.tooManyRequests) == true)
      #expect(refused?.retryAfter == 3000)
      host.time.advance(seconds: 3000)
      _ = try await host.client.send(message())
      let owner = try await host.owner()
      #expect(try await owner.send(CatalogAPI.ListContactMessages()).items.count == 6)
    }
  }

  @Test func contentRestsEncrypted() async throws {
    try await TestPlatform.catalog { host async throws in
      _ = try await host.client.send(message("Secretsubject"))
      let files = try FileManager.default.contentsOfDirectory(atPath: host.folder).filter { $0.hasPrefix("catalog.") }
      #expect(!files.isEmpty)
      for file in files {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(host.folder)/\(file)"))
        for value in ["Eveline", "eve@example.com", "Secretsubject", "Mars"] {
          #expect(bytes.range(of: Data(value.utf8)) == nil, "\(value) in \(file)")
        }
      }
    }
  }
}
