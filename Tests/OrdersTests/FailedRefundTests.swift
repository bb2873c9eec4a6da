import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Refunds that providers delay, refuse, or cannot pay out.
@Suite(.serialized)
struct FailedRefundTests {
  /// Sends the test provider's notification of a refund.
  private func notify(_ refund: Refund, _ status: String, _ mixed: MixedOrder) async throws -> Int {
    let payment = try #require(mixed.order.payment)
    let body = """
      {"id":"\(UUID().uuidString)","reference":"test_refundPending_\(payment.id)","refund":"\(refund.id)",\
      "status":"\(status)","amount":{"amount":\(refund.amount.amount),"currency":"USD"}}
      """
    let key = SymmetricKey(data: Data("test-webhook-secret".utf8))
    let signature = HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: key)
      .map { String(format: "%02x", $0) }.joined()
    return try await mixed.host.send(
      .post, "/v1/payments/webhooks/test", body, headers: [(name: "test-signature", value: signature)]
    ).status
  }

  private func failed(_ mixed: MixedOrder) async throws -> [Refund] {
    try await mixed.owner.client.send(OrdersAPI.ListRefunds(status: .failed)).items
  }

  @Test("M11: a refund is pending until the provider reports it", arguments: TestDatabase.allCases)
  func pendingUntilReported(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_refundPending")
      let refund = try await mixed.refund([MixedOrder.line(0)])
      #expect(refund.status == .pending)
      let waiting = try await mixed.now()
      #expect(waiting.refunded.amount == 0)
      #expect(waiting.refundPending == Money(2200, .usd))
      #expect(waiting.paymentStatus == .paid)
      // The seller cannot withdraw what is on its way back.
      #expect(try await mixed.earned() == [0, 2700])
      #expect(try await host.ledgerBalances())
      host.time.advance(seconds: 86_400)
      try await host.runOnce()
      for _ in 0..<2 { #expect(try await notify(refund, "succeeded", mixed) == 200) }
      let done = try await mixed.now()
      #expect(done.refunded == Money(2200, .usd))
      #expect(done.refundPending == nil)
      #expect(done.paymentStatus == .partiallyRefunded)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M11: a refund that fails after it succeeded is owed again")
  func lateFailures() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_refundPending")
      let refund = try await mixed.refund()
      #expect(try await notify(refund, "succeeded", mixed) == 200)
      #expect(try await mixed.now().paymentStatus == .refunded)
      #expect(try await notify(refund, "lost_or_stolen_card", mixed) == 200)
      // A late success of the same refund changes nothing.
      #expect(try await notify(refund, "succeeded", mixed) == 200)
      let order = try await mixed.now()
      #expect(order.paymentStatus == .paid)
      #expect(order.refunded.amount == 0)
      #expect(order.refundFailed == order.total)
      #expect(try await failed(mixed).map(\.failure) == ["lost_or_stolen_card"])
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M22: a refused refund is listed, and made again as store credit", arguments: TestDatabase.allCases)
  func creditIsTheWayOut(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_refundFail")
      let refund = try await mixed.refund([MixedOrder.line(1)])
      #expect(refund.status == .failed)
      #expect(refund.failure == "refund_refused")
      #expect(refund.owed == Money(3300, .usd))
      #expect(try await failed(mixed) == [refund])
      #expect(try await mixed.refunds() == [refund])
      #expect(try await mixed.now().refundFailed == Money(3300, .usd))
      #expect(try await host.ledgerBalances())
      func retry(_ key: String) async throws -> Refund {
        try await mixed.owner.client.send(OrdersAPI.RetryRefund(id: refund.id), idempotencyKey: key)
      }
      let again = try await retry("a")
      #expect(again.status == .succeeded)
      #expect(again.toCredit)
      #expect(try await retry("a").id == again.id)
      #expect(await refusal { _ = try await retry("b") } == "refund-not-failed")
      #expect(try await mixed.balance(.credit, of: mixed.buyer) == 3300)
      #expect(try await failed(mixed).isEmpty)
      let order = try await mixed.now()
      #expect(order.refunded == Money(3300, .usd))
      #expect(order.refundFailed == nil)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M22: refunds are listed for the buyer and for staff only")
  func refundsAreListed() async throws {
    try await TestPlatform.orders { host async throws in
      let (mixed, eve) = (try await MixedOrder.make(host), try await host.person())
      for position in 0..<3 { _ = try await mixed.refund([MixedOrder.line(position)]) }
      let list = OrdersAPI.ListOrderRefunds(id: mixed.order.id)
      #expect(await refusal { _ = try await eve.client.send(list) } == "order-not-found")
      #expect(await refusal { _ = try await eve.client.send(OrdersAPI.ListRefunds()) } == "forbidden")
      #expect(try await mixed.owner.client.send(list).items.map { $0.lines.map(\.position) } == [[2], [1], [0]])
      let page = OrdersAPI.ListOrderRefunds(id: mixed.order.id, limit: PageSize(checked: 2))
      #expect(try await mixed.buyer.client.send(page).items.count == 2)
      #expect(try await mixed.owner.client.send(OrdersAPI.ListRefunds(status: .succeeded)).items.count == 3)
    }
  }

  /// A process may die after the provider has refunded and before that is stored: the action runs again.
  @Test func anOutcomeIsAppliedOnce() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_refundPending")
      let refund = try await mixed.refund([MixedOrder.line(0)])
      let core = try host.orders.core
      for _ in 0..<3 {
        try await core.database.write { tx in
          let stored = try #require(try RefundStore.find(refund.id, in: tx))
          try core.refunds.refunded(stored, .succeeded(reference: "re_1"), in: tx)
        }
        #expect(try await host.ledgerBalances())
      }
      #expect(try await mixed.now().refunded == Money(2200, .usd))
    }
  }
}
