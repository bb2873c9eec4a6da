import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// The rights that one account may keep from others in auctions without paying: no auction by buy-now, and few by bids.
@Suite(.serialized)
struct AuctionLimitsTests {
  private func auctions(_ count: Int, _ host: TestPlatform) async throws -> [Auction] {
    let seller = try await host.person()
    var auctions: [Auction] = []
    for _ in 0..<count { auctions.append(try await host.auction(host.beat(seller), seller, buyNow: 5000)) }
    return auctions
  }

  private func buy(_ auction: Auction, _ buyer: TestUser) async throws -> Order {
    try await buyer.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: UUID().uuidString)
  }

  // MARK: buy-now

  @Test("An unpaid buy-now stands in the way of no bid, and cannot be paid after one", arguments: TestDatabase.allCases)
  func unpaidBuyNowsBlockNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let auction = try await auctions(1, host)[0]
      let order = try await buy(auction, ada)
      #expect(try await bob.auction(auction).status == .open)
      #expect(try await bob.bid(3000, auction).isLeading)
      #expect(await refusal { _ = try await host.pay(order.id, ada) } == "listing-not-for-sale")
      try await host.close()
      let won = try #require(try await bob.auction(auction).orderID)
      #expect(try await host.pay(won, bob).status == .placed)
      #expect(try await host.order(order.id, ada).status == .expired)
      #expect(try await host.owner().client.send(OrdersAPI.ListAuctionStrikes()).items.isEmpty)
    }
  }

  @Test("Of two buy-nows the one that is paid first wins, and ends the auction")
  func theFirstPaidBuyNowWins() async throws {
    try await TestPlatform.orders { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let auction = try await auctions(1, host)[0]
      let (late, first) = (try await buy(auction, ada), try await buy(auction, bob))
      #expect(try await host.pay(first.id, bob).status == .placed)
      #expect(try await host.order(late.id, ada).status == .canceled)
      #expect(try await bob.auction(auction).orderID == first.id)
      #expect(await refusal { try await ada.bid(9000, auction) } == "auction-closed")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("A payment of a buy-now that arrives after the first bid is refunded, and the auction goes on")
  func lateBuyNowPaymentIsRefunded() async throws {
    try await TestPlatform.orders { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let auction = try await auctions(1, host)[0]
      let order = try await buy(auction, ada)
      let paying = try await host.pay(order.id, ada, token: "test_later")
      try await bob.bid(3000, auction)
      try await host.succeed(paying)
      #expect(try await host.order(order.id, ada).status == .canceled)
      #expect(try await host.refunds(of: order).map(\.amount) == [order.total])
      #expect(try await bob.auction(auction).isLeading)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("A buy-now cannot be paid when its auction was canceled")
  func canceledAuctionsEndBuyNows() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller, buyNow: 5000)
      let order = try await buy(auction, ada)
      _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id))
      #expect(await refusal { _ = try await host.pay(order.id, ada) } == "listing-not-for-sale")
    }
  }

  @Test("A buy-now is to be paid before its auction ends")
  func buyNowsEndWithTheAuction() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller, buyNow: 5000, seconds: 60)
      #expect(try await buy(auction, ada).payBy == auction.closesAt)
    }
  }

  // MARK: obligations

  @Test("No one takes on more unpaid obligations than the limit", arguments: TestDatabase.allCases)
  func unpaidObligationsAreLimited(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "2"], database: database) { host async throws in
      let ada = try await host.person()
      let ended = try await auctions(1, host)[0]
      try await ada.bid(2000, ended)
      try await host.close()
      let won = try #require(try await ada.auction(ended).orderID)
      let others = try await auctions(2, host)
      _ = try await buy(others[0], ada)
      #expect(await refusal { _ = try await buy(others[1], ada) } == "bidding-suspended")
      #expect(await refusal { try await ada.bid(2000, others[1]) } == "bidding-suspended")
      #expect(try await host.pay(won, ada).status == .placed)
      try await ada.bid(2000, others[1])
    }
  }

  @Test("A second chance is not accepted with too many unpaid obligations")
  func chancesAreObligations() async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "1"]) { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let auction = try await auctions(1, host)[0]
      try await ada.bid(2000, auction)
      try await bob.bid(4000, auction)
      try await host.close()
      try await host.letPaymentsExpire()
      let chance = try #require(try await ada.chances().first)
      let bought = try await buy(try await auctions(1, host)[0], ada)
      #expect(await refusal { _ = try await host.accept(chance, ada) } == "bidding-suspended")
      #expect(try await host.pay(bought.id, ada).status == .placed)
      _ = try await host.accept(chance, ada)
    }
  }

  @Test("Sellers cannot accept the offers of who has too many unpaid obligations", arguments: TestDatabase.allCases)
  func acceptedOffersAreObligations(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "2"], database: database) { host async throws in
      let (ada, bob, seller) = (try await host.person(), try await host.person(), try await host.person())
      var (beats, offers): ([Listing], [Offer]) = ([], [])
      for _ in 0..<3 { beats.append(try await host.beat(seller)) }
      for beat in beats { offers.append(try await host.offer(15_000, ada, beat, .exclusive)) }
      let order = try await host.accept(offers[0], seller)
      _ = try await host.accept(offers[1], seller)
      #expect(await refusal { _ = try await host.accept(offers[2], seller) } == "listing-not-for-sale")
      // The refused acceptance ends no one else's offer.
      #expect(try await host.offer(15_000, bob, beats[2], .exclusive).status == .pending)
      let another = try await host.beat(seller)
      #expect(await refusal { _ = try await host.offer(15_000, ada, another, .exclusive) } == "bidding-suspended")
      #expect(try await host.pay(order, ada).status == .placed)
      _ = try await host.accept(offers[2], seller)
    }
  }

  @Test("An accepted offer that is not paid for is a strike", arguments: TestDatabase.allCases)
  func unpaidOffersAreStrikes(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "1"], database: database) { host async throws in
      let (ada, seller) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let order = try await host.accept(host.offer(15_000, ada, beat, .exclusive), seller)
      try await host.letPaymentsExpire()
      let strikes = try await host.owner().client.send(OrdersAPI.ListAuctionStrikes()).items
      #expect(strikes.map(\.userID) == [ada.id])
      #expect(strikes.map(\.orderID) == [order])
      #expect(strikes.compactMap(\.auctionID).isEmpty)
      #expect(await refusal { _ = try await host.offer(15_000, ada, beat, .exclusive) } == "bidding-suspended")
    }
  }

  @Test("Who has too many unpaid obligations gets no second chance", arguments: TestDatabase.allCases)
  func chancesGoToThoseWhoPay(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionStrikes": "1"], database: database) { host async throws in
      let people = try await host.people(3)
      let auction = try await auctions(1, host)[0]
      for (index, amount) in [(0, 2000), (1, 4000), (2, 6000)] { try await people[index].bid(Int64(amount), auction) }
      try await host.close()
      host.time.advance(seconds: 46 * 3600)
      let other = try await auctions(1, host)[0]
      try await people[1].bid(2000, other)
      try await host.close()
      try await host.letPaymentsExpire(afterSeconds: 2 * 3600)
      #expect(try await people[1].chances().isEmpty)
      #expect(try await people[0].chances().count == 1)
    }
  }

  @Test("No one leads more running auctions than the setting says", arguments: TestDatabase.allCases)
  func ledAuctionsAreLimited(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.auctionLeads": "2"], database: database) { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let auctions = try await auctions(3, host)
      for auction in auctions[..<2] { try await ada.bid(2000, auction) }
      #expect(await refusal { try await ada.bid(2000, auctions[2]) } == "leading-too-many")
      try await ada.bid(3000, auctions[0])
      try await bob.bid(9000, auctions[0])
      try await ada.bid(2000, auctions[2])
    }
  }

  @Test("Bids on different auctions do not conflict by their bidders' limits, which are read before")
  func batchesReadNoOtherAuctions() async throws {
    try await TestPlatform.orders(database: .postgresql) { host async throws in
      let ada = try await host.person()
      let auction = try await auctions(1, host)[0]
      let bid = BidQueue.PendingBid(
        id: host.ids.make(), bidder: ada.id, maximum: Money(2000, .usd),
        received: ReceiptTime(at: host.time.source.now()), idempotencyKey: nil)
      let read = try await host.database(of: OrdersAPI.self).write { tx in
        _ = try BidBatch.decide([bid], on: auction.id, in: tx)
        return try tx.values(
          """
          SELECT DISTINCT CAST(c.relname AS TEXT) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
          WHERE l.mode = 'SIReadLock' AND l.pid = pg_backend_pid()
          """, as: String.self)
      }
      #expect(read.contains { $0.hasPrefix("auctions") })
      let limits = ["orders", "orders_owed", "auction_strikes", "auction_strikes_by_user", "auctions_led"]
      #expect(Set(read).isDisjoint(with: limits))
    }
  }

  @Test("Across a block neither bids nor buy-now are accepted", arguments: TestDatabase.allCases)
  func blocksEndBidding(_ database: TestDatabase) async throws {
    let matching = ["services.matching.url": "http://127.0.0.1:1"]
    try await TestPlatform.orders(settings: matching, database: database) { host async throws in
      let (ada, bob, eve) = (try await host.person(), try await host.person(), try await host.person())
      let auction = try await auctions(1, host)[0]
      for event in [
        BlockChanged(blocker: auction.sellerID, blocked: ada.id, isBlocked: true),
        BlockChanged(blocker: bob.id, blocked: auction.sellerID, isBlocked: true),
      ] { try await host.deliver(event, from: MatchingAPI.self, to: OrdersAPI.self) }
      for person in [ada, bob] {
        #expect(await refusal { try await person.bid(2000, auction) } == "listing-not-for-sale")
        #expect(await refusal { _ = try await buy(auction, person) } == "listing-not-for-sale")
      }
      #expect(try await eve.bid(2000, auction).isLeading)
    }
  }
}
