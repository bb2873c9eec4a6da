import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// The claims that block an auction, and how long an exclusive license lasts.
@Suite(.serialized)
struct ExclusiveClaimTests {
  private struct Sale {
    var host: TestPlatform
    var beat: Listing
    var seller: TestUser
    var ada: TestUser
    var bob: TestUser
  }

  private static func run(_ database: TestDatabase = .sqlite, _ body: (Sale) async throws -> Void) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      try await body(Sale(host: host, beat: beat, seller: seller, ada: ada, bob: bob))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M9: unpaid checkouts do not block bids, however often they are repeated", arguments: TestDatabase.allCases)
  func unpaidCheckoutsBlockNoBids(_ database: TestDatabase) async throws {
    try await Self.run(database) { sale in
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      for _ in 0..<3 {
        try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
        let order = try await sale.host.checkOut(sale.ada, nil)
        _ = try await sale.ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      }
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      let open = try await sale.host.checkOut(sale.ada, nil)
      #expect(try await sale.host.bid(3000, sale.bob, auction).isLeading)
      #expect(await refusal { _ = try await sale.host.pay(open.id, sale.ada) } == "listing-not-for-sale")
      #expect(try await sale.host.refunds(of: open).isEmpty)
    }
  }

  @Test("M9: a payment in flight that arrives after the first bid is refunded in full, and the auction goes on")
  func lateExclusivePaymentIsRefunded() async throws {
    try await Self.run { sale in
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      let order = try await sale.host.checkOut(sale.ada, "test_later")
      _ = try await sale.host.bid(3000, sale.bob, auction)
      try await sale.host.succeed(order)
      #expect(try await sale.host.order(order.id, sale.ada).status == .canceled)
      #expect(try await sale.host.refunds(of: order).map(\.amount) == [order.total])
      #expect(try await sale.host.bid(4000, sale.bob, auction).isLeading)
      try await sale.host.close()
      let won = try #require(try await sale.bob.client.send(OrdersAPI.GetAuction(id: auction.id)).orderID)
      #expect(try await sale.host.pay(won, sale.bob).status == .placed)
    }
  }

  @Test("M9: a payment before the first bid takes the listing, and bids are refused from then on")
  func paymentBeforeTheFirstBidWins() async throws {
    try await Self.run { sale in
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      let order = try await sale.host.checkOut(sale.ada, "test_later")
      try await sale.host.succeed(order)
      #expect(try await sale.host.order(order.id, sale.ada).status == .placed)
      #expect(await refusal { _ = try await sale.host.bid(3000, sale.bob, auction) } == "auction-closed")
      #expect(try await sale.host.licenses(of: sale.ada).map(\.kind) == [.exclusive])
    }
  }

  @Test("M9: until the last bids in time are decided, an unpaid checkout claims nothing")
  func nothingIsClaimedWhileBidsAreDecided() async throws {
    try await Self.run { sale in
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      sale.host.time.advance(seconds: auction.closesAt.seconds(since: sale.host.time.source.now()) + 1)
      _ = try await sale.host.checkOut(sale.ada, nil)
      let database = try sale.host.database(of: OrdersAPI.self)
      #expect(try await database.read { db in try ExclusiveClaimStore.isFree(sale.beat.id, in: db) })
    }
  }

  @Test("M9: of two unpaid checkouts during an auction, the one paid first wins and the other is refunded")
  func twoPayments() async throws {
    try await Self.run { sale in
      _ = try await sale.host.auction(sale.beat, sale.seller)
      var orders: [Order] = []
      for buyer in [sale.ada, sale.bob] { try await sale.host.add(sale.beat, .exclusive, to: buyer) }
      for buyer in [sale.ada, sale.bob] { orders.append(try await sale.host.checkOut(buyer, "test_later")) }
      try await sale.host.succeed(orders[1])
      try await sale.host.succeed(orders[0])
      #expect(try await sale.host.order(orders[1].id, sale.bob).status == .placed)
      #expect(try await sale.host.order(orders[0].id, sale.ada).status == .canceled)
      #expect(try await sale.host.refunds(of: orders[0]).map(\.amount) == [orders[0].total])
      #expect(try await sale.host.refunds(of: orders[1]).isEmpty)
    }
  }

