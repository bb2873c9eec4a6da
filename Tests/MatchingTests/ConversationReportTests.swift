import Contracts
import Persistence
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Reports of abusive messages.
@Suite(.serialized)
struct ConversationReportTests {
  @Test(arguments: TestDatabase.allCases)
  func supportReadsWhatWasReported(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let support = try await host.user("support", [.support])
      let id = try await host.talk(ada, bob)
      let (mine, bad) = (try await host.send("Please stop", ada, id), try await host.send("Insult", bob, id))
      func report(_ user: TestUser, _ ids: [MessageID], key: String = UUID().uuidString) async throws
        -> MessageReportReceipt
      {
        try await user.client.send(
          MatchingAPI.ReportMessages(
            id: id, messageIDs: ids, reason: .harassment, comment: Biography(validating: "Again")),
          idempotencyKey: key
        )
      }
      #expect(try await code { _ = try await report(eve, [bad.id]) } == "conversation-not-found")
      #expect(try await code { _ = try await report(ada, [mine.id]) } == "invalid-request")
      #expect(try await code { _ = try await report(ada, []) } == "invalid-request")
      #expect(try await code { _ = try await report(ada, [bad.id, host.test.ids.make()]) } == "message-not-found")
      let receipt = try await report(ada, [mine.id, bad.id], key: "k")
      #expect(try await report(ada, [mine.id, bad.id], key: "k") == receipt)

      // The copy outlives the message.
      _ = try await bob.client.send(MatchingAPI.DeleteMessage(id: id, messageID: bad.id))
      let list = MatchingAPI.ListMessageReports(state: .open)
      for user in [ada, bob] { #expect(try await code { _ = try await user.client.send(list) } == "forbidden") }
      let reports = try await support.client.send(list).items
      #expect(reports.map(\.id) == [receipt.id])
      #expect(reports.first?.messages.map(\.text) == ["Please stop", "Insult"])
      #expect(reports.first?.comment == "Again")
      #expect(reports.first?.reporterID == ada.id)
      #expect(reports.first?.reportedID == bob.id)
      let stored = try await host.database.read { db in
        try db.values("SELECT content FROM message_reports", as: String.self)
      }
      #expect(!stored.contains { $0.contains("Insult") })

      let update = MatchingAPI.UpdateMessageReport(
        id: receipt.id, ifMatch: EntityTag(version: 1), state: .resolved)
      #expect(try await support.client.send(update).version == 2)
      #expect(try await code { _ = try await support.client.send(update) } == "version-mismatch")
      #expect(try await support.client.send(list).items.isEmpty)
      let actions = try await host.database.read { db in
        try db.values("SELECT action FROM audit ORDER BY id", as: String.self)
      }
      #expect(
        actions == ["messages.reported", "message-reports.viewed", "message-report.changed", "message-reports.viewed"])
      let unknown = MatchingAPI.UpdateMessageReport(id: host.test.ids.make(), state: .resolved)
      #expect(try await code { _ = try await support.client.send(unknown) } == "message-report-not-found")
    }
  }
}
