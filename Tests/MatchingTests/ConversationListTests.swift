import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// The inbox, pages of messages, and search.
@Suite(.serialized)
struct ConversationListTests {
  @Test(arguments: TestDatabase.allCases)
  func theLatestActivityComesFirst(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "joe")
      let ada = users[0]
      var ids: [ConversationID] = []
      for other in users[1...] {
        ids.append(try await host.talk(ada, other))
        host.time.advance(seconds: 1)
      }
      try await host.send(String(repeating: "ä", count: 300), users[1], ids[0])
      let list = try await host.inbox(ada)
      #expect(list.map(\.id) == [ids[0], ids[2], ids[1]])
      #expect(list.first?.lastMessage?.text == String(repeating: "ä", count: 200))
      #expect(list.first?.unreadCount == 1)
      #expect(list.map { $0.participants.first?.name?.username } == ["bob", "joe", "eve"])

      // Pages stay as they are while a conversation moves to the front.
      var (seen, cursor): ([ConversationID], String?) = ([], nil)
      repeat {
        let page = try await ada.client.send(MatchingAPI.ListConversations(limit: PageSize(checked: 1), cursor: cursor))
        (seen, cursor) = (seen + page.items.map(\.id), page.nextCursor)
        host.time.advance(seconds: 1)
        try await host.send("Again", users[1], ids[0])
      } while cursor != nil
      #expect(seen == [ids[0], ids[2], ids[1]])
      let bad = MatchingAPI.ListConversations(cursor: "1_2")
      #expect(try await code { _ = try await ada.client.send(bad) } == "invalid-request")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aHiddenConversationReturnsWithAMessage(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.talk(users[0], users[1])
      try await host.send("One", users[0], id)
      _ = try await users[1].client.send(MatchingAPI.HideConversation(id: id))
      #expect(try await host.inbox(users[1]).isEmpty)
      #expect(try await host.inbox(users[0]).count == 1)
      try await host.send("Two", users[0], id)
      #expect(try await host.inbox(users[1]).map(\.unreadCount) == [2])
    }
  }

  @Test func theInboxAnswersWithoutAuth() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let id = try await host.talk(users[0], users[1])
      #expect(try await !users[0].client.send(MatchingAPI.ListConversations()).isStale)
      try await host.test.database(of: AuthAPI.self).close()
      host.time.advance(seconds: 61)
      let list = try await users[0].client.send(MatchingAPI.ListConversations())
      #expect(list.isStale)
      #expect(list.items.map(\.id) == [id])
      #expect(list.items.first?.participants.first?.name?.displayName == "The bob")
      try await host.send("Still works", users[0], id)
      // Whether a stranger exists cannot be known now.
      #expect(try await code { _ = try await host.start(users[0], users[2]) } == "unavailable")
    }
  }

  @Test func messagesArePagedBothWays() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, client) = (users[0], users[0].client)
      let (id, other) = (try await host.talk(ada, users[1]), try await host.talk(ada, users[2]))
      for number in 1...7 { try await host.send("\(number)", ada, id) }
      try await host.send("x", ada, other)
      let size = PageSize(checked: 3)
      let newest = try await client.send(MatchingAPI.ListMessages(id: id, limit: size))
      #expect(newest.items.map(\.sequence) == [7, 6, 5])
      try await host.send("8", ada, id)
      let next = try await client.send(MatchingAPI.ListMessages(id: id, limit: size, cursor: newest.nextCursor))
      #expect(next.items.map(\.sequence) == [4, 3, 2])
      let last = try await client.send(MatchingAPI.ListMessages(id: id, limit: size, cursor: next.nextCursor))
      #expect(last.items.map(\.sequence) == [1])
      #expect(last.nextCursor == nil)
      let after = try await client.send(MatchingAPI.ListMessages(id: id, after: 6))
      #expect(after.items.map(\.sequence) == [7, 8])
      #expect(try await client.send(MatchingAPI.ListMessages(id: id, before: 3)).items.map(\.sequence) == [2, 1])

      let cursor = try #require(newest.nextCursor)
      for request in [
        MatchingAPI.ListMessages(id: other, cursor: cursor), MatchingAPI.ListMessages(id: id, cursor: "nonsense"),
        MatchingAPI.ListMessages(id: id, before: 3, after: 1),
      ] {
        #expect(try await code { _ = try await client.send(request) } == "invalid-request")
      }
      let foreign = MatchingAPI.ListMessages(id: other)
      #expect(try await code { _ = try await users[1].client.send(foreign) } == "conversation-not-found")
    }
  }

  // MARK: search

  private static func search(
    _ query: String, _ user: TestUser, in conversation: ConversationID? = nil, limit: Int = 20
  ) async throws -> (found: [Message], pages: Int) {
    var (found, cursor, pages): ([Message], String?, Int) = ([], nil, 0)
    repeat {
      let page = try await user.client.send(
        MatchingAPI.SearchMessages(
          query: ShortText(validating: query), conversation: conversation, limit: PageSize(checked: limit),
          cursor: cursor))
      (found, cursor, pages) = (found + page.items, page.nextCursor, pages + 1)
    } while cursor != nil
    return (found, pages)
  }

  @Test(arguments: TestDatabase.allCases)
  func searchIgnoresCaseAndDiacritics(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let (one, two) = (try await host.talk(ada, bob), try await host.talk(eve, bob))
      for number in 1...5 { try await host.send("Café \(number)", ada, one) }
      let deleted = try await host.send("cafe deleted", ada, one)
      _ = try await ada.client.send(MatchingAPI.DeleteMessage(id: one, messageID: deleted.id))
      try await host.send("Tea", bob, one)
      try await host.send("CAFE of others", eve, two)
      for limit in [1, 2, 20] {
        let found = try await Self.search("cAfÉ", ada, limit: limit).found
        #expect(found.map(\.text) == (1...5).reversed().map { "Café \($0)" }, "limit \(limit)")
      }
      #expect(Set(try await Self.search("cafe", bob).found.map(\.conversationID)) == [one, two])
      #expect(try await Self.search("cafe", bob, in: two).found.map(\.text) == ["CAFE of others"])
      #expect(try await Self.search("nothing", ada).found.isEmpty)
      let foreign = MatchingAPI.SearchMessages(query: ShortText(checked: "cafe"), conversation: two)
      #expect(try await code { _ = try await ada.client.send(foreign) } == "conversation-not-found")
    }
  }

  /// More messages than one request looks at, in several conversations: all are found, each once.
  @Test func searchContinuesWhereItStopped() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      var wanted: Set<MessageID> = []
      for count in [3, 2100, 2, 900] {
        let id = try await host.talk(ada, bob, about: host.test.ids.make())
        host.time.advance(seconds: 3600)
        let sent = try await concurrently(0..<16) { lane in
          var sent: [Message] = []
          for number in stride(from: lane, to: count, by: 16) {
            sent.append(try await host.send(number % 700 == 0 ? "needle \(number)" : "hay", ada, id))
          }
          return sent
        }.flatMap { $0 }
        wanted.formUnion(sent.filter { $0.text != "hay" }.map(\.id))
      }
      let (found, pages) = try await Self.search("NEEDLE", bob)
      #expect(Set(found.map(\.id)) == wanted)
      #expect(found.count == wanted.count)
      #expect(pages == 2)
      let small = try await Self.search("needle", bob, limit: 1)
      #expect(small.found.map(\.id) == found.map(\.id))
    }
  }

  @Test func aSearchCursorBeforeTheFirstMessageIsRefused() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.talk(users[0], users[1])
      try await host.send("needle", users[0], id)
      for before in [Int.min, -1, 0] {
        let search = MatchingAPI.SearchMessages(query: ShortText(checked: "needle"), cursor: "\(id)_\(before)")
        #expect(try await code { _ = try await users[0].client.send(search) } == "invalid-request", "\(before)")
      }
      let most = MatchingAPI.SearchMessages(query: ShortText(checked: "needle"), cursor: "\(id)_\(Int.max)")
      #expect(try await users[0].client.send(most).items.count == 1)
    }
  }

  /// Long texts end a page earlier, and all are found nevertheless.
  @Test func aSearchReadsABoundedAmountOfText() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.talk(users[0], users[1])
      let first = try await host.send("needle", users[0], id)
      for _ in 0..<40 { try await host.send(String(repeating: "😀", count: 5000), users[0], id) }
      let (found, pages) = try await Self.search("needle", users[1])
      #expect(found.map(\.id) == [first.id])
      // 15 texts of 20,000 bytes reach the 300,000 bytes of a page.
      #expect(pages == 3)
    }
  }

  @Test func searchesAreLimited() async throws {
    try await ConversationHost.run(settings: ["matching.searches": "2/10"]) { host async throws in
      let users = try await host.users("ada", "bob")
      let search = MatchingAPI.SearchMessages(query: ShortText(checked: "needle"))
      for _ in 0..<2 { _ = try await users[0].client.send(search) }
      #expect(try await code { _ = try await users[0].client.send(search) } == "too-many-requests")
      _ = try await users[1].client.send(search)
      host.time.advance(seconds: 5)
      _ = try await users[0].client.send(search)
    }
  }
}
