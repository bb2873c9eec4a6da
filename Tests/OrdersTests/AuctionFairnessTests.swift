import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Bids are judged by when they were received, and a bid that is sent again gets its answer again.
@Suite(.serialized)
struct AuctionFairnessTests {
  /// Decides bids that were received some seconds ago.
  private func decide(
    _ bids: [(bidder: TestUser, amount: Int64, secondsAgo: Double)], _ auction: Auction, _ host: TestPlatform
  ) async throws -> [Result<BidReceipt, Problem>] {
    let now = host.time.source.now()
    let pending = bids.map { bid in
      BidQueue.PendingBid(
        id: host.ids.make(), bidder: bid.bidder.id, maximum: Money(bid.amount, .usd),
        received: ReceiptTime(at: now.advanced(bySeconds: -bid.secondsAgo)), idempotencyKey: nil)
    }
    return try await host.database(of: OrdersAPI.self).write { tx in
      try BidBatch.decide(pending, on: auction.id, in: tx)
    }
  }

  private func code(_ result: Result<BidReceipt, Problem>) -> String? {
    if case .failure(let problem) = result { problem.code } else { nil }
  }

  @Test("M10: a bid that is sent again gets its receipt after the auction was sold", arguments: TestDatabase.allCases)
  func theKeysAnswerComesFirst(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller)
      let receipt = try await ada.bid(2000, auction, key: "k")
      try await host.close()
      #expect(try await ada.auction(auction).status == .sold)
      #expect(try await ada.bid(2000, auction, key: "k") == receipt)
      #expect(await refusal { try await ada.bid(2000, auction) } == "auction-closed")
    }
  }

  @Test("M10: buy-now that is sent again gets its order, whatever has happened since")
  func buyNowsAnswerComesFirst() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller, buyNow: 5000)
      let buy = OrdersAPI.BuyNow(id: auction.id)
      let order = try await ada.client.send(buy, idempotencyKey: "now")
      // The key lives for a day.
      host.time.advance(seconds: 3600)
      try await host.runOnce()
      #expect(try await ada.client.send(buy, idempotencyKey: "now").status == .expired)
      #expect(try await ada.client.send(buy, idempotencyKey: "now").id == order.id)
      #expect(await refusal { _ = try await ada.client.send(buy, idempotencyKey: "other") } == "auction-closed")
    }
  }

  @Test("M21: a bid that was received in time counts, although it is decided after the end")
  func bidsAreJudgedByTheirReceipt() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller, seconds: 60)
      host.time.advance(seconds: 61)
      // The auction waits for the bids that were received in time.
      try await host.runOnce()
      #expect(try await host.stored(auction).state.status == .open)
      let results = try await decide([(bob, 9000, 0.5), (ada, 2000, 1.5)], auction, host)
      #expect(results.map(code) == ["auction-closed", nil])
      let state = try await host.stored(auction).state
      #expect(state.leader?.bidder == ada.id)
      #expect(state.lastBidAt == auction.closesAt.advanced(bySeconds: -0.5))
    }
  }

  @Test("M21: a bid that has waited for too long is refused, and the auction closes without waiting longer")
  func bidsDoNotWaitForLong() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller, seconds: 60)
      host.time.advance(seconds: 60 + ReceiptTime.maxWaitSeconds)
      #expect(try await decide([(ada, 2000, 2.5)], auction, host).map(code) == ["overloaded"])
      try await host.runOnce()
      #expect(try await host.stored(auction).state.status == .noBids)
    }
  }

  @Test("M21: within an auction, time does not go back")
  func timeIsMonotonic() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller)
      host.time.advance(seconds: 10)
      _ = try await decide([(ada, 2000, 0)], auction, host)
      _ = try await decide([(bob, 5000, 1)], auction, host)
      let bids = try await ada.client.send(OrdersAPI.ListBids(id: auction.id)).items
      #expect(bids.map(\.at) == [host.time.source.now(), host.time.source.now()])
    }
  }

  @Test("M21: instances whose machines' clocks are wrong judge bids by the database's clock")
  func wrongClocksDoNotMatter() async throws {
    let clocks = [3600.0, -3600.0].map { skew in
      TimeSource(isLocal: true) { TimeSource.system.now().advanced(bySeconds: skew) }
    }
    try await TwoInstances.run(clocks: clocks) { pair async throws in
      let (seller, ada) = (try await pair.one.person(), try await pair.one.person())
      let beat = try await pair.one.beat(seller)
      let closesAt = TimeSource.system.now().advanced(bySeconds: 1800)
      let auction = try await seller.client.send(
        OrdersAPI.CreateAuction(
          listingID: beat.id, startPrice: Price(checked: Money(1000, .usd)), closesAt: closesAt))
      for number in 0..<4 {
        // These clocks run: a bid that has waited for two seconds is refused.
        try await retryingUnavailable {
          try await pair.client(ada, of: number).bid(2000 + Int64(number) * 1000, auction)
        }
      }
      let bid = try #require(try await ada.client.send(OrdersAPI.ListBids(id: auction.id)).items.first)
      #expect(abs(bid.at.seconds(since: TimeSource.system.now())) < 900)
      // By their own clocks, one would not bid in time and the other would not close.
      #expect(try await ada.auction(auction).status == .open)
    }
  }

  @Test("M6: one key on two instances at the same time is one bid, and fails no other bid")
  func oneKeyInFlightTwiceIsOneBid() async throws {
    try await TwoInstances.run(settings: ["limits.write": "0/1"]) { pair async throws in
      let host = pair.one
      let (seller, bidders) = (try await host.person(), try await host.people(8))
      let auction = try await host.auction(host.beat(seller), seller)
      for round in 0..<5 {
        let bids = (0..<16).map { (bidder: bidders[$0 / 2], instance: $0) }
        let amount = 100_000 * Int64(round + 1)
        let receipts = try await concurrently(bids) { bid -> BidReceipt? in
          do {
            return try await pair.client(bid.bidder, of: bid.instance).bid(
              amount + Int64(bid.instance / 2) * 10_000, auction, key: "round-\(round)")
          } catch CallError.problem(let problem) where ["below-minimum", "overloaded"].contains(problem.code) {
            return nil
          }
        }
        let ids = Set(receipts.compactMap { $0?.id })
        let key = "round-\(round)"
        let stored = try await host.database(of: OrdersAPI.self).read { db in
          try db.count("SELECT COUNT(*) FROM idempotency_keys WHERE key = \(key)")
        }
        #expect(ids.count == stored)
      }
    }
  }
}
