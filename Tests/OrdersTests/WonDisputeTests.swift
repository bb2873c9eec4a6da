import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Disputes that are won when what was bought can no longer be delivered.
@Suite(.serialized)
struct WonDisputeTests {
  /// Stripe is not reachable, so that a refund stays pending.
  private static func run(_ database: TestDatabase = .sqlite, _ body: (TestPlatform) async throws -> Void) async throws
  {
    try await TestPlatform.orders(settings: StripeBank.settings, database: database) { host async throws in
      try await body(host)
      #expect(try await host.ledgerBalances())
    }
  }

  /// Stripe reports that it has made the refunds of an order.
  private static func settle(_ order: Order, on host: TestPlatform) async throws {
    let core = try host.orders.core
    try await core.database.write { tx in
      for refund in try RefundStore.list(of: order.id, in: tx) where refund.isDue {
        try core.refunds.refunded(refund, .succeeded(reference: "re_\(refund.id)"), in: tx)
      }
    }
  }

  private static func hasJob(_ order: Order, on host: TestPlatform) async throws -> Bool {
    try await host.orders.core.database.read { db in
      try db.exists("SELECT 1 FROM jobs WHERE id = \("order-\(order.id)")")
    }
  }

  @Test(
    "A won dispute about an exclusive license that was sold again is refunded to the first buyer",
    arguments: TestDatabase.allCases)
  func exclusiveSoldAgain(_ database: TestDatabase) async throws {
    try await Self.run(database) { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let bob = try await host.person()
      let beat = try await host.beat(seller)
      try await host.add(beat, .exclusive, to: ada)
      let first = try await host.checkOut(ada, "test_later")
      let bank = try await StripeBank.pay(first, on: host)
      #expect(try await bank.dispute("created", "needs_response") == 200)
      try await host.add(beat, .exclusive, to: bob)
      #expect(try await host.checkOut(bob).status == .placed)
      host.time.advance(seconds: 11)
      try await host.runOnce()
      #expect(try await !Self.hasJob(first, on: host))
      #expect(try await bank.dispute("closed", "won") == 200)
      #expect(try await host.order(first.id, ada).refundPending == first.total)
      // A crash before Stripe is asked does not lose the refund.
      #expect(try await Self.hasJob(first, on: host))
      #expect(try await host.ledgerBalances())
      try await Self.settle(first, on: host)
      #expect(try await host.order(first.id, ada).paymentStatus == .refunded)
      #expect(try await host.licenses(of: ada).map(\.status) == [.revoked])
      #expect(try await host.licenses(of: bob).map(\.status) == [.active])
      // The seller has sold the license once.
      let earned = try await seller.client.send(OrdersAPI.GetBalance()).items.map(\.available)
      #expect(earned == [Money(18_000, .usd)])
    }
  }

  @Test("A won dispute about goods that were canceled meanwhile is refunded to the buyer, with shipping")
  func canceledGoods() async throws {
    try await Self.run { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_later")
      let bank = try await StripeBank.pay(mixed.order, on: host)
      #expect(try await bank.dispute("created", "needs_response") == 200)
      _ = try await mixed.buyer.client.send(OrdersAPI.CancelOrder(id: mixed.order.id))
      #expect(try await mixed.now().refundPending == nil)
      host.time.advance(seconds: 11)
      try await host.runOnce()
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 10)
      #expect(try await bank.dispute("closed", "won") == 200)
      let order = try await mixed.now()
      #expect(order.refundPending == Money(2198 + 550, .usd))
      #expect(order.lines.map(\.returned.amount) == [0, 0, 2198])
      #expect(try await mixed.licenses() == [.active, .active])
      #expect(try await mixed.earned() == [1800, 2700])
      #expect(try await host.ledgerBalances())
      try await Self.settle(order, on: host)
      #expect(try await mixed.now().refunded == Money(2198 + 550, .usd))
    }
  }

  @Test("A partial refund by the provider does not revoke licenses that cost nothing")
  func freeLicensesStay() async throws {
    try await Self.run { host async throws in
      let (owner, seller) = (try await host.owner(), try await host.person())
      let ada = try await host.person()
      try await host.add(host.product(owner, price: 5000), to: ada)
      try await host.add(host.beat(seller, exclusive: nil, lease: 0), .lease, to: ada)
      let order = try await host.checkOut(ada, "test_later")
      let bank = try await StripeBank.pay(order, on: host)
      #expect(try await bank.refund("re_1", 100, "succeeded") == 200)
      #expect(try await host.licenses(of: ada).map(\.status) == [.active])
      #expect(try await bank.refund("re_2", order.total.amount - 100, "succeeded") == 200)
      #expect(try await host.licenses(of: ada).map(\.status) == [.revoked])
    }
  }
}
