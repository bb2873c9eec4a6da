import CatalogService
import Contracts
import Foundation
import GatewayService
import OrdersService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService
@testable import MatchingService

/// Offers that are discussed in a conversation.
@Suite(.serialized)
struct ConversationOfferTests {
  @Test(arguments: TestDatabase.allCases)
  func aCardFollowsItsOffer(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (buyer, seller) = (users[0], users[1])
      // Strangers: the offer is in the seller's requests until an answer.
      let id = try await host.start(buyer, seller).id
      let offer: OfferID = host.test.ids.make()
      for _ in 0..<2 { try await host.deliver(host.offer(offer, id, buyer, seller), from: OrdersAPI.self) }
      let card = try #require(try await host.messages(id, seller).first)
      #expect(card.kind == .offer)
      #expect(card.authorID == buyer.id)
      #expect(card.offer?.offerID == offer)
      #expect(card.offer?.status == .pending)
      #expect(card.offer?.amount == Money(9000, .usd))
      #expect(try await host.inbox(seller, .requests).map(\.unreadCount) == [1])
      #expect(try await host.get(id, buyer).unreadCount == 0)
      #expect(try await host.pushes(to: seller).map(\.title) == ["New message request"])

      let counter: OfferID = host.test.ids.make()
      try await host.deliver(host.offer(offer, id, buyer, seller, .countered), from: OrdersAPI.self)
      try await host.deliver(host.offer(counter, id, buyer, seller, madeBy: .seller), from: OrdersAPI.self)
      var cards = try await host.messages(id, buyer)
      #expect(cards.map(\.sequence) == [1, 2])
      #expect(cards.map { $0.offer?.status } == [.countered, .pending])
      #expect(cards.map(\.authorID) == [buyer.id, seller.id])
      #expect(try await host.topicEvents("message.changed").compactMap { $0.data["sequence"] } == [1])
      // An offer whose time has passed is expired without an event.
      host.time.advance(seconds: 48 * 3600)
      cards = try await host.messages(id, buyer)
      #expect(cards.map { $0.offer?.status } == [.countered, .expired])
      let delete = MatchingAPI.DeleteMessage(id: id, messageID: cards[0].id)
      #expect(try await code { _ = try await buyer.client.send(delete) } == "message-not-editable")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anOfferIsNoConsentOfItsRecipient(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "joe", "kim")
      let buyer = users[0]
      var started: [(id: ConversationID, offer: OfferID)] = []
      for seller in users[1...] {
        let (id, offer): (ConversationID, OfferID) = (try await host.start(buyer, seller).id, host.test.ids.make())
        try await host.deliver(host.offer(offer, id, buyer, seller), from: OrdersAPI.self)
        for number in 1...2 { try await host.send("\(number)", buyer, id) }
        #expect(try await code { try await host.send("3", buyer, id) } == "request-unanswered")
        #expect(try await host.get(id, buyer).isPending)
        _ = try await seller.client.send(MatchingAPI.ReportPresence())
        let presence = MatchingAPI.GetPresence(users: UserList([seller.id]))
        #expect(try await buyer.client.send(presence).items.map(\.status) == [.away])
        started.append((id, offer))
      }
      // A counteroffer, the acceptance of the offer and a message are answers; a refusal is none.
      let counter = host.offer(host.test.ids.make(), started[0].id, buyer, users[1], madeBy: .seller)
      try await host.deliver(counter, from: OrdersAPI.self)
      let accepted = host.offer(started[1].offer, started[1].id, buyer, users[2], .accepted)
      try await host.deliver(accepted, from: OrdersAPI.self)
      try await host.send("Hello", users[3], started[2].id)
      let declined = host.offer(started[3].offer, started[3].id, buyer, users[4], .declined)
      try await host.deliver(declined, from: OrdersAPI.self)
      var pending: [Bool] = []
      for conversation in started { pending.append(try await host.get(conversation.id, buyer).isPending) }
      #expect(pending == [false, false, false, true])
    }
  }

  @Test func nothingNewIsPlacedWhereTheTwoCannotTalk() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (buyer, seller, eve) = (users[0], users[1], users[2])
      let (id, other) = (try await host.talk(buyer, seller), try await host.talk(buyer, eve))
      let offer: OfferID = host.test.ids.make()
      try await host.deliver(host.offer(offer, id, buyer, seller), from: OrdersAPI.self)
      try await host.deliver(host.offer(host.test.ids.make(), other, buyer, seller), from: OrdersAPI.self)
      try await host.deliver(
        host.offer(host.test.ids.make(), host.test.ids.make(), buyer, seller), from: OrdersAPI.self)
      try await host.end(buyer, seller)
      try await host.deliver(host.offer(host.test.ids.make(), id, buyer, seller), from: OrdersAPI.self)
      #expect(try await host.messages(other, buyer).isEmpty)
      #expect(try await host.messages(id, buyer).count == 1)
      // A card that was placed before still follows its offer.
      try await host.deliver(host.offer(offer, id, buyer, seller, .declined), from: OrdersAPI.self)
      #expect(try await host.messages(id, buyer).map { $0.offer?.status } == [.declined])
    }
  }

  @Test func ordersChecksConversations() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let id = try await host.talk(users[0], users[1])
      let orders = host.test.platform.client(of: MatchingAPI.self, as: OrdersAPI.name)
      func check(_ id: ConversationID, _ users: TestUser...) async throws -> String? {
        try await code { _ = try await orders.send(MatchingAPI.CheckConversation(id: id, users: users.map(\.id))) }
      }
      #expect(try await check(id, users[0], users[1]) == nil)
      #expect(try await check(id, users[1], users[0]) == nil)
      #expect(try await check(id, users[0], users[2]) == "conversation-not-found")
      #expect(try await check(id, users[2], users[0]) == "conversation-not-found")
      #expect(try await check(host.test.ids.make(), users[0], users[1]) == "conversation-not-found")
      #expect(try await check(id) == "conversation-not-found")
      try await host.end(users[0], users[1])
      #expect(try await check(id, users[0], users[1]) == "conversation-closed")
      let outside = MatchingAPI.CheckConversation(id: id, users: [users[0].id])
      #expect(try await code { _ = try await users[0].client.send(outside) } == "not-found")
    }
  }

  // MARK: with all services

  private static func listing(_ seller: TestUser) async throws -> Listing {
    try await seller.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(validating: "Night drive"), tags: [Tag(validating: "lo-fi")],
        audio: MediaID(trusted: UUID().uuidString.lowercased()),
        licenses: [
          LicenseOption(kind: .exclusive, price: Price(checked: Money(20_000, .usd)), files: [.wav])
        ], acceptsOffers: true)
    )
  }

  private static func offer(_ buyer: TestUser, _ listing: Listing, in conversation: ConversationID) async throws
    -> Offer
  {
    try await buyer.client.send(
      OrdersAPI.MakeOffer(
        listingID: listing.id, license: .exclusive, amount: Price(checked: Money(9000, .usd)),
        conversationID: conversation),
      idempotencyKey: UUID().uuidString
    )
  }

  @Test func aNegotiationIsSeenInItsConversation() async throws {
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self, MatchingPlugin.self,
    ]
    try await TestPlatform.listen(plugins, settings: ConversationHost.unlimited) { test, _ async throws in
      let host = ConversationHost(test: test)
      let (buyer, seller, eve) = (
        TestUser(try await test.client.signUp("buyer"), test.client),
        TestUser(try await test.client.signUp("seller"), test.client),
        TestUser(try await test.client.signUp("eve"), test.client)
      )
      let listing = try await Self.listing(seller)
      let id = try await host.start(buyer, seller, about: listing.id).id
      let foreign = try await host.start(buyer, eve).id
      for conversation in [foreign, test.ids.make()] {
        #expect(
          try await code { _ = try await Self.offer(buyer, listing, in: conversation) } == "conversation-not-found")
      }
      let offer = try await Self.offer(buyer, listing, in: id)
      func statuses() async throws -> [OfferStatus?] { try await host.messages(id, seller).map { $0.offer?.status } }
      try await eventually("the offer is shown") { try await statuses() == [.pending] }
      let counter = try await seller.client.send(
        OrdersAPI.CounterOffer(id: offer.id, amount: Price(checked: Money(15_000, .usd))), idempotencyKey: "c")
      #expect(counter.conversationID == id)
      try await eventually("the counteroffer is shown") { try await statuses() == [.countered, .pending] }
      _ = try await buyer.client.send(OrdersAPI.AcceptOffer(id: counter.id), idempotencyKey: "a")
      try await eventually("the agreement is shown") { try await statuses() == [.countered, .accepted] }
      #expect(try await host.messages(id, buyer).map(\.offer?.amount.amount) == [9000, 15_000])

      // After a block, new offers cannot refer to the conversation.
      let another = try await Self.listing(seller)
      try await host.end(buyer, seller)
      #expect(try await code { _ = try await Self.offer(buyer, another, in: id) } == "conversation-closed")
    }
  }

  @Test func withoutMatchingOffersHaveNoConversation() async throws {
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: ConversationHost.unlimited) { test async throws in
      let (buyer, seller) = (
        TestUser(try await test.client.signUp("buyer"), test.client),
        TestUser(try await test.client.signUp("seller"), test.client)
      )
      let listing = try await Self.listing(seller)
      #expect(
        try await code { _ = try await Self.offer(buyer, listing, in: test.ids.make()) } == "conversations-unavailable")
    }
  }
}
