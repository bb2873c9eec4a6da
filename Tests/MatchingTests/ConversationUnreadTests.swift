import Contracts
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Unread counts and markers.
@Suite(.serialized)
struct ConversationUnreadTests {
  /// The conversation as two users see it, computed from all that happened.
  private struct Oracle {
    struct Sent {
      var id: MessageID
      var author: Int
      var isOffer: Bool
      var isDeleted = false
    }

    var sent: [Sent] = []
    var read = [0, 0]

    func unread(_ user: Int) -> Int {
      sent.enumerated().count { index, message in
        index + 1 > read[user] && message.author != user && !message.isDeleted
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func unreadCountsAreThoseOfAnOracle(_ database: TestDatabase) async throws {
    var random = SeededGenerator()
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      var oracle = Oracle()
      for step in 0..<150 {
        let user = Int.random(in: 0...1, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
          let message = try await host.send("\(step)", users[user], conversation)
          oracle.sent.append(.init(id: message.id, author: user, isOffer: false))
          oracle.read[user] = oracle.sent.count
        case 4:
          let offer: OfferID = host.test.ids.make()
          let party: Offer.Party = user == 0 ? .buyer : .seller
          try await host.deliver(
            host.offer(offer, conversation, users[0], users[1], madeBy: party), from: OrdersAPI.self)
          oracle.sent.append(.init(id: MessageID(trusted: offer.rawValue), author: user, isOffer: true))
        case 5, 6:
          let own = oracle.sent.indices.filter { oracle.sent[$0].author == user && !oracle.sent[$0].isOffer }
          guard let index = own.randomElement(using: &random) else { continue }
          _ = try await users[user].client.send(
            MatchingAPI.DeleteMessage(id: conversation, messageID: oracle.sent[index].id))
          oracle.sent[index].isDeleted = true
        default:
          let upTo = Int.random(in: 0...oracle.sent.count, using: &random)
          let markers = try await host.read(conversation, users[user], upTo: upTo)
          oracle.read[user] = max(oracle.read[user], upTo)
          #expect(markers.readUpTo == oracle.read[user], "\(random)")
          #expect(markers.unreadCount == oracle.unread(user), "\(random)")
        }
        for user in 0...1 {
          let seen = try await host.inbox(users[user]).first
          #expect(seen?.unreadCount == oracle.unread(user), "step \(step), user \(user), \(random)")
          #expect(seen?.readUpTo == oracle.read[user], "\(random)")
        }
      }
      #expect(
        try await host.messages(conversation, users[0]).map(\.isDeleted) == oracle.sent.map(\.isDeleted), "\(random)")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func markersOnlyMoveForward(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let conversation = try await host.talk(ada, bob)
      for number in 1...5 { try await host.send("\(number)", ada, conversation) }
      let received = try await bob.client.send(MatchingAPI.MarkDelivered(id: conversation, upTo: 4))
      #expect(received == ConversationMarkers(deliveredUpTo: 4, readUpTo: 0, unreadCount: 5))
      #expect(try await host.read(conversation, bob, upTo: 3).deliveredUpTo == 4)
      let back = try await host.read(conversation, bob, upTo: 1)
      #expect(back == ConversationMarkers(deliveredUpTo: 4, readUpTo: 3, unreadCount: 2))
      #expect(try await code { _ = try await host.read(conversation, bob, upTo: 6) } == "invalid-request")
      #expect(try await code { _ = try await host.read(conversation, bob, upTo: -1) } == "invalid-request")
      let seen = try await host.get(conversation, ada).participants.first
      #expect(seen?.deliveredUpTo == 4)
      #expect(seen?.readUpTo == 3)
      // A sender has read everything up to their own message.
      let answer = try await host.send("Answer", bob, conversation)
      #expect(try await host.get(conversation, bob).readUpTo == answer.sequence)
      #expect(try await host.get(conversation, bob).unreadCount == 0)
      let marks = try await host.topicEvents("conversation.read").compactMap { $0.data["upTo"] }
      #expect(marks == [3])
      #expect(try await host.topicEvents("conversation.delivered").compactMap { $0.data["upTo"] } == [4])
    }
  }

  @Test func markersOfManyRequestsEndAtTheFurthest() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      for number in 1...30 { try await host.send("\(number)", users[0], conversation) }
      _ = try await concurrently((1...30).reversed()) { upTo in
        try await host.read(conversation, users[1], upTo: upTo)
      }
      #expect(try await host.get(conversation, users[1]).readUpTo == 30)
    }
  }

  @Test func whoHidesReadingIsNotShown() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let conversation = try await host.talk(users[0], users[1])
      try await host.send("Hello", users[0], conversation)
      let hidden = ConversationSettings(showRead: false)
      #expect(try await users[1].client.send(MatchingAPI.PutConversationSettings(body: hidden)) == hidden)
      #expect(try await users[1].client.send(MatchingAPI.GetConversationSettings()) == hidden)
      _ = try await host.read(conversation, users[1], upTo: 1)
      let seen = try await host.get(conversation, users[0]).participants.first
      #expect(seen?.readUpTo == nil)
      #expect(seen?.deliveredUpTo == 1)
      #expect(try await host.topicEvents("conversation.read").isEmpty)
    }
  }
}