  @Test("M9: an unpaid checkout does not keep the seller from an auction")
  func checkoutsDoNotBlockNewAuctions() async throws {
    try await Self.run { sale in
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      let order = try await sale.host.checkOut(sale.ada, nil)
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      #expect(try await sale.host.bid(3000, sale.bob, auction).isLeading)
      #expect(await refusal { _ = try await sale.host.pay(order.id, sale.ada) } == "listing-not-for-sale")
    }
  }

  @Test("M9: an offer for the exclusive license is not accepted while an auction runs")
  func offersWaitForTheAuction() async throws {
    try await Self.run { sale in
      let offer = try await sale.host.offer(15_000, sale.ada, sale.beat, .exclusive)
      let auction = try await sale.host.auction(sale.beat, sale.seller)
      #expect(await refusal { _ = try await sale.host.accept(offer, sale.seller) } == "auction-running")
      #expect(try await sale.host.bid(3000, sale.bob, auction).isLeading)
    }
  }

  @Test("M9: without an auction, a checkout keeps the listing for a while, but only once for each buyer")
  func repeatedCheckoutsBlockNoBuyers() async throws {
    try await Self.run { sale in
      for buyer in [sale.ada, sale.bob] { try await sale.host.add(sale.beat, .exclusive, to: buyer) }
      let first = try await sale.host.checkOut(sale.ada, nil)
      #expect(await refusal { _ = try await sale.host.checkOut(sale.bob) } == "listing-not-for-sale")
      _ = try await sale.ada.client.send(OrdersAPI.CancelOrder(id: first.id))
      try await sale.host.add(sale.beat, .exclusive, to: sale.ada)
      let second = try await sale.host.checkOut(sale.ada, nil)
      #expect(try await sale.host.checkOut(sale.bob).status == .placed)
      #expect(try await sale.host.order(second.id, sale.ada).status == .canceled)
    }
  }

  @Test(
    "M17: an exclusive license for some days ends, and the listing is for sale again", arguments: TestDatabase.allCases)
  func exclusiveLicensesEnd(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let terms = LicenseOption(
        kind: .exclusive, price: Price(checked: Money(20_000, .usd)), files: [.wav], days: 30)
      let beat = try await seller.client.send(
        CatalogAPI.CreateListing(
          kind: .beat, name: ShortText(validating: "Night drive"), tags: [], audio: host.ids.make(), licenses: [terms],
          acceptsOffers: true))
      try await host.add(beat, .exclusive, to: ada)
      _ = try await host.checkOut(ada)
      let license = try #require(try await host.licenses(of: ada).first)
      #expect(license.expiresAt == host.time.source.now().advanced(bySeconds: 30 * 86_400))
      #expect(license.terms.contains("Term: 30 days, until"))
      #expect(license.terms.contains("No further license will be granted during the term."))
      host.time.advance(seconds: 30 * 86_400 - 1)
      try await host.runOnce()
      #expect(await refusal { try await host.add(beat, .exclusive, to: bob) } == "listing-not-for-sale")
      host.time.advance(seconds: 1)
      try await host.runOnce()
      try await host.runOnce()
      let reports = try await host.recorded(ListingSaleChanged.self, by: OrdersAPI.self)
      #expect(reports.last?.isPurchased == false)
      #expect(reports.compactMap(\.version) == Array(1...Int64(reports.count)))
      #expect(try await host.licenses(of: ada).map(\.status) == [.expired])
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.GetDownload(id: license.id)) } == "license-revoked")
      try await host.add(beat, .exclusive, to: bob)
      #expect(try await host.checkOut(bob).status == .placed)
      #expect(try await host.licenses(of: bob).map(\.priorLicenses) == [0])
      #expect(try await host.ledgerBalances())
    }
  }
}
