import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Refunds and store credit.
@Suite(.serialized)
struct RefundTests {
  @Test func refundsAreAtMostWhatWasPaid() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner)
      try await host.add(product, 2, to: ada)
      let order = try await host.checkOut(ada)
      func refund(_ amount: Int64?, _ key: String, credit: Bool = false, currency: Currency = .usd) async throws
        -> Refund
      {
        try await owner.client.send(
          OrdersAPI.RefundOrder(
            id: order.id,
            amount: amount.map { Money($0, currency) }, toCredit: credit),
          idempotencyKey: key
        )
      }
      #expect(try await refund(1000, "a").status == .succeeded)
      #expect(try await refund(1000, "a").id == refund(1000, "a").id)
      #expect(try await host.order(order.id, ada).paymentStatus == .partiallyRefunded)
      for amount in [-5, 0, 3999] as [Int64] {
        #expect(await refusal { _ = try await refund(amount, "x\(amount)") } == "refund-too-large")
      }
      #expect(
        await refusal { _ = try await refund(5, "eur", currency: Currency(trusted: "EUR")) } == "currency-mismatch"
      )
      #expect(try await refund(1500, "b", credit: true).toCredit)
      let credit = try await ada.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == .credit }
      #expect(credit?.available == Money(1500, .usd))
      _ = try await refund(nil, "c")
      let done = try await host.order(order.id, ada)
      #expect(done.paymentStatus == .refunded)
      #expect(done.refunded == order.total)
      #expect(try await host.ledgerBalances())
    }
  }

  /// Store credit is held by pending orders and is never overdrawn.
  @Test(arguments: TestDatabase.allCases)
  func storeCreditIsSpentOnce(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, ada, seller) = (try await host.owner(), try await host.person(), try await host.person())
      let beats = try await [host.beat(seller, exclusive: nil), host.beat(seller, exclusive: nil)]
      _ = try await owner.client.send(
        OrdersAPI.GrantCredit(
          user: ada.id,
          amount: Price(checked: Money(2500, .usd)), reason: ShortText(checked: "sorry")),
        idempotencyKey: "grant"
      )
      func pay(_ beat: Listing) async throws -> Order {
        try await host.add(beat, .lease, to: ada)
        return try await ada.client.send(
          OrdersAPI.CheckOut(payment: TestPlatform.card("test_later"), useCredit: true),
          idempotencyKey: beat.id.rawValue
        )
      }
      let first = try await pay(beats[0])
      #expect(first.status == .placed)
      #expect(first.credit == Money(2000, .usd))
      let second = try await pay(beats[1])
      #expect(second.status == .pendingPayment)
      #expect(second.credit == Money(500, .usd))
      let held = try await ada.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == .credit }
      #expect(held == Balance(kind: .credit, available: Money(0, .usd), held: Money(500, .usd)))
      host.time.advance(seconds: 20 * 60)
      try await host.runOnce()
      let free = try await ada.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == .credit }
      #expect(free == Balance(kind: .credit, available: Money(500, .usd), held: Money(0, .usd)))

      // In the ledger itself: the balance covers ten of fifty concurrent transfers.
      let database = try host.orders.core.database
      let account = LedgerAccount.credit(ada.id)
      let isPosted = try await concurrently(0..<50) { number in
        let transfer = Transfer(id: "t\(number)", from: account, to: .sales, amount: Money(50, .usd), code: "test")
        do {
          try await retryingConflicts { try await database.write { tx in try LedgerStore.post([transfer], in: tx) } }
          return true
        } catch is LedgerStore.InsufficientFunds { return false }
      }
      #expect(isPosted.count { $0 } == 10)
      // No writer can change or delete entries of the ledger.
      for change in ["UPDATE ledger_transfers SET amount = 1", "DELETE FROM ledger_transfers"] as [SQL] {
        await #expect(throws: DatabaseError.self) { try await database.write { tx in try tx.execute(change) } }
      }
      #expect(try await database.read { try LedgerStore.available(account, .usd, in: $0) } == 0)
      #expect(try await host.ledgerBalances())
    }
  }
}
