import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Messages: sending once, bad input, editing, deleting, reactions, and what is stored and announced.
@Suite(.serialized)
struct ConversationMessageTests {
  @Test(arguments: TestDatabase.allCases)
  func aMessageIsSentOnce(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      let id: MessageID = host.test.ids.make()
      let sent = try await host.send("Hi 👩‍👩‍👧‍👦 café\nthere", ada, conversation, id: id)
      #expect(sent.sequence == 1)
      #expect(sent.authorID == ada.id)
      #expect(try await host.send("Hi 👩‍👩‍👧‍👦 café\nthere", ada, conversation, id: id) == sent)
      #expect(try await host.messages(conversation, bob) == [sent])
      for text in ["Hi", "hi 👩‍👩‍👧‍👦 café\nthere"] {
        #expect(try await code { try await host.send(text, ada, conversation, id: id) } == "message-id-reused")
      }
      // The id is taken for the other participant and in other conversations, too.
      #expect(
        try await code { try await host.send("Hi 👩‍👩‍👧‍👦 café\nthere", bob, conversation, id: id) } == "message-id-reused")
      let other = try await host.talk(ada, users[2])
      #expect(try await code { try await host.send("Hi 👩‍👩‍👧‍👦 café\nthere", ada, other, id: id) } == "message-id-reused")
      #expect(try await host.messages(other, ada).isEmpty)
      #expect(try await host.topicEvents("message.sent").count == 1)
    }
  }

  @Test func whileMessagesAreOffOnlyWhatWasSentIsRepeated() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      let id: MessageID = host.test.ids.make()
      let sent = try await host.send("Hi", users[0], conversation, id: id)
      try await host.test.switchFeature(.messages, isOn: false)
      #expect(try await host.send("Hi", users[0], conversation, id: id) == sent)
      #expect(try await code { try await host.send("More", users[0], conversation) } == "switched-off")
      let edit = MatchingAPI.EditMessage(id: conversation, messageID: id, text: try MessageText(validating: "Other"))
      #expect(try await code { _ = try await users[0].client.send(edit) } == "switched-off")
      #expect(try await host.messages(conversation, users[1]) == [sent])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func twentyEqualRequestsSendOneMessage(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      let id: MessageID = host.test.ids.make()
      let answers = try await concurrently(0..<20) { _ in
        try await host.send("Once", users[0], conversation, id: id)
      }
      #expect(Set(answers.map(\.sequence)) == [1])
      #expect(try await host.messages(conversation, users[1]).map(\.text) == ["Once"])
      #expect(try await host.topicEvents("message.sent").count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theSequenceHasNoGapsUnderManyWriters(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      let sent = try await concurrently(0..<60) { number in
        try await host.send("m\(number)", users[number % 2], conversation)
      }
      #expect(sent.map(\.sequence).sorted() == Array(1...60))
      let stored = try await host.messages(conversation, users[0])
      #expect(stored.map(\.sequence) == Array(1...60))
      #expect(Set(stored.compactMap(\.text)).count == 60)
      let announced = try await host.topicEvents("message.sent").compactMap { $0.data["sequence"] }
      #expect(Set(announced.map { "\($0)" }).count == 60)
    }
  }

  @Test func badInputIsRefused() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, eve) = (users[0], users[2])
      let conversation = try await host.talk(ada, users[1])
      func put(_ body: String, _ id: String = MessageID.example.rawValue) async throws -> Int {
        let target = "/v1/conversations/\(conversation)/messages/\(id)"
        return try await host.test.send(.put, target, body, by: ada).status
      }
      let long = String(repeating: "a", count: 10_000)
      for text in [long, "", " \\n ", "a\\u0000b", "a\\u0007b", "a\\u001b[31m", "\\u202e", "\\u200b\\ufeff", "\\u0085"]
      {
        #expect(try await put(#"{"text":"\#(text)"}"#) == 422, "\(text.prefix(20))")
      }
      #expect(try await put("{}") == 422)
      #expect(try await put(#"{"media":[]}"#) == 422)
      let media = (0..<11).map { _ in "\"\(MediaID.example)\"" }.joined(separator: ",")
      #expect(try await put("{\"media\":[\(media)]}") == 422)
      #expect(try await put(#"{"text":"a","replyTo":"01890a5d-ac96-774b-bcce-b302099a8099"}"#) == 422)
      #expect(try await put(#"{"text":"a"}"#, "not-a-uuid") == 422)
      #expect(try await put(#"{"text":"a""#) == 400)
      #expect(try await code { try await host.send("a", eve, conversation) } == "conversation-not-found")
      #expect(try await host.messages(conversation, ada).isEmpty)
      // The longest text there may be, of characters of four bytes.
      #expect(try await put("{\"text\":\"\(String(repeating: "😀", count: 5000))\"}") == 200)
      #expect(try await host.messages(conversation, ada).first?.text?.count == 5000)
    }
  }

  @Test func textsAreEncryptedAndNotAnnounced() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      try await host.send("Geheimnis", users[0], conversation)
      let stored = try await host.database.read { db in
        try db.values("SELECT text FROM messages UNION ALL SELECT data FROM outbox", as: String.self)
      }
      #expect(stored.count >= 2)
      #expect(!stored.contains { $0.contains("Geheimnis") })
      #expect(stored.first?.hasPrefix("v1.") == true)
    }
  }

  @Test func onlyTheAuthorEditsAndOnlySoon() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      let sent = try await host.send("Teh room", ada, conversation)
      func edit(_ user: TestUser) async throws -> Message {
        try await user.client.send(
          MatchingAPI.EditMessage(id: conversation, messageID: sent.id, text: MessageText(validating: "The room")))
      }
      host.time.advance(seconds: 900)
      let edited = try await edit(ada)
      #expect(edited.text == "The room")
      #expect(edited.sequence == 1)
      #expect(edited.editedAt == host.time.source.now())
      #expect(try await code { _ = try await edit(bob) } == "message-not-editable")
      // A late retry of the first request still finds its message.
      #expect(try await host.send("Teh room", ada, conversation, id: sent.id) == edited)
      host.time.advance(seconds: 1)
      #expect(try await code { _ = try await edit(ada) } == "message-not-editable")
      #expect(try await host.topicEvents("message.changed").map(\.users) == [[bob.id]])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedMessageKeepsItsPlace(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      let first = try await host.send("One", ada, conversation)
      try await host.send("Two", ada, conversation)
      #expect(try await host.get(conversation, bob).unreadCount == 2)
      let delete = MatchingAPI.DeleteMessage(id: conversation, messageID: first.id)
      #expect(try await code { _ = try await bob.client.send(delete) } == "message-not-editable")
      for _ in 0..<2 { _ = try await ada.client.send(delete) }
      #expect(try await host.get(conversation, bob).unreadCount == 1)
      let left = try await host.messages(conversation, bob)
      #expect(left.map(\.sequence) == [1, 2])
      #expect(left.map(\.text) == [nil, "Two"])
      #expect(left.map(\.isDeleted) == [true, false])
      #expect(
        try await host.count("SELECT COUNT(*) FROM messages WHERE text IS NOT NULL OR fingerprint IS NOT NULL") == 1)
      // A late retry does not bring it back.
      #expect(try await host.send("One", ada, conversation, id: first.id).isDeleted)
      let edit = MatchingAPI.EditMessage(id: conversation, messageID: first.id, text: try MessageText(validating: "x"))
      #expect(try await code { _ = try await ada.client.send(edit) } == "message-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func reactionsAreEmojiOfBothSides(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      let sent = try await host.send("News", ada, conversation)
      func react(_ emoji: String, _ user: TestUser) async throws {
        _ = try await user.client.send(
          MatchingAPI.AddReaction(id: conversation, messageID: sent.id, emoji: Emoji(validating: emoji)))
      }
      for user in users { for _ in 0..<2 { try await react("👍🏽", user) } }
      for emoji in ["❤️", "👨‍👩‍👧", "🇩🇪", "1️⃣"] { try await react(emoji, bob) }
      #expect(try await code { try await react("🎉", bob) } == "reaction-limit")
      let remove = MatchingAPI.RemoveReaction(id: conversation, messageID: sent.id, emoji: Emoji(checked: "❤️"))
      for _ in 0..<2 { _ = try await bob.client.send(remove) }
      let reactions = try await host.messages(conversation, ada).first?.reactions ?? []
      #expect(reactions.count == 4)
      #expect(Set(reactions.first { $0.emoji.rawValue == "👍🏽" }?.users ?? []) == [ada.id, bob.id])
      for text in ["a", "ab", "👍👍", "5", "🇩", "", "👍a"] {
        let path = "/v1/conversations/\(conversation)/messages/\(sent.id)/reactions/\(PercentEncoding.of(text))"
        let status = try await host.test.send(.put, path, by: ada).status
        #expect(status == (text.isEmpty ? 404 : 422), "\(text)")
      }
    }
  }

  @Test func repliesNameAMessageOfTheConversation() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (first, second) = (try await host.talk(users[0], users[1]), try await host.talk(users[0], users[2]))
      let (one, two) = (try await host.send("a", users[0], first), try await host.send("b", users[0], second))
      #expect(try await host.send("c", users[1], first, replyTo: one.id).replyTo == one.id)
      #expect(try await code { try await host.send("d", users[1], first, replyTo: two.id) } == "invalid-request")
    }
  }

  @Test func aClosedConversationIsReadOnly() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      let sent = try await host.send("Before", ada, conversation)
      let topic = ConversationEvents.topic(conversation)
      try await host.end(bob, ada)
      #expect(try await host.events(TopicAccessEnded.self).map(\.topics) == [[topic]])
      for user in users {
        #expect(try await code { try await host.send("After", user, conversation) } == "conversation-closed")
        #expect(try await host.messages(conversation, user).map(\.text) == ["Before"])
        let seen = try await host.get(conversation, user)
        #expect(seen.isClosed)
        #expect(!seen.isActive)
        #expect(seen.participants.isEmpty)
        let typing = MatchingAPI.SendTyping(id: conversation)
        #expect(try await code { _ = try await user.client.send(typing) } == "conversation-closed")
      }
      let edit = MatchingAPI.EditMessage(id: conversation, messageID: sent.id, text: try MessageText(validating: "x"))
      #expect(try await code { _ = try await ada.client.send(edit) } == "conversation-closed")
      // A retry of what was sent before still succeeds, and one can take back what one wrote.
      #expect(try await host.send("Before", ada, conversation, id: sent.id).text == "Before")
      _ = try await ada.client.send(MatchingAPI.DeleteMessage(id: conversation, messageID: sent.id))
      // A new conversation is another one.
      #expect(try await host.start(ada, bob).id != conversation)
    }
  }

  @Test func deletingInAClosedConversationIsNotAnnounced() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      let sent = try await host.send("Before", users[0], conversation)
      let emoji = Emoji(checked: "👍")
      _ = try await users[0].client.send(
        MatchingAPI.AddReaction(id: conversation, messageID: sent.id, emoji: emoji))
      try await host.end(users[1], users[0])
      let before = try await host.events(TopicEvent.self).count
      _ = try await users[0].client.send(
        MatchingAPI.RemoveReaction(id: conversation, messageID: sent.id, emoji: emoji))
      _ = try await users[0].client.send(MatchingAPI.DeleteMessage(id: conversation, messageID: sent.id))
      #expect(try await host.messages(conversation, users[1]).map(\.isDeleted) == [true])
      #expect(try await host.events(TopicEvent.self).count == before)
    }
  }

  @Test func editsOfARequestDoNotReachItsRecipient() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.start(users[0], users[1]).id
      let sent = try await host.send("Hi", users[0], conversation)
      let edit = MatchingAPI.EditMessage(id: conversation, messageID: sent.id, text: try MessageText(validating: "x"))
      _ = try await users[0].client.send(edit)
      _ = try await users[1].client.send(MatchingAPI.AcceptConversation(id: conversation))
      _ = try await users[0].client.send(edit)
      #expect(try await host.topicEvents("message.changed").map(\.users) == [[], [users[1].id]])
    }
  }

  @Test func editingIsLimited() async throws {
    try await ConversationHost.run(settings: ["matching.messages": "3/10"]) { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      let sent = try await host.send("One", users[0], conversation)
      let edit = MatchingAPI.EditMessage(id: conversation, messageID: sent.id, text: try MessageText(validating: "x"))
      for _ in 0..<2 { _ = try await users[0].client.send(edit) }
      #expect(try await code { _ = try await users[0].client.send(edit) } == "too-many-requests")
    }
  }

  @Test func sendingIsLimited() async throws {
    try await ConversationHost.run(settings: ["matching.messages": "3/10"]) { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      for number in 1...3 { try await host.send("\(number)", users[0], conversation) }
      let refusal = try await problem { try await host.send("4", users[0], conversation) }
      #expect(refusal?.code == "too-many-requests")
      #expect(refusal?.retryAfter == 4)
      try await host.send("Not limited", users[1], conversation)
      host.time.advance(seconds: 4)
      try await host.send("4", users[0], conversation)
    }
  }
}

/// Percent-encodes all bytes of a path segment.
private enum PercentEncoding {
  static func of(_ text: String) -> String { text.utf8.map { String(format: "%%%02X", $0) }.joined() }
}
