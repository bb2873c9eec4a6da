import Contracts
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Blocks and connections decide over conversations.
@Suite(.serialized)
struct ConversationRelationTests {
  private static func block(_ host: ConversationHost, _ user: TestUser, _ other: TestUser) async throws {
    #expect(try await host.test.send(.put, "/v1/blocks/\(other.id)", by: user).status == 204)
  }

  private static func connect(_ host: ConversationHost, _ one: TestUser, _ other: TestUser) async throws {
    for (user, other) in [(one, other), (other, one)] {
      let body = #"{"userID":"\#(other.id)"}"#
      #expect(try await host.test.send(.post, "/v1/connections", body, by: user).status == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockClosesConversations(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let id = try await host.talk(ada, bob)
      try await host.send("Before", ada, id)
      try await Self.block(host, bob, ada)
      for (user, other) in [(ada, bob), (bob, ada)] {
        #expect(try await code { try await host.send("After", user, id) } == "conversation-closed")
        // As for an unknown user.
        #expect(try await code { _ = try await host.start(user, other) } == "user-not-found")
        #expect(
          try await user.client.send(MatchingAPI.GetPresence(users: UserList([other.id]))).items.map(\.status) == [
            .away
          ])
        #expect(try await host.messages(id, user).map(\.text) == ["Before"])
      }
      // Unblocking restores nothing: what follows is another conversation, of strangers.
      #expect(try await host.test.send(.delete, "/v1/blocks/\(ada.id)", by: bob).status == 204)
      let next = try await host.start(ada, bob)
      #expect(next.id != id)
      #expect(next.isPending)
      #expect(try await host.get(id, ada).isClosed)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func connectionsReachTheInbox(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      try await Self.connect(host, ada, bob)
      let id = try await host.start(ada, bob).id
      for number in 1...4 { try await host.send("\(number)", ada, id) }
      #expect(try await host.inbox(bob).map(\.unreadCount) == [4])
      #expect(
        try await ada.client.send(MatchingAPI.GetPresence(users: UserList([bob.id]))).items.map(\.status) == [.active])

      // A request ends when its users have come to know each other.
      let request = try await host.start(ada, eve).id
      for number in 1...3 { try await host.send("\(number)", ada, request) }
      try await Self.connect(host, ada, eve)
      try await host.send("4", ada, request)
      #expect(try await host.inbox(eve).map(\.unreadCount) == [4])
    }
  }
}
