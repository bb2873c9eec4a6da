import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Taxes and shipping by the buyer's region.
@Suite(.serialized)
struct RegionTests {
  private static let germany = Region(checked: "DE")

  private static func tax(_ region: String?, _ rate: Int, isIncluded: Bool = false) -> TaxRule {
    TaxRule(region: region.map { Region(checked: $0) }, rate: TaxRate(checked: rate), isIncluded: isIncluded)
  }

  private static func shipping(_ region: String?, _ amount: Int64) -> ShippingRule {
    ShippingRule(region: region.map { Region(checked: $0) }, base: Price(checked: Money(amount, .usd)))
  }

  private static func setRules(_ tax: [TaxRule], _ shipping: [ShippingRule], _ host: TestPlatform) async throws {
    _ = try await host.owner().client.send(OrdersAPI.PutPricingRules(tax: tax, shipping: shipping))
  }

  // MARK: agreed prices

  /// An accepted offer of 100.00 USD with 19 % tax in Germany.
  private static func agreed(
    isIncluded: Bool = false, _ body: (TestPlatform, _ buyer: TestUser, OrderID) async throws -> Void
  ) async throws {
    try await TestPlatform.orders { host async throws in
      try await setRules([tax("DE", 190_000, isIncluded: isIncluded), tax("FR", 200_000)], [], host)
      let (seller, buyer) = (try await host.person(), try await host.person())
      let offer = try await host.offer(10_000, buyer, host.beat(seller), .exclusive)
      try await body(host, buyer, try await host.accept(offer, seller))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M12: the order of an accepted offer is taxed by the region that is given at payment")
  func offersAreTaxed() async throws {
    try await Self.agreed { host, buyer, id in
      #expect(try await host.order(id, buyer).total == Money(10_000, .usd))
      let paid = try await host.pay(id, buyer, region: Self.germany)
      #expect(paid.status == .placed)
      #expect(paid.region == Self.germany)
      #expect(paid.subtotal == Money(10_000, .usd))
      #expect(paid.tax == Money(1900, .usd))
      #expect(paid.total == Money(11_900, .usd))
      #expect(paid.payment?.amount == Money(11_900, .usd))
      #expect(paid.lines.map(\.tax) == [Money(1900, .usd)])
    }
  }

  @Test("M12: an agreed price includes the tax where the prices of listings do")
  func agreedPricesIncludeTax() async throws {
    try await Self.agreed(isIncluded: true) { host, buyer, id in
      let paid = try await host.pay(id, buyer, region: Self.germany)
      #expect(paid.total == Money(10_000, .usd))
      #expect(paid.subtotal == Money(8403, .usd))
      #expect(paid.tax == Money(1597, .usd))
    }
  }

  @Test("M12: without a region, an agreed order is not paid where the tax depends on it")
  func regionsAreRequired() async throws {
    try await Self.agreed { host, buyer, id in
      let refused = try await problem { _ = try await host.pay(id, buyer) }
      #expect(refused?.errors?.map(\.location) == ["body.region"])
      #expect(try await host.order(id, buyer).payment == nil)
    }
  }

  @Test("M12: buyers see the total for their region before they pay")
  func totalsAreShownFirst() async throws {
    try await Self.agreed { host, buyer, id in
      let priced = try await buyer.client.send(OrdersAPI.SetOrderRegion(id: id, region: Self.germany))
      #expect(priced.total == Money(11_900, .usd))
      #expect(priced.status == .pendingPayment)
      let moved = try await buyer.client.send(OrdersAPI.SetOrderRegion(id: id, region: Region(checked: "FR")))
      #expect(moved.total == Money(12_000, .usd))
      #expect(try await host.pay(id, buyer).total == Money(12_000, .usd))
      let late = OrdersAPI.SetOrderRegion(id: id, region: Self.germany)
      #expect(await refusal { _ = try await buyer.client.send(late) } == "order-not-payable")
    }
  }

  @Test("M12: a payment in flight for the price of another region is refunded")
  func paymentsOfAnotherPriceAreRefunded() async throws {
    try await Self.agreed { host, buyer, id in
      let first = try await host.pay(id, buyer, region: Self.germany, token: "test_later")
      let paid = try await host.pay(id, buyer, region: Region(checked: "FR"))
      #expect(paid.status == .placed)
      try await host.succeed(first)
      #expect(try await host.refunds(of: first).map(\.amount) == [Money(11_900, .usd)])
    }
  }

  @Test("M12: no one else prices an order")
  func othersDoNotPrice() async throws {
    try await Self.agreed { host, buyer, id in
      let eve = try await host.person()
      let request = OrdersAPI.SetOrderRegion(id: id, region: Self.germany)
      #expect(await refusal { _ = try await eve.client.send(request) } == "order-not-found")
    }
  }

  @Test("M12: winners of auctions and buyers at buy-now pay the tax of their region", arguments: [true, false])
  func auctionsAreTaxed(isBuyNow: Bool) async throws {
    try await TestPlatform.orders { host async throws in
      try await Self.setRules([Self.tax("DE", 190_000)], [], host)
      let (seller, buyer) = (try await host.person(), try await host.person())
      let auction = try await host.auction(try await host.beat(seller), seller, buyNow: 1000)
      let id: OrderID
      if isBuyNow {
        id = try await buyer.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: "now").id
      } else {
        _ = try await host.bid(5000, buyer, auction)
        try await host.close()
        id = try #require(try await buyer.client.send(OrdersAPI.GetAuction(id: auction.id)).orderID)
      }
      #expect(try await host.pay(id, buyer, region: Self.germany).total == Money(1190, .usd))
      let earned = try await seller.client.send(OrdersAPI.GetBalance()).items.first
      #expect(earned?.available == Money(900, .usd))
      #expect(try await host.ledgerBalances())
    }
  }

  /// An unpaid buy-now, priced anew for another region after a payment for the first was begun, which then arrives.
  private static func repriced(
    _ database: TestDatabase = .sqlite,
    _ body: (TestPlatform, _ seller: TestUser, _ buyer: TestUser, Auction, _ first: Order) async throws -> Void
  ) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      try await setRules([tax("DE", 190_000), tax("FR", 200_000)], [], host)
      let (seller, buyer) = (try await host.person(), try await host.person())
      let auction = try await host.auction(try await host.beat(seller), seller, buyNow: 10_000)
      let order = try await buyer.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: "now")
      let first = try await host.pay(order.id, buyer, region: germany, token: "test_later")
      _ = try await buyer.client.send(OrdersAPI.SetOrderRegion(id: order.id, region: Region(checked: "FR")))
      try await host.succeed(first)
      #expect(try await host.refunds(of: first).map(\.amount) == [Money(11_900, .usd)])
      #expect(try await host.order(order.id, buyer).status == .pendingPayment)
      try await body(host, seller, buyer, auction, first)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test(
    "M9: a buy-now paid at the price of another region stays unpaid and shuts out no bids",
    arguments: TestDatabase.allCases)
  func wrongAmountsClaimNothing(_ database: TestDatabase) async throws {
    try await Self.repriced(database) { host, _, buyer, auction, first async throws in
      let bob = try await host.person()
      #expect(try await host.bid(3000, bob, auction).isLeading)
      #expect(await refusal { _ = try await host.pay(first.id, buyer) } == "listing-not-for-sale")
    }
  }

