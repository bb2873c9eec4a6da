import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Personal data of conversations: exported to its owner, erased with the account.
@Suite(.serialized)
struct ConversationPrivacyTests {
  /// One transaction with an event for each message would hold up all others.
  @Test(arguments: TestDatabase.allCases)
  func theMediaOfVeryManyMessagesAreGivenUpSomeAtATime(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.talk(users[0], users[1])
      let messages = (0..<450).map { _ in host.test.ids.make(MessageID.self) }
      try await host.test.database(of: MatchingAPI.self).write { tx in
        for (index, message) in messages.enumerated() {
          try tx.execute(
            """
            INSERT INTO messages (id, conversation_id, sequence, author_id, kind, media, sent_at)
            VALUES (\(message), \(id), \(1000 + index), \(users[1].id), 'text', \(message), \(tx.now))
            """)
        }
      }
      try await host.deliver(UserDeleted(userID: users[1].id), from: AuthAPI.self)
      func reported() async throws -> [MediaReferencesChanged] {
        try await host.test.recorded(MediaReferencesChanged.self, by: MatchingAPI.self)
      }
      #expect(try await reported().count == 200)
      // Jobs that were added at the same time are taken in any order and number.
      while try await host.test.plugin(MatchingPlugin.self).runOnce("end-message-media") > 0 {}
      let all = try await reported()
      #expect(Set(all.map(\.object)) == Set(messages.map(\.topic)))
      #expect(all.count == 450)
      #expect(all.allSatisfy { $0.uses.isEmpty })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aPersonLeaves(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let (id, other) = (try await host.talk(ada, bob), try await host.talk(ada, eve))
      let first = try await host.send("Words of Bob", bob, id)
      let second = try await host.send("Words of Ada", ada, id)
      try await host.send("More of Bob", bob, id)
      try await host.send("Elsewhere", ada, other)
      for (user, message) in [(ada, first), (bob, second)] {
        _ = try await user.client.send(
          MatchingAPI.AddReaction(id: id, messageID: message.id, emoji: Emoji(checked: "👍")))
      }
      let offers: [OfferID] = [host.test.ids.make(), host.test.ids.make()]
      try await host.deliver(host.offer(offers[0], id, bob, ada), from: OrdersAPI.self)
      try await host.deliver(host.offer(offers[1], id, bob, ada, madeBy: .seller), from: OrdersAPI.self)
      _ = try await bob.client.send(MatchingAPI.PutConversationSettings(body: ConversationSettings(showRead: false)))
      _ = try await bob.client.send(
        MatchingAPI.ReportMessages(id: id, messageIDs: [second.id], reason: .other))
      _ = try await ada.client.send(
        MatchingAPI.ReportMessages(id: id, messageIDs: [first.id], reason: .spam))

      let texts = try await host.export("messages", of: bob.id)?.elements.compactMap { $0["text"]?.string }
      #expect(texts == ["Words of Bob", "More of Bob"])
      #expect(try await host.export("conversations", of: bob.id)?.elements.count == 1)
      #expect(try await host.export("messageReactions", of: bob.id)?.elements.count == 1)
      #expect(try await host.export("messageReports", of: bob.id)?.elements.count == 1)
      #expect(try await host.export("conversationSettings", of: bob.id)?["showRead"] == false)

      for _ in 0..<2 { try await host.deliver(UserDeleted(userID: bob.id), from: AuthAPI.self) }
      let left = try await host.messages(id, ada)
      #expect(left.map(\.sequence) == [1, 2, 3, 4, 5])
      #expect(left.map(\.text) == [nil, "Words of Ada", nil, nil, nil])
      #expect(left.map(\.authorID) == [nil, ada.id, nil, nil, ada.id])
      #expect(left.map { $0.offer != nil } == [false, false, false, false, true])
      #expect(left.allSatisfy { $0.reactions.isEmpty })
      let seen = try await host.get(id, ada)
      #expect(seen.isClosed)
      #expect(seen.participants.isEmpty)
      #expect(seen.unreadCount == 0)
      #expect(try await code { try await host.send("Hello?", ada, id) } == "conversation-closed")
      #expect(try await host.messages(other, ada).count == 1)
      for section in ["messages", "conversations", "messageReactions", "messageReports"] {
        #expect(try await host.export(section, of: bob.id)?.elements.isEmpty == true, "\(section)")
      }
      #expect(try await host.count("SELECT COUNT(*) FROM message_reports") == 0)
      let rows: SQL = """
        SELECT COUNT(*) FROM conversations WHERE pair LIKE \("%\(bob.id)%")
        """
      #expect(try await host.count(rows) == 0)

      // With the last participant, the conversation goes.
      try await host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self)
      #expect(try await host.count("SELECT COUNT(*) FROM conversations WHERE id = \(id)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM messages WHERE conversation_id = \(id)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM offer_cards") == 0)
      #expect(try await host.messages(other, eve).map(\.isDeleted) == [true])
    }
  }
}
