import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Refunds of single lines.
@Suite(.serialized)
struct LineRefundTests {
  @Test("M15: a refund is taken from the recipients of its lines alone", arguments: TestDatabase.allCases)
  func onlyTheLinesPay(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      #expect(mixed.order.total == Money(8248, .usd))
      #expect(try await mixed.earned() == [1800, 2700])
      let refund = try await mixed.refund([MixedOrder.line(1)])
      #expect(refund.status == .succeeded)
      #expect(refund.amount == Money(3300, .usd))
      #expect(refund.lines == [.init(position: 1, quantity: 1, amount: Money(3300, .usd))])
      #expect(try await mixed.earned() == [1800, 0])
      #expect(try await mixed.licenses() == [.active, .revoked])
      let order = try await mixed.now()
      #expect(order.paymentStatus == .partiallyRefunded)
      #expect(order.lines.map(\.returned.amount) == [0, 3300, 0])
      #expect(try await mixed.host.stock(mixed.product, mixed.owner).onHand == 8)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M15: units, amounts and shipping are refunded up to what is left of them")
  func unitsAmountsAndShipping() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      #expect(try await mixed.refund([MixedOrder.line(2, quantity: 1)]).amount == Money(1099, .usd))
      #expect(
        await refusal { _ = try await mixed.refund([MixedOrder.line(2, quantity: 2)]) } == "refund-too-large")
      #expect(try await mixed.refund([MixedOrder.line(0, amount: 1000)]).amount == Money(1000, .usd))
      #expect(try await mixed.licenses() == [.active, .active])
      #expect(try await mixed.earned() == [982, 2700])
      #expect(
        await refusal { _ = try await mixed.refund([MixedOrder.line(0, amount: 1201)]) } == "refund-too-large")
      #expect(try await mixed.refund([], shipping: 550).shipping == Money(550, .usd))
      #expect(await refusal { _ = try await mixed.refund([], shipping: 1) } == "refund-too-large")
      #expect(await refusal { _ = try await mixed.refund([MixedOrder.line(3)]) } == "line-not-found")
      let rest = try await mixed.refund()
      #expect(rest.amount == Money(8248 - 1099 - 1000 - 550, .usd))
      let order = try await mixed.now()
      #expect(order.paymentStatus == .refunded)
      #expect(order.refunded == order.total)
      #expect(try await mixed.earned() == [0, 0])
      #expect(await refusal { _ = try await mixed.refund() } == "refund-too-large")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M15: an amount of an order with several lines needs lines")
  func amountsNeedLines() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      #expect(await refusal { _ = try await mixed.refund(amount: 100) } == "invalid-request")
      #expect(await refusal { _ = try await mixed.refund([MixedOrder.line(0)], amount: 100) } == "invalid-request")
      #expect(try await mixed.refunds().isEmpty)
      #expect(try await mixed.earned() == [1800, 2700])
    }
  }

  @Test("M15: goods that have not shipped return to stock if wanted")
  func goodsReturnToStock() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      _ = try await mixed.refund([MixedOrder.line(2, quantity: 1)], restock: true)
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 9)
      #expect(try await mixed.now().lines[2].fulfillmentStatus == .processing)
      _ = try await mixed.refund([MixedOrder.line(2)])
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 9)
      let order = try await mixed.now()
      #expect(order.lines[2].fulfillmentStatus == .canceled)
      #expect(order.fulfillmentStatus == .delivered)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M15: what store credit paid returns as store credit, exactly")
  func creditReturnsAsCredit() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host, credit: 7000)
      #expect(mixed.order.credit == Money(7000, .usd))
      _ = try await mixed.refund([MixedOrder.line(0)])
      #expect(try await mixed.refunds().map(\.amount.amount).sorted() == [952, 1248])
      #expect(try await mixed.balance(.credit, of: mixed.buyer) == 952)
      _ = try await mixed.refund()
      #expect(try await mixed.balance(.credit, of: mixed.buyer) == 7000)
      #expect(try await mixed.now().paymentStatus == .refunded)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M18: a deleted user's open order paid with credit is refunded before the account goes")
  func deletedBuyersAreRefunded() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host, credit: 8248)
      #expect(mixed.order.status == .placed)
      try await host.deliver(UserDeleted(userID: mixed.buyer.id), from: AuthAPI.self, to: OrdersAPI.self)
      host.time.advance(seconds: 60)
      try await host.runOnce()
      let order = try await host.order(mixed.order.id, mixed.owner)
      #expect(order.ownerID == nil)
      #expect(order.lines.map(\.fulfillmentStatus) == [.delivered, .delivered, .canceled])
      #expect(order.refunded == Money(2198 + 550, .usd))
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 10)
      #expect(await refusal { _ = try await mixed.refund([MixedOrder.line(0)]) } == "credit-not-possible")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M15: parallel refunds never give back more than was paid", arguments: ShopInstances.allCases)
  func parallelRefunds(_ instances: ShopInstances) async throws {
    try await instances.run { pair async throws in
      let host = pair.one
      let mixed = try await MixedOrder.make(host)
      let outcomes = try await concurrently(0..<8) { number in
        await refusal {
          let refund = OrdersAPI.RefundOrder(
            id: mixed.order.id, lines: number % 4 == 3 ? nil : [MixedOrder.line(number % 3, amount: 1000)])
          _ = try await retryingUnavailable {
            try await pair.client(mixed.owner, of: number).client.send(refund, idempotencyKey: "refund-\(number)")
          }
        }
      }
      #expect(outcomes.contains { $0 == nil })
      #expect(Set(outcomes.compactMap { $0 }).isSubset(of: ["refund-too-large"]))
      let order = try await mixed.now()
      let refunds = try await mixed.refunds()
      #expect(refunds.allSatisfy { $0.status == .succeeded })
      #expect(refunds.reduce(0) { $0 + $1.amount.amount } == order.refunded.amount)
      #expect(order.refunded == order.total)
      #expect(try await host.moneyKept() == 0)
      #expect(try await host.ledgerBalances())
    }
  }
}