  @Test("M9: a buy-now paid at the price of another region can be paid in full, and ends the auction")
  func wrongAmountsAreFollowedByTheRightOne() async throws {
    try await Self.repriced { host, _, buyer, auction, first async throws in
      #expect(try await host.pay(first.id, buyer).status == .placed)
      #expect(try await buyer.client.send(OrdersAPI.GetAuction(id: auction.id)).orderID == first.id)
    }
  }

  @Test(
    "M9: of a buy-now paid at the price of another region, a later payment is refunded once the auction has ended",
    arguments: [true, false])
  func paymentsAfterTheAuctionAreRefunded(isCanceled: Bool) async throws {
    try await Self.repriced { host, seller, buyer, auction, first in
      let second = try await host.pay(first.id, buyer, token: "test_later")
      let core = try host.orders.core
      if isCanceled {
        _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id))
      } else {
        let left = auction.closesAt.seconds(since: host.time.source.now())
        host.time.advance(seconds: left + ReceiptTime.maxWaitSeconds)
        _ = try await core.database.write { tx in try core.auctions.close(auction.id, in: tx)?.id }
      }
      try await host.succeed(second)
      #expect(try await host.order(first.id, buyer).status == .canceled)
      #expect(Set(try await host.refunds(of: first).map(\.amount)) == [Money(11_900, .usd), Money(12_000, .usd)])
      #expect(try await core.database.read { db in try ExclusiveClaimStore.isFree(auction.listingID, in: db) })
    }
  }

  @Test("M12: the region of a cart is the one that it was checked out for")
  func cartsKeepTheirRegion() async throws {
    try await TestPlatform.orders { host async throws in
      try await Self.setRules([Self.tax("DE", 190_000)], [], host)
      let (seller, buyer) = (try await host.person(), try await host.person())
      try await host.add(try await host.beat(seller), .lease, to: buyer)
      let order = try await buyer.client.send(
        OrdersAPI.CheckOut(region: Self.germany), idempotencyKey: "order")
      #expect(order.total == Money(2380, .usd))
      #expect(order.region == Self.germany)
      let cheaper = try await problem { _ = try await host.pay(order.id, buyer, region: Region(checked: "US")) }
      #expect(cheaper?.errors?.map(\.location) == ["body.region"])
      #expect(try await host.pay(order.id, buyer, region: Self.germany).status == .placed)
    }
  }

  // MARK: shipping

  @Test("M20: what has no weight is shipped all the same, and needs an address")
  func weightlessProductsAreShipped() async throws {
    try await TestPlatform.orders { host async throws in
      try await Self.setRules([], [Self.shipping(nil, 500)], host)
      let (owner, ada) = (try await host.owner(), try await host.person())
      let earrings = try await host.product(owner, isShipped: true)
      #expect(earrings.weightGrams.value == 0)
      try await host.add(earrings, to: ada)
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.CheckOut(), idempotencyKey: "a") } == "address-missing")
      let order = try await host.checkOut(ada)
      #expect(order.shipping == Money(500, .usd))
      #expect(order.region == TestPlatform.address.region)
    }
  }

  @Test("M20: a region without a shipping rule is refused at the quote and at checkout")
  func unservedRegionsAreRefused() async throws {
    try await TestPlatform.orders { host async throws in
      try await Self.setRules([], [Self.shipping("US", 500)], host)
      let (owner, ada) = (try await host.owner(), try await host.person())
      try await host.add(try await host.product(owner, isShipped: true), to: ada)
      let quote = OrdersAPI.QuoteCart(region: Region(checked: "GB"))
      #expect(await refusal { _ = try await ada.client.send(quote) } == "region-not-served")
      #expect(await refusal { _ = try await host.checkOut(ada) } == "region-not-served")
      let somewhere = try await problem { _ = try await ada.client.send(OrdersAPI.QuoteCart()) }
      #expect(somewhere?.errors?.map(\.location) == ["body.region"])
      let served = try await ada.client.send(OrdersAPI.QuoteCart(region: Region(checked: "US-CA")))
      #expect(served.shipping == Money(500, .usd))
      #expect(try await ada.client.send(OrdersAPI.ListOrders()).items.isEmpty)
    }
  }

  @Test("M20: a shop without shipping rules ships nowhere, but sells what is not shipped")
  func shopsWithoutRulesShipNowhere() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let pattern = try await host.product(owner, isShipped: false)
      try await host.add(pattern, to: ada)
      let pay = OrdersAPI.CheckOut(payment: TestPlatform.card())
      #expect(try await ada.client.send(pay, idempotencyKey: "a").status == .placed)
      try await host.add(try await host.product(owner, isShipped: true), to: ada)
      #expect(await refusal { _ = try await host.checkOut(ada) } == "region-not-served")
    }
  }

  @Test func theOwnerReadsTheRules() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      #expect(try await owner.client.send(OrdersAPI.GetPricingRules()) == PricingRules())
      let (tax, shipping) = ([Self.tax("DE", 190_000)], [Self.shipping(nil, 500)])
      try await Self.setRules(tax, shipping, host)
      let rules = PricingRules(tax: tax, shipping: shipping, version: 1)
      #expect(try await owner.client.send(OrdersAPI.GetPricingRules()) == rules)
      #expect(await refusal { _ = try await ada.client.send(OrdersAPI.GetPricingRules()) } == "forbidden")
    }
  }
}
