import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Auctions end to end: bids, closing, orders and payment.
@Suite(.serialized)
struct AuctionTests {
  @Test func whileAuctionsAreOffOnlyTheOneThatIsThereIsRepeated() async throws {
    try await TestPlatform.orders { host async throws in
      let seller = try await host.person()
      let request = OrdersAPI.CreateAuction(
        listingID: try await host.beat(seller).id, startPrice: Price(checked: Money(1000, .usd)),
        closesAt: host.time.source.now().advanced(bySeconds: 3600))
      let made = try await seller.client.send(request, idempotencyKey: "first")
      try await host.switchFeature(.auctions, isOn: false)
      #expect(try await seller.client.send(request, idempotencyKey: "first") == made)
      #expect(
        await refusal { _ = try await seller.client.send(request, idempotencyKey: "second") } == "switched-off")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theHighestBidderPaysAndGetsTheExclusiveRight(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await host.auction(beat, seller, reserve: 3000)
      #expect(auction.status == .open)
      #expect(auction.minNextBid == Money(1000, .usd))
      #expect(!auction.reserveMet)
      #expect(auction.serverTime == host.time.source.now())
      let first = try await ada.bid(2000, auction, key: "k")
      #expect(first.isLeading)
      #expect(first.price == Money(1000, .usd))
      #expect(!first.reserveMet)
      #expect(try await ada.bid(2000, auction, key: "k") == first)
      #expect(await refusal { try await ada.bid(9000, auction, key: "k") } == "idempotency-key-reused")
      let second = try await bob.bid(5000, auction)
      #expect(second.isLeading)
      #expect(second.price == Money(3000, .usd))
      #expect(second.reserveMet)
      // Maximum bids, the reserve and the names of bidders are not disclosed.
      let seen = try await ada.auction(auction)
      #expect(!seen.isLeading)
      #expect(seen.ownMaximum == Money(2000, .usd))
      #expect(seen.leader == "bidder 2")
      let text = String(decoding: try WireJSON.encode(try await seller.auction(auction)), as: UTF8.self)
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
      #expect(await refusal { try await ada.bid(90_000, auction) } == "auction-closed")
      host.time.advance(seconds: ReceiptTime.maxWaitSeconds)
      // Twice concurrently, as two instances would.
      async let one: Void = host.runOnce()
      async let two: Void = host.runOnce()
      _ = try await (one, two)
      let closed = try await bob.auction(auction)
      #expect(closed.status == .sold)
      let id = try #require(closed.orderID)
      #expect(try await ada.auction(auction).orderID == nil)
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

  @Test func callersMistakesAreReportedAndChangeNothing() async throws {
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
      let auction = try await host.auction(beat, seller)
      #expect(await create(.init(listingID: beat.id, startPrice: price, closesAt: end), seller) == "auction-running")
      #expect(await refusal { try await ada.bid(999, auction) } == "below-minimum")
      #expect(await refusal { try await seller.bid(5000, auction) } == "seller-cannot-bid")
      #expect(
        await refusal { try await ada.bid(5000, auction, currency: Currency(trusted: "EUR")) }
          == "currency-mismatch"
      )
      let nowhere = OrdersAPI.PlaceBid(id: AuctionID(trusted: beat.id.rawValue), maxAmount: price)
      #expect(await refusal { _ = try await ada.client.send(nowhere, idempotencyKey: "n") } == "auction-not-found")
      let keyless = OrdersAPI.PlaceBid(id: auction.id, maxAmount: price)
      #expect(await refusal { _ = try await ada.client.send(keyless) } == "idempotency-key-missing")
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.CancelAuction(id: auction.id)) } == "not-the-seller"
      )
      #expect(try await ada.auction(auction) == auction)
      try await ada.bid(1000, auction)
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

  @Test("T15: 500 concurrent bids by 50 bidders equal a serial replay", arguments: TestDatabase.allCases)
  func manyBidsAtOnceEqualASerialOracle(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let seller = try await host.person()
      let bidders = try await host.people(50)
      let auction = try await host.auction(host.beat(seller), seller, start: 100, reserve: 2000)
      let opened = try await host.stored(auction).state
      var generator = SeededGenerator()
      let bids = (0..<500).map { number in
        (bidder: bidders[number % 50], amount: Int64.random(in: 100...50_000, using: &generator))
      }
      let recorder = AuctionRecorder(time: host.time)
      _ = try await concurrently(bids) { bid in
        try await recorder.bid(bid.amount, by: bid.bidder, auction)
      }
      let history = try await recorder.history(of: auction, from: opened, host)
      #expect(history.operations.count == 500)
      #expect(try history.check() > 0, "\(generator)")
    }
  }

  /// The same people win one auction after the other.
  private static let manyUnpaid = ["orders.auctionStrikes": "100"]

  /// Buy-now, a bid, an accepted offer, a cart and the closing time race: at most one wins, and the others are refused.
  @Test func oneWayOfSellingWins() async throws {
    try await TestPlatform.orders(settings: Self.manyUnpaid) { host async throws in try await race([host, host]) }
  }

  @Test func oneWayOfSellingWinsOnTwoInstances() async throws {
    try await TwoInstances.run(settings: Self.manyUnpaid) { pair async throws in try await race(pair.all) }
  }

  private func race(_ hosts: [TestPlatform]) async throws {
    let host = hosts[0]
    let people = try await host.people(4)
    func client(_ number: Int, on instance: Int) -> TestUser {
      TestUser(id: people[number].id, token: people[number].token, client: hosts[instance % 2].client)
    }
    for round in 0..<12 {
      let (seller, ada) = (client(0, on: round), client(1, on: round + 1))
      let (bob, eve) = (client(2, on: round / 2), client(3, on: round / 3))
      let beat = try await host.beat(seller)
      let offer = try await eve.client.send(
        OrdersAPI.MakeOffer(
          listingID: beat.id, license: .exclusive, amount: Price(checked: Money(15_000, .usd))),
        idempotencyKey: "offer-\(round)"
      )
      let auction = try await host.auction(beat, seller, buyNow: 30_000, seconds: 60)
      if round % 3 == 0 { host.time.advance(seconds: 60) }
      async let bought: String? = refusal {
        let order = try await ada.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: "now-\(round)")
        guard try await host.pay(order.id, ada).status == .placed else { throw Problem(.auctionClosed) }
      }
      async let bid: String? = refusal { try await bob.bid(2000, auction, key: "bid-\(round)") }
      async let accepted: String? = refusal {
        _ = try await seller.client.send(OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: "accept-\(round)")
      }
      async let inCart: String? = refusal { try await host.add(beat, .exclusive, to: eve) }
      let outcomes = await (bought, bid, accepted, inCart)
      host.time.advance(seconds: 300)
      async let first: Void = hosts[0].runOnce()
      async let second: Void = hosts[1].runOnce()
      _ = try await (first, second)
      let orders = try await host.orders.core.database.read { db in
        try db.values("SELECT order_id FROM exclusive_claims WHERE listing_id = \(beat.id)", as: String.self)
      }
      let claims = orders.count
      let winners = [outcomes.0, outcomes.1, outcomes.2].count { $0 == nil }
      #expect(claims == winners, "\(round): \(outcomes)")
      #expect(winners <= 1, "\(round): \(outcomes)")
      let state = try await seller.auction(auction).status
      #expect(state != .open)
    }
    #expect(try await host.ledgerBalances())
  }

  @Test func theNextBidderGetsASecondChance() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await host.auction(beat, seller)
      try await ada.bid(3000, auction)
      try await bob.bid(8000, auction)
      try await host.close()
      let won = try #require(try await bob.auction(auction).orderID)
      host.time.advance(seconds: 49 * 3600)
      try await host.runOnce()
      #expect(try await host.order(won, bob).status == .expired)
      #expect(try await bob.auction(auction).status == .unpaid)
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

  @Test func payingTheBuyNowPriceEndsTheAuction() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let auction = try await host.auction(beat, seller, buyNow: 5000)
      #expect(auction.buyNow == Money(5000, .usd))
      let buy = OrdersAPI.BuyNow(id: auction.id)
      let order = try await ada.client.send(buy, idempotencyKey: "now")
      #expect(order.total == Money(5000, .usd))
      #expect(order.payBy == host.time.source.now().advanced(bySeconds: 15 * 60))
      #expect(try await ada.client.send(buy, idempotencyKey: "now").id == order.id)
      #expect(try await host.pay(order.id, ada).status == .placed)
      let sold = try await ada.auction(auction)
      #expect(sold.status == .sold)
      #expect(sold.orderID == order.id)
      #expect(sold.price == Money(5000, .usd))
      let events = try await bob.client.send(OrdersAPI.ListAuctionEvents(id: auction.id)).items
      #expect(events.map(\.kind) == [.sold])
      #expect(events.map(\.sequence) == [1])
      #expect(await refusal { _ = try await bob.client.send(buy, idempotencyKey: "now") } == "auction-closed")
      #expect(await refusal { try await bob.bid(9000, auction) } == "auction-closed")
    }
  }
}
