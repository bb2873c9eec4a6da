import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The consequences when bidders do not pay: strikes, and the offer to the next bidder.
@Suite(.serialized)
struct SecondChanceTests {
  private static let matching = ["services.matching.url": "http://127.0.0.1:1"]

  /// An auction that the last of some bidders has won with the highest of their bids, and not paid for.
  private func unpaid(_ bidders: [TestUser], reserve: Int64? = nil, _ host: TestPlatform) async throws -> Auction {
    let auction = try await won(bidders, reserve: reserve, host)
    try await host.letPaymentsExpire()
    return auction
  }

  private func won(_ bidders: [TestUser], reserve: Int64? = nil, _ host: TestPlatform) async throws -> Auction {
    let seller = try await host.person()
    let auction = try await host.auction(host.beat(seller), seller, reserve: reserve)
    for (number, bidder) in bidders.enumerated() { try await bidder.bid(2000 + Int64(number) * 2000, auction) }
    try await host.close()
    return auction
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeclinedChanceGoesOnToTheNextBidder(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let people = try await host.people(4)
      _ = try await unpaid(people, host)
      for (index, amount) in [(2, 6000), (1, 4000), (0, 2000)] as [(Int, Int64)] {
        let chance = try #require(try await people[index].chances().first)
        #expect(chance.amount == Money(amount, .usd))
        try await people[index].decline(chance)
        #expect(try await people[index].client.send(OrdersAPI.GetOffer(id: chance.id)).status == .declined)
      }
      for person in people { #expect(try await person.chances().isEmpty) }
    }
  }

  @Test func anExpiredChanceGoesOnToTheNextBidder() async throws {
    try await TestPlatform.orders { host async throws in
      let people = try await host.people(3)
      _ = try await unpaid(people, host)
      #expect(try await people[1].chances().count == 1)
      #expect(try await people[0].chances().isEmpty)
      try await host.letPaymentsExpire()
      #expect(try await people[1].chances().isEmpty)
      #expect(try await people[0].chances().count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anAcceptedChanceThatIsNotPaidGoesOnAndIsAStrike(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let people = try await host.people(3)
      let auction = try await unpaid(people, host)
      let chance = try #require(try await people[1].chances().first)
      _ = try await people[1].client.send(OrdersAPI.AcceptOffer(id: chance.id), idempotencyKey: "yes")
      try await host.letPaymentsExpire()
      #expect(try await people[0].chances().count == 1)
      let strikes = try await host.owner().client.send(OrdersAPI.ListAuctionStrikes()).items
      #expect(strikes.map(\.userID) == [people[1].id, people[2].id])
      #expect(strikes.allSatisfy { $0.auctionID == auction.id && $0.liftedAt == nil })
    }
  }

  @Test func theReserveHoldsForChances() async throws {
    try await TestPlatform.orders { host async throws in
      let people = try await host.people(3)
      _ = try await unpaid(people, reserve: 4000, host)
      let chance = try #require(try await people[1].chances().first)
      try await people[1].decline(chance)
      #expect(try await people[0].chances().isEmpty)
    }
  }

  @Test("M18: a blocked person gets no second chance", arguments: TestDatabase.allCases)
  func blockedPeopleGetNoChance(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: Self.matching, database: database) { host async throws in
      let people = try await host.people(4)
      let auction = try await won(people, host)
      for event in [
        BlockChanged(blocker: auction.sellerID, blocked: people[2].id, isBlocked: true),
        BlockChanged(blocker: people[1].id, blocked: auction.sellerID, isBlocked: true),
      ] { try await host.deliver(event, from: MatchingAPI.self, to: OrdersAPI.self) }
      try await host.letPaymentsExpire()
      #expect(try await people[2].chances().isEmpty)
      #expect(try await people[1].chances().isEmpty)
      let chance = try #require(try await people[0].chances().first)
      // A block ends an open chance.
      let block = BlockChanged(blocker: auction.sellerID, blocked: people[0].id, isBlocked: true)
      try await host.deliver(block, from: MatchingAPI.self, to: OrdersAPI.self)
      #expect(try await people[0].client.send(OrdersAPI.GetOffer(id: chance.id)).status == .declined)
    }
  }

  @Test("M18: a deleted person gets no second chance, and an open one goes on", arguments: TestDatabase.allCases)
  func deletedPeopleGetNoChance(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let people = try await host.people(4)
      _ = try await won(people, host)
      try await host.erase(people[2])
      try await host.letPaymentsExpire()
      #expect(try await people[2].chances().isEmpty)
      #expect(try await people[1].chances().count == 1)
      try await host.erase(people[1])
      #expect(try await people[0].chances().count == 1)
    }
  }

  // MARK: strikes

  @Test(arguments: TestDatabase.allCases)
  func whoDoesNotPayMayNotBidUntilAStrikeIsLifted(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "2"], database: database) { host async throws in
      let (ada, owner) = (try await host.person(), try await host.owner())
      for _ in 0..<2 { _ = try await unpaid([ada], host) }
      let seller = try await host.person()
      let auction = try await host.auction(host.beat(seller), seller, buyNow: 5000)
      #expect(await refusal { try await ada.bid(2000, auction) } == "bidding-suspended")
      let buy = OrdersAPI.BuyNow(id: auction.id)
      #expect(await refusal { _ = try await ada.client.send(buy, idempotencyKey: "b") } == "bidding-suspended")
      let strikes = try await owner.client.send(OrdersAPI.ListAuctionStrikes(user: ada.id)).items
      #expect(strikes.count == 2)
      let lift = OrdersAPI.LiftAuctionStrike(id: strikes[0].id)
      _ = try await owner.client.send(lift)
      let lifted = try await owner.client.send(OrdersAPI.ListAuctionStrikes(user: ada.id)).items
      #expect(lifted.map(\.liftedAt) == [host.time.source.now(), nil])
      try await ada.bid(2000, auction)
      #expect(await refusal { _ = try await ada.client.send(lift) } == "forbidden")
      #expect(await refusal { _ = try await ada.client.send(OrdersAPI.ListAuctionStrikes()) } == "forbidden")
      let unknown = OrdersAPI.LiftAuctionStrike(id: host.ids.make())
      #expect(await refusal { _ = try await owner.client.send(unknown) } == "auction-strike-not-found")
    }
  }

  @Test func whatTheShopCancelsIsNoStrike() async throws {
    try await TestPlatform.orders { host async throws in
      let (ada, owner) = (try await host.person(), try await host.owner())
      let auction = try await won([ada], host)
      let order = try #require(try await ada.auction(auction).orderID)
      _ = try await owner.client.send(OrdersAPI.CancelOrder(id: order))
      #expect(try await owner.client.send(OrdersAPI.ListAuctionStrikes()).items.isEmpty)
    }
  }
}

extension TestPlatform {
  /// Does what orders does when an account has been deleted.
  func erase(_ user: TestUser) async throws {
    let orders = try orders
    try await database(of: OrdersAPI.self).write { try orders.eraseAll(of: user.id, in: $0) }
  }
}
