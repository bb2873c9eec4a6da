import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The events of auctions for streams: one event for all followers, and personal ones to those who are concerned.
@Suite(.serialized)
struct AuctionTopicTests {
  private static func open(_ seller: TestUser, _ host: TestPlatform) async throws -> Auction {
    let beat = try await host.beat(seller)
    return try await seller.client.send(
      OrdersAPI.CreateAuction(
        listingID: beat.id, startPrice: Price(checked: Money(1000, .usd)),
        closesAt: host.time.source.now().advanced(bySeconds: 3600))
    )
  }

  private static func bid(_ amount: Int64, _ bidder: TestUser, _ auction: Auction) async throws {
    _ = try await bidder.client.send(
      OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString
    )
  }

  private static func events<E: Event>(_ type: E.Type, _ host: TestPlatform) async throws -> [E] {
    try await host.recorded(type, by: OrdersAPI.self)
  }

  @Test(arguments: TestDatabase.allCases)
  func oneEventIsForAllFollowers(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let seller = try await host.person()
      let bidders = try await host.people(10)
      let auction = try await Self.open(seller, host)
      for (index, bidder) in bidders.enumerated() { try await Self.bid(2000 + Int64(index) * 1000, bidder, auction) }
      let events = try await Self.events(TopicEvent.self, host).filter { $0.name == "auction.changed" }
      // Each bid is one event, however many take part.
      #expect(events.count == bidders.count)
      #expect(events.allSatisfy { $0.topic == Topic("auction", auction.id.rawValue) && $0.users.isEmpty })
      #expect(events.last?.data["auction"]?.string == auction.id.rawValue)
      #expect(events.last?.data["event"]?["bidCount"] == .integer(10))
      // Only those who no longer lead are notified, once each.
      let personal = try await Self.events(TopicEvent.self, host).filter { $0.name == "auction.outbid" }
      #expect(personal.map(\.users) == bidders.dropLast().map { [$0.id] })
      #expect(try await Self.events(GroupPushRequested.self, host).map(\.users) == personal.map(\.users))
      let text = String(decoding: try WireJSON.encode(events.map(\.data)), as: UTF8.self)
      #expect(bidders.allSatisfy { !text.contains($0.id.rawValue) })
    }
  }

  /// Each bidder who has lost the lead is notified once.
  @Test(
    "M23: bids that are decided together are one change, and one event for all who are outbid",
    arguments: TestDatabase.allCases)
  func bidsThatAreDecidedTogetherAreOneChange(_ kind: TestDatabase) async throws {
    try await TestPlatform.orders(database: kind) { host async throws in
      let seller = try await host.person()
      let bidders = try await host.people(3)
      let auction = try await Self.open(seller, host)
      let amounts: [Int64] = [1000, 5000, 9000, 20_000]
      let bids = [0, 1, 0, 2].enumerated().map { index, bidder in
        BidQueue.PendingBid(
          id: host.ids.make(), bidder: bidders[bidder].id, maximum: Money(amounts[index], .usd),
          received: ReceiptTime(at: host.time.source.now()), idempotencyKey: nil
        )
      }
      _ = try await host.database(of: OrdersAPI.self).write { tx in
        try BidBatch.decide(bids, on: auction.id, in: tx)
      }
      #expect(try await Self.events(TopicEvent.self, host).count { $0.name == "auction.changed" } == 1)
      let personal = try await Self.events(TopicEvent.self, host).filter { $0.name == "auction.outbid" }
      #expect(personal.map { Set($0.users) } == [[bidders[0].id, bidders[1].id]])
      let pushes = try await Self.events(GroupPushRequested.self, host)
      #expect(pushes.map { Set($0.users) } == [[bidders[0].id, bidders[1].id]])
    }
  }

  @Test func theEndReachesSellerAndWinner() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, winner, loser) = (try await host.person(), try await host.person(), try await host.person())
      let auction = try await Self.open(seller, host)
      try await Self.bid(2000, loser, auction)
      try await Self.bid(5000, winner, auction)
      try await host.close()
      let end = try #require(try await Self.events(TopicEvent.self, host).last { $0.name == "auction.changed" })
      #expect(end.data["event"]?["kind"]?.string == AuctionEvent.Kind.sold.rawValue)
      #expect(Set(end.users) == [seller.id, winner.id])
    }
  }

  /// Signed-in users may follow what they could get.
  @Test func auctionsAreFollowedByThoseWhoMaySeeThem() async throws {
    try await TestPlatform.orders { host async throws in
      let seller = try await host.person()
      let auction = try await Self.open(seller, host)
      let gateway = host.platform.client(of: OrdersAPI.self, as: GatewayAPI.name)
      let topic = Topic("auction", auction.id.rawValue)
      let topics = [
        topic, Topic("auction", IDGenerator().text()), Topic("auction", "x"),
        Topic("auction", auction.id.rawValue, "bids"), Topic("listing", auction.id.rawValue),
      ]
      func allowed(_ role: Role) async throws -> [Topic] {
        let question = TopicsAPI.Authorize(user: host.ids.make(), roles: [role], topics: topics)
        return try await gateway.send(question).topics
      }
      #expect(try await allowed(.user) == [topic])
      #expect(try await allowed(.guest) == [])
      let catalog = host.platform.client(of: OrdersAPI.self, as: CatalogAPI.name)
      let question = TopicsAPI.Authorize(user: host.ids.make(), roles: [.user], topics: topics)
      #expect(await refusal { _ = try await catalog.send(question) } == "service-not-allowed")
    }
  }
}
