import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Auctions end to end: bids, closing, orders and payment.
@Suite(.serialized)
struct AuctionTests {
  private static func open(
    _ beat: Listing,
    _ seller: TestUser,
    _ host: TestPlatform,
    start: Int64 = 1000,
    reserve: Int64? = nil,
    buyNow: Int64? = nil,
    seconds: Double = 3600
  ) async throws -> Auction {
    func price(_ amount: Int64?) -> Price? { amount.map { Price(checked: Money($0, .usd)) } }
    return try await seller.client.send(
      OrdersAPI.CreateAuction(
        listingID: beat.id, startPrice: Price(checked: Money(start, .usd)), reserve: price(reserve),
        buyNow: price(buyNow), closesAt: host.time.source.now().advanced(bySeconds: seconds))
    )
  }

  @discardableResult
  private static func bid(
    _ amount: Int64,
    _ bidder: TestUser,
    _ auction: Auction,
    key: String = UUID().uuidString,
    currency: Currency = .usd
  ) async throws -> BidReceipt {
    try await bidder.client.send(
      OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(amount, currency))),
      idempotencyKey: key
    )
  }

  private static func get(_ auction: Auction, _ viewer: TestUser) async throws -> Auction {
    try await viewer.client.send(OrdersAPI.GetAuction(id: auction.id))
  }

  @Test(arguments: TestDatabase.allCases)
  func theHighestBidderPaysAndGetsTheExclusiveRight(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await Self.open(beat, seller, host, reserve: 3000)
      #expect(auction.status == .open)
      #expect(auction.minNextBid == Money(1000, .usd))
      #expect(!auction.reserveMet)
      #expect(auction.serverTime == host.time.source.now())
      let first = try await Self.bid(2000, ada, auction, key: "k")
      #expect(first.isLeading)
      #expect(first.price == Money(1000, .usd))
      #expect(!first.reserveMet)
      #expect(try await Self.bid(2000, ada, auction, key: "k") == first)
      #expect(await refusal { try await Self.bid(9000, ada, auction, key: "k") } == "idempotency-key-reused")
      let second = try await Self.bid(5000, bob, auction)
      #expect(second.isLeading)
      #expect(second.price == Money(3000, .usd))
      #expect(second.reserveMet)
      // Maximum bids, the reserve and the names of bidders are not disclosed.
      let seen = try await Self.get(auction, ada)
      #expect(!seen.isLeading)
      #expect(seen.ownMaximum == Money(2000, .usd))
      #expect(seen.leader == "bidder 2")
      let text = String(decoding: try WireJSON.encode(try await Self.get(auction, seller)), as: UTF8.self)
      #expect(!text.contains("5000"))
      #expect(!text.contains(bob.id.rawValue))
      let events = try await ada.client.send(OrdersAPI.ListAuctionEvents(id: auction.id, after: 0))
      #expect(events.items.map(\.sequence) == [1, 2])
      #expect(events.items.map(\.kind) == [.bidPlaced, .bidPlaced])
      #expect(
        try await ada.client.send(OrdersAPI.ListAuctionEvents(id: auction.id, after: 1)).items.map(\.sequence) == [2]
      )
      #expect(
        try await ada.client.send(OrdersAPI.ListBids(id: auction.id)).items.map(\.bidder) == ["bidder 2", "bidder 1"]
      )

      host.time.advance(seconds: 3600)
      #expect(await refusal { try await Self.bid(90_000, ada, auction) } == "auction-closed")
      // Twice concurrently, as two instances would.
      async let one: Void = host.runOnce()
      async let two: Void = host.runOnce()
      _ = try await (one, two)
      let closed = try await Self.get(auction, bob)
      #expect(closed.status == .sold)
      let id = try #require(closed.orderID)
      #expect(try await Self.get(auction, ada).orderID == nil)
      #expect(
        try await ada.client.send(OrdersAPI.ListAuctionEvents(id: auction.id, after: 2)).items.map(\.kind) == [.sold]
      )
      let order = try await host.order(id, bob)
      #expect(order.total == Money(3000, .usd))
      #expect(order.status == .pendingPayment)
      let eve = try await host.person()
      #expect(
        await refusal { try await host.add(beat, .exclusive, to: eve) } == "listing-not-for-sale"
      )
      // A bid is binding.
      #expect(await refusal { _ = try await bob.client.send(OrdersAPI.CancelOrder(id: id)) } == "invalid-transition")
      let paid = try await bob.client.send(OrdersAPI.PayOrder(id: id, body: TestPlatform.card()), idempotencyKey: "pay")
      #expect(paid.status == .placed)
      #expect(paid.fulfillmentStatus == .delivered)
      let license = try #require(try await bob.client.send(OrdersAPI.ListLicenses()).items.first)
      #expect(license.kind == .exclusive)
      #expect(license.price == Money(3000, .usd))
      #expect(license.termsHash.count == 64)
      let balance = try await seller.client.send(OrdersAPI.GetBalance()).items
      #expect(balance == [Balance(kind: .earnings, available: Money(2700, .usd), held: Money(0, .usd))])
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func callersMistakesAreToldAndChangeNothing() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let lease = try await host.beat(seller, exclusive: nil)
      func create(_ body: OrdersAPI.CreateAuction, _ person: TestUser) async -> String? {
        await refusal { _ = try await person.client.send(body) }
      }
      let end = host.time.source.now().advanced(bySeconds: 3600)
      let price = Price(checked: Money(1000, .usd))
      #expect(await create(.init(listingID: beat.id, startPrice: price, closesAt: end), ada) == "not-the-seller")
      #expect(
        await create(.init(listingID: lease.id, startPrice: price, closesAt: end), seller) == "listing-not-for-sale"
      )
      let low = Price(checked: Money(500, .usd))
      #expect(
        await create(.init(listingID: beat.id, startPrice: price, reserve: low, closesAt: end), seller)
          == "invalid-request"
      )
      #expect(
        await create(.init(listingID: beat.id, startPrice: Price(checked: Money(0, .usd)), closesAt: end), seller)
          == "invalid-request"
      )
      #expect(
        await create(.init(listingID: beat.id, startPrice: price, closesAt: host.time.source.now()), seller)
          == "invalid-request"
      )
      let auction = try await Self.open(beat, seller, host)
      #expect(await create(.init(listingID: beat.id, startPrice: price, closesAt: end), seller) == "auction-running")
      #expect(await refusal { try await Self.bid(999, ada, auction) } == "below-minimum")
      #expect(await refusal { try await Self.bid(5000, seller, auction) } == "seller-cannot-bid")
      #expect(
        await refusal { try await Self.bid(5000, ada, auction, currency: Currency(trusted: "EUR")) }
          == "currency-mismatch"
      )
      let nowhere = OrdersAPI.PlaceBid(id: AuctionID(trusted: beat.id.rawValue), maxAmount: price)
      #expect(await refusal { _ = try await ada.client.send(nowhere, idempotencyKey: "n") } == "auction-not-found")
      let keyless = OrdersAPI.PlaceBid(id: auction.id, maxAmount: price)
      #expect(await refusal { _ = try await ada.client.send(keyless) } == "idempotency-key-missing")
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.CancelAuction(id: auction.id)) } == "not-the-seller"
      )
      #expect(try await Self.get(auction, ada) == auction)
      try await Self.bid(1000, ada, auction)
      #expect(
        await refusal { _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id)) }
          == "auction-has-bids"
      )
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: "b") }
          == "buy-now-not-available"
      )
    }
  }

  /// 500 concurrent bids by 50 bidders end with the leader, price and gapless sequence of a serial oracle.
  @Test(arguments: TestDatabase.allCases)
  func manyBidsAtOnceEqualASerialOracle(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let seller = try await host.person()
      let bidders = try await host.people(50)
      let auction = try await Self.open(host.beat(seller), seller, host, start: 100, reserve: 2000)
      let opened = try await host.orders.core.database.read { try AuctionStore.get(auction.id, in: $0) }.state
      var generator = SeededGenerator()
      let bids = (0..<500).map { number in
        (bidder: bidders[number % 50], amount: Int64.random(in: 100...50_000, using: &generator))
      }
      struct Accepted {
        var bidder: UserID
        var amount: Int64
        var receipt: BidReceipt
      }
      let outcomes = try await concurrently(bids) { bid -> Result<Accepted, any Error> in
        do {
          let receipt = try await Self.bid(bid.amount, bid.bidder, auction)
          return .success(Accepted(bidder: bid.bidder.id, amount: bid.amount, receipt: receipt))
        } catch { return .failure(error) }
      }
      for case .failure(let error) in outcomes {
        guard case CallError.problem(let problem) = error else { throw error }
        #expect(["below-minimum", "maximum-not-raised"].contains(problem.code), "\(generator)")
      }
      // A raise that others do not see keeps the sequence of the bid before it and exceeds every maximum so far.
      let accepted = outcomes.compactMap { try? $0.get() }
        .sorted { ($0.receipt.sequence, $0.amount) < ($1.receipt.sequence, $1.amount) }
      var oracle = opened
      for bid in accepted {
        oracle = try oracle.bidding(Money(bid.amount, .usd), by: bid.bidder, at: host.time.source.now()).state
        #expect(bid.receipt.sequence == oracle.sequence, "\(generator)")
        #expect(bid.receipt.price.amount == oracle.price, "\(generator)")
      }
      let stored = try await host.orders.core.database.read { try AuctionStore.get(auction.id, in: $0) }
      #expect(stored.state == oracle, "\(generator)")
      let events = try await host.orders.core.database.read { db in
        try db.all("SELECT event FROM auction_events ORDER BY sequence") { row -> AuctionEvent in
          try row[json: "event"]
        }
      }
      #expect(events.map(\.sequence) == Array(1...oracle.sequence), "\(generator)")
      #expect(events.last?.price?.amount == oracle.price, "\(generator)")
    }
  }

  /// Buy-now, a bid, an accepted offer and the closing time race: at most one wins, and the others are refused.
  @Test(arguments: TestDatabase.allCases)
  func oneWayOfSellingWins(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob, eve) = (
        try await host.person(), try await host.person(), try await host.person(), try await host.person()
      )
      for round in 0..<12 {
        let beat = try await host.beat(seller)
        let offer = try await eve.client.send(
          OrdersAPI.MakeOffer(
            listingID: beat.id, license: .exclusive, amount: Price(checked: Money(15_000, .usd))),
          idempotencyKey: "offer-\(round)"
        )
        let auction = try await Self.open(beat, seller, host, buyNow: 30_000, seconds: 60)
        if round % 3 == 0 { host.time.advance(seconds: 60) }
        async let bought: String? = refusal {
          _ = try await ada.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: "now-\(round)")
        }
        async let bid: String? = refusal { try await Self.bid(2000, bob, auction, key: "bid-\(round)") }
        async let accepted: String? = refusal {
          _ = try await seller.client.send(OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: "accept-\(round)")
        }
        async let inCart: String? = refusal { try await host.add(beat, .exclusive, to: eve) }
        let outcomes = await (bought, bid, accepted, inCart)
        host.time.advance(seconds: 300)
        try await host.runOnce()
        let orders = try await host.orders.core.database.read { db in
          try db.values("SELECT order_id FROM exclusive_claims WHERE listing_id = \(beat.id)", as: String.self)
        }
        let claims = orders.count
        let winners = [outcomes.0, outcomes.1, outcomes.2].count { $0 == nil }
        #expect(claims == winners, "\(round): \(outcomes)")
        #expect(winners <= 1, "\(round): \(outcomes)")
        let state = try await Self.get(auction, seller).status
        #expect(state != .open)
      }
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func theNextBidderGetsASecondChance() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await Self.open(beat, seller, host)
      try await Self.bid(3000, ada, auction)
      try await Self.bid(8000, bob, auction)
      host.time.advance(seconds: 3600)
      try await host.runOnce()
      let won = try #require(try await Self.get(auction, bob).orderID)
      host.time.advance(seconds: 49 * 3600)
      try await host.runOnce()
      #expect(try await host.order(won, bob).status == .expired)
      #expect(try await Self.get(auction, bob).status == .unpaid)
      let chance = try #require(try await ada.client.send(OrdersAPI.ListOffers()).items.first)
      #expect(chance.amount == Money(3000, .usd))
      #expect(chance.madeBy == .seller)
      #expect(chance.isFinalOffer)
      let accepted = try await ada.client.send(OrdersAPI.AcceptOffer(id: chance.id), idempotencyKey: "yes")
      let order = try #require(accepted.orderID)
      let paid = try await ada.client.send(
        OrdersAPI.PayOrder(id: order, body: TestPlatform.card()), idempotencyKey: "p")
      #expect(paid.status == .placed)
      #expect(paid.total == Money(3000, .usd))
    }
  }

  @Test func buyingNowEndsTheAuction() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await Self.open(beat, seller, host, buyNow: 5000)
      #expect(auction.buyNow == Money(5000, .usd))
      let buy = OrdersAPI.BuyNow(id: auction.id)
      let order = try await ada.client.send(buy, idempotencyKey: "now")
      #expect(order.total == Money(5000, .usd))
      #expect(order.payBy == host.time.source.now().advanced(bySeconds: 48 * 3600))
      #expect(try await ada.client.send(buy, idempotencyKey: "now").id == order.id)
      #expect(await refusal { _ = try await bob.client.send(buy, idempotencyKey: "now") } == "auction-closed")
      #expect(await refusal { try await Self.bid(9000, bob, auction) } == "auction-closed")
    }
  }
}
