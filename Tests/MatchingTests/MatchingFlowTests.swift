import AuthService
import Contracts
import GatewayService
import MatchingService
import TestKit
import Testing

/// Two people find each other and talk, in each hosting.
@Suite(.serialized)
struct MatchingFlowTests {
  @Test(arguments: Hosting.allCases)
  func twoPeopleFindEachOtherAndTalk(_ hosting: Hosting) async throws {
    try await hosting.run(
      gateway: GatewayPlugin.self,
      services: [(AuthPlugin.self, "auth"), (MatchingPlugin.self, "matching")]
    ) { platform async throws in
      let ada = TestUser(try await platform.client.signUp("ada", app: .roomi), platform.client)
      let bob = TestUser(try await platform.client.signUp("bob", app: .roomi), platform.client)
      for person in [ada, bob] { _ = try await person.client.send(MatchingAPI.PutRoommateProfile.complete()) }

      let deck = try await ada.client.send(MatchingAPI.GetRoommateDeck())
      #expect(deck.items.map(\.user?.displayName) == ["Test bob"])
      #expect(!deck.isStale)
      let first = try await ada.client.send(MatchingAPI.SwipeRoommate(userID: bob.id, decision: .like))
      #expect(!first.isMatch)
      let liked = try await bob.client.send(MatchingAPI.ListRoommateLikes())
      #expect(liked.items.map(\.card.userID) == [ada.id])
      let second = try await bob.client.send(MatchingAPI.SwipeRoommate(userID: ada.id, decision: .like))
      #expect(second.match?.profile?.fullName.rawValue == "Ada Lovelace")
      #expect(try await ada.client.send(MatchingAPI.GetRoommateDeck()).items.isEmpty)

      let conversation = try await ada.client.send(MatchingAPI.StartConversation(userID: bob.id))
      let ids = IDGenerator()
      for text in ["Hello", "Is the room still free?"] {
        _ = try await ada.client.send(
          MatchingAPI.SendMessage(
            id: conversation.id, messageID: ids.make(), text: MessageText(validating: text)))
      }
      let inbox = try await bob.client.send(MatchingAPI.ListConversations())
      #expect(inbox.items.map(\.id) == [conversation.id])
      #expect(inbox.items.map(\.unreadCount) == [2])
      #expect(inbox.items.map(\.lastMessage?.text) == ["Is the room still free?"])
      _ = try await bob.client.send(MatchingAPI.MarkRead(id: conversation.id, upTo: 2))
      let read = try await ada.client.send(MatchingAPI.GetConversation(id: conversation.id))
      #expect(read.participants.map(\.readUpTo) == [2])

      _ = try await bob.client.send(MatchingAPI.BlockUser(userID: ada.id))
      let refused = try await problem {
        _ = try await ada.client.send(
          MatchingAPI.SendMessage(id: conversation.id, messageID: ids.make(), text: MessageText(validating: "Why?")))
      }
      #expect(refused?.code == "conversation-closed")
      #expect(try await ada.client.send(MatchingAPI.ListRoommateMatches()).items.isEmpty)
    }
  }
}
