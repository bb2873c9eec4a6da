import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Offers, and the licenses they result in.
@Suite(.serialized)
struct OfferTests {
  private static func make(
    _ amount: Int64,
    _ buyer: TestUser,
    _ beat: Listing,
    _ license: LicenseKind = .exclusive,
    key: String = UUID().uuidString
  ) async throws -> Offer {
    try await buyer.client.send(
      OrdersAPI.MakeOffer(
        listingID: beat.id, license: license, amount: Price(checked: Money(amount, .usd))),
      idempotencyKey: key
    )
  }

  private static func counter(_ amount: Int64, _ person: TestUser, _ offer: Offer) async throws -> Offer {
    try await person.client.send(
      OrdersAPI.CounterOffer(id: offer.id, amount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString
    )
  }

  @Test func whileMessagesAreOffOnlyPricesAreOffered() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let words = OrdersAPI.MakeOffer(
        listingID: beat.id, license: .exclusive, amount: Price(checked: Money(9000, .usd)),
        message: try Biography(validating: "Call me"))
      try await host.switchFeature(.messages, isOn: false)
      #expect(await refusal { _ = try await ada.client.send(words, idempotencyKey: "words") } == "switched-off")
      let offer = try await Self.make(9000, ada, beat)
      let answer = OrdersAPI.CounterOffer(
        id: offer.id, amount: Price(checked: Money(16_000, .usd)), message: try Biography(validating: "Call me"))
      #expect(await refusal { _ = try await seller.client.send(answer, idempotencyKey: "answer") } == "switched-off")
      let asked = try await Self.counter(16_000, seller, offer)
      #expect(asked.message == nil)
      try await host.switchFeature(.messages, isOn: true)
      let last = OrdersAPI.CounterOffer(
        id: asked.id, amount: Price(checked: Money(12_000, .usd)), message: try Biography(validating: "Call me"))
      let made = try await ada.client.send(last, idempotencyKey: "last")
      #expect(made.message == "Call me")
      // A stored request is answered as before.
      try await host.switchFeature(.messages, isOn: false)
      #expect(try await ada.client.send(last, idempotencyKey: "last") == made)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func pricesAreNegotiatedUntilOneIsAccepted(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, eve) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      #expect(await refusal { _ = try await Self.make(1999, ada, beat) } == "offer-out-of-bounds")
      #expect(await refusal { _ = try await Self.make(20_001, ada, beat) } == "offer-out-of-bounds")
      #expect(await refusal { _ = try await Self.make(9000, seller, beat) } == "own-listing")
      let offer = try await Self.make(9000, ada, beat, key: "k")
      #expect(try await Self.make(9000, ada, beat, key: "k") == offer)
      #expect(await refusal { _ = try await Self.make(9500, ada, beat) } == "offer-pending")
      #expect(await refusal { _ = try await eve.client.send(OrdersAPI.GetOffer(id: offer.id)) } == "offer-not-found")
      #expect(await refusal { _ = try await Self.counter(9100, ada, offer) } == "not-your-turn")
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: "a") }
          == "not-your-turn"
      )
      let asked = try await Self.counter(16_000, seller, offer)
      #expect(asked.parentID == offer.id)
      #expect(asked.madeBy == .seller)
      #expect(try await ada.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .countered)
      #expect(await refusal { _ = try await Self.counter(16_000, ada, asked) } == "offer-out-of-bounds")
      let last = try await Self.counter(12_000, ada, asked)
      // The sale ends the offers of other buyers and removes the listing from their carts.
      let other = try await Self.make(10_000, eve, beat)
      try await host.add(beat, .lease, to: eve)
      let accepted = try await seller.client.send(OrdersAPI.AcceptOffer(id: last.id), idempotencyKey: "yes")
      let order = try #require(accepted.orderID)
      #expect(accepted.status == .accepted)
      #expect(try await eve.client.send(OrdersAPI.GetOffer(id: other.id)).status == .supersededBySale)
      #expect(try await eve.client.send(OrdersAPI.GetCart()).items.isEmpty)
      let paid = try await ada.client.send(
        OrdersAPI.PayOrder(id: order, body: TestPlatform.card()), idempotencyKey: "p")
      #expect(paid.status == .placed)
      #expect(paid.total == Money(12_000, .usd))
      #expect(await refusal { _ = try await Self.make(10_000, eve, beat) } == "listing-not-for-sale")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func timeDecidesOverOffers() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let offer = try await Self.make(9000, ada, beat)
      host.time.advance(seconds: 48 * 3600 - 1)
      #expect(try await ada.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .pending)
      host.time.advance(seconds: 1)
      // No job has run.
      #expect(try await ada.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .expired)
      #expect(
        await refusal { _ = try await seller.client.send(OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: "a") }
          == "offer-ended"
      )
      // At most five offers per buyer.
      for number in 2...5 {
        let next = try await Self.make(9000 + Int64(number), ada, beat)
        #expect(next.isFinalOffer == (number == 5))
        _ = try await ada.client.send(OrdersAPI.RetractOffer(id: next.id))
        #expect(try await ada.client.send(OrdersAPI.RetractOffer(id: next.id)).status == .retracted)
      }
      #expect(await refusal { _ = try await Self.make(9900, ada, beat) } == "offer-limit")

      let bob = try await host.person()
      let late = try await Self.make(9000, bob, beat)
      let accepted = try await seller.client.send(OrdersAPI.AcceptOffer(id: late.id), idempotencyKey: "b")
      host.time.advance(seconds: 49 * 3600)
      try await host.runOnce()
      #expect(try await bob.client.send(OrdersAPI.GetOffer(id: late.id)).status == .paymentExpired)
      #expect(try await host.order(try #require(accepted.orderID), bob).status == .expired)
      // The listing is for sale again.
      try await host.add(beat, .exclusive, to: bob)
    }
  }

  @Test(arguments: ShopInstances.allCases)
  func oneOfManyAcceptsWins(_ instances: ShopInstances) async throws {
    try await instances.run { pair async throws in
      let host = pair.one
      let seller = try await host.person()
      let beat = try await host.beat(seller)
      var offers: [Offer] = []
      for (number, buyer) in try await host.people(12).enumerated() {
        offers.append(try await Self.make(9000 + Int64(number), buyer, beat))
      }
      let refusals = try await concurrently(offers.enumerated().map { (number: $0, offer: $1) }) { item in
        await refusal {
          _ = try await retryingUnavailable {
            try await pair.client(seller, of: item.number).client.send(
              OrdersAPI.AcceptOffer(id: item.offer.id), idempotencyKey: item.offer.id.rawValue)
          }
        }
      }
      #expect(refusals.count { $0 == nil } == 1)
      let ended = try await seller.client.send(OrdersAPI.ListOffers(limit: PageSize(checked: 100))).items
      #expect(ended.count { $0.status == .supersededBySale } == 11)
    }
  }

  /// Licenses keep their terms; the exclusive license is sold once, and earlier licenses stay valid.
  @Test(arguments: TestDatabase.allCases)
  func licensesAreSoldAndKept(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller, ada, bob) = (
        try await host.owner(), try await host.person(), try await host.person(), try await host.person()
      )
      let beat = try await host.beat(seller)
      try await host.add(beat, .lease, to: ada)
      let leased = try await host.checkOut(ada)
      #expect(leased.fulfillmentStatus == .delivered)
      #expect(leased.total == Money(2000, .usd))
      let lease = try #require(try await ada.client.send(OrdersAPI.ListLicenses(listing: beat.id)).items.first)
      #expect(lease.kind == .lease)
      #expect(lease.terms.contains("up to 5000"))
      #expect(lease.priorLicenses == 0)
      let hash = try await Command.run(["sh", "-c", "printf %s \"$0\" | sha256sum", lease.terms])
      #expect(hash.hasPrefix(lease.termsHash))
      #expect(try await bob.client.send(OrdersAPI.GetLicenseCount(listing: beat.id)).active == 1)

      // A second lease costs the full price.
      try await host.add(beat, .lease, to: ada)
      #expect(try await ada.client.send(OrdersAPI.QuoteCart()).total == Money(2000, .usd))
      for item in try await ada.client.send(OrdersAPI.GetCart()).items {
        _ = try await ada.client.send(OrdersAPI.RemoveCartItem(id: item.id))
      }

      // The holder of a lease pays the difference to the exclusive license.
      try await host.add(beat, .exclusive, to: ada)
      let upgraded = try await host.checkOut(ada)
      #expect(upgraded.total == Money(18_000, .usd))
      let exclusive = try #require(try await ada.client.send(OrdersAPI.ListLicenses()).items.first)
      #expect(exclusive.kind == .exclusive)
      #expect(exclusive.priorLicenses == 1)
      #expect(await refusal { try await host.add(beat, .lease, to: bob) } == "listing-not-for-sale")
      #expect(try await ada.client.send(OrdersAPI.GetLicense(id: lease.id)).status == .active)

      let download = try await ada.client.send(OrdersAPI.GetDownload(id: exclusive.id))
      #expect(download.url.hasPrefix("/v1/media/\(beat.audio)/content?file=wav"))
      let now = host.time.source.now()
      #expect(try await host.isLicensed(download.url, at: now))
      #expect(try await !host.isLicensed(download.url.replacing("wav", with: "mp3"), at: now))
      #expect(try await !host.isLicensed(download.url, at: now.advanced(bySeconds: 301)))
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.GetDownload(id: lease.id, file: .wav)) }
          == "file-not-licensed"
      )
      #expect(
        await refusal { _ = try await bob.client.send(OrdersAPI.GetDownload(id: lease.id)) } == "license-not-found"
      )
      #expect(try await seller.client.send(OrdersAPI.GetLicense(id: lease.id)).id == lease.id)

      // After a refund there is no download, the record stays, and the beat is for sale again.
      _ = try await owner.client.send(OrdersAPI.RefundOrder(id: upgraded.id), idempotencyKey: "r")
      #expect(try await ada.client.send(OrdersAPI.GetLicense(id: exclusive.id)).status == .revoked)
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.GetDownload(id: exclusive.id)) } == "license-revoked"
      )
      try await host.add(beat, .exclusive, to: bob)
      #expect(try await host.checkOut(bob).total == Money(20_000, .usd))
      let earned = try await seller.client.send(OrdersAPI.GetBalance()).items.first
      #expect(earned?.available == Money(1800 + 18_000, .usd))
      #expect(try await host.ledgerBalances())
    }
  }

  /// Twenty carts with the same exclusive license: one becomes an order.
  @Test(arguments: ShopInstances.allCases)
  func theExclusiveRightIsSoldOnce(_ instances: ShopInstances) async throws {
    try await instances.run { pair async throws in
      let host = pair.one
      let seller = try await host.person()
      let beat = try await host.beat(seller)
      let buyers = try await host.people(20)
      for buyer in buyers { try await host.add(beat, .exclusive, to: buyer) }
      let outcomes = try await concurrently(pair.clients(buyers)) { buyer in
        await refusal { _ = try await retryingUnavailable { try await host.checkOut(buyer, key: buyer.id.rawValue) } }
      }
      #expect(outcomes.count { $0 == nil } == 1)
      #expect(try await host.moneyKept() == 20_000)
      // The other carts lose the item, or checkout returns one of these codes.
      let expected: Set<String?> = [nil, "listing-not-for-sale", "cart-empty", "version-mismatch"]
      #expect(Set(outcomes).isSubset(of: expected), "\(Set(outcomes))")
      #expect(try await host.ledgerBalances())
    }
  }

  /// An unpaid checkout ends no auction or offer, and bids do not wait for it.
  @Test func unpaidCheckoutsEndNothing() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, eve) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let offer = try await Self.make(9000, eve, beat)
      let auction = try await seller.client.send(
        OrdersAPI.CreateAuction(
          listingID: beat.id, startPrice: Price(checked: Money(1000, .usd)),
          closesAt: host.time.source.now().advanced(bySeconds: 86_400))
      )
      try await host.add(beat, .exclusive, to: ada)
      let order = try await host.checkOut(ada, nil)
      let bid = OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(5000, .usd)))
      #expect(try await eve.client.send(bid, idempotencyKey: "b1").isLeading)
      #expect(try await eve.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .pending)
      let pay = OrdersAPI.PayOrder(id: order.id, body: TestPlatform.card())
      #expect(await refusal { _ = try await ada.client.send(pay, idempotencyKey: "p") } == "listing-not-for-sale")
    }
  }
}
