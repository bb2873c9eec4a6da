import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// SD3: what sellers see of their sales.
@Suite(.serialized)
struct SalesTests {
  @Test("SD3: sellers list what each line earned, also after refunds", arguments: TestDatabase.allCases)
  func salesAndSums(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      let (first, second) = (mixed.sellers[0].client, mixed.sellers[1].client)
      _ = try await mixed.refund([MixedOrder.line(0, amount: 1100)])
      let sales = try await first.send(OrdersAPI.ListSales()).items
      #expect(sales.map(\.orderID) == [mixed.order.id])
      #expect(sales.map(\.buyerID) == [mixed.buyer.id])
      #expect(sales.map(\.listingID) == [mixed.order.lines[0].listingID])
      #expect(sales.map(\.license) == [.lease])
      #expect(sales.map(\.price) == [Money(2000, .usd)])
      #expect(sales.map(\.fee) == [Money(200, .usd)])
      #expect(sales.map(\.earned) == [Money(1800, .usd)])
      #expect(sales.map(\.refunded) == [Money(900, .usd)])
      let month = SalesMonth(
        month: "2026-01", count: 1, price: Money(2000, .usd), fee: Money(200, .usd), earned: Money(1800, .usd),
        refunded: Money(900, .usd))
      #expect(try await first.send(OrdersAPI.GetSalesSummary()).items == [month])
      #expect(try await second.send(OrdersAPI.GetSalesSummary()).items.map(\.refunded) == [Money(0, .usd)])
      // Neither the buyer nor an order that is not paid is a sale.
      #expect(try await mixed.buyer.client.send(OrdersAPI.ListSales()).items.isEmpty)
    }
  }

  @Test("SD3: sales are paged newest first, by month", arguments: TestDatabase.allCases)
  func pages(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let seller = try await Seller.make(host, sales: 2)
      host.time.advance(seconds: 40 * 86_400)
      let last = try await seller.sell()
      try await host.add(host.beat(seller.user, exclusive: nil), .lease, to: host.person())
      var (orders, cursor): ([OrderID], String?) = ([], nil)
      repeat {
        let page = try await seller.user.client.send(
          OrdersAPI.ListSales(limit: PageSize(checked: 2), cursor: cursor))
        orders += page.items.map(\.orderID)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(orders.count == 3)
      #expect(Set(orders).count == 3)
      #expect(orders.first == last.id)
      let months = try await seller.user.client.send(OrdersAPI.GetSalesSummary()).items
      #expect(months.map(\.month) == ["2026-02", "2026-01"])
      #expect(months.map(\.count) == [1, 2])
    }
  }

  @Test("M23: balance entries and offers of both sides are one list in order", arguments: TestDatabase.allCases)
  func bothSides(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host, sales: 0))
      for _ in 0..<3 {
        let order = try await seller.sell()
        host.time.advance(seconds: 1)
        try await seller.refund(order, by: owner)
        host.time.advance(seconds: 1)
      }
      var (amounts, cursor): ([Int64], String?) = ([], nil)
      repeat {
        let page = try await seller.user.client.send(
          OrdersAPI.ListBalanceEntries(limit: PageSize(checked: 2), cursor: cursor))
        amounts += page.items.map(\.amount.amount)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(amounts == [-1800, 1800, -1800, 1800, -1800, 1800])

      let other = try await host.person()
      var made: [OfferID] = []
      for number in 0..<5 {
        let (maker, listing) =
          number % 2 == 0
          ? (seller.user, try await host.beat(other)) : (other, try await host.beat(seller.user))
        let offer = try await maker.client.send(
          OrdersAPI.MakeOffer(
            listingID: listing.id, license: .exclusive, amount: Price(checked: Money(15_000, .usd))),
          idempotencyKey: UUID().uuidString)
        made.insert(offer.id, at: 0)
        host.time.advance(seconds: 1)
      }
      var found: [OfferID] = []
      repeat {
        let page = try await seller.user.client.send(
          OrdersAPI.ListOffers(limit: PageSize(checked: 2), cursor: cursor))
        found += page.items.map(\.id)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found == made)
    }
  }
}
