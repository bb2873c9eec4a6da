import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Refunds that were decided before refunds of lines.
@Suite(.serialized)
struct EarlierRefundTests {
  @Test("A refund that was pending during the upgrade is taken back once", arguments: TestDatabase.allCases)
  func pendingRefunds(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      let core = try host.orders.core
      let payment = try #require(mixed.order.payment?.id)
      try await core.database.write { tx in
        let refund = StoredRefund(
          id: host.ids.make(), orderID: mixed.order.id, payment: payment, amount: Money(2200, .usd))
        try RefundStore.insert(refund, in: tx)
      }
      for _ in 0..<2 { try await EarlierRefunds.takeBack(core) }
      #expect(try await mixed.now().refundPending == Money(2200, .usd))
      let earned = try await mixed.earned()
      #expect(earned[0] < 1800)
      #expect(earned[1] < 2700)
      #expect(try await host.ledgerBalances())
      try await core.workflow.advance(mixed.order.id)
      #expect(try await mixed.now().refunded == Money(2200, .usd))
      #expect(try await mixed.refund().amount == Money(8248 - 2200, .usd))
      #expect(try await mixed.now().refunded == mixed.order.total)
      #expect(try await mixed.earned() == [0, 0])
      #expect(try await mixed.licenses() == [.revoked, .revoked])
      #expect(try await mixed.balance(.credit, of: mixed.buyer) == 0)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("A refund of a whole order that was pending during the upgrade revokes its licenses")
  func pendingRefundOfAll() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      let core = try host.orders.core
      let payment = try #require(mixed.order.payment?.id)
      try await core.database.write { tx in
        let refund = StoredRefund(
          id: host.ids.make(), orderID: mixed.order.id, payment: payment, amount: mixed.order.total)
        try RefundStore.insert(refund, in: tx)
      }
      // As a start of the service.
      _ = try await OrdersPlugin(environment: core.environment)
      #expect(try await mixed.licenses() == [.revoked, .revoked])
      #expect(await refusal { _ = try await mixed.refund() } == "refund-too-large")
      try await core.workflow.advance(mixed.order.id)
      #expect(try await mixed.now().paymentStatus == .refunded)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("A failed refund that is made again takes nothing back a second time")
  func repeatedRefundsAreTaken() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_refundFail")
      let core = try host.orders.core
      let failed = try await mixed.refund([MixedOrder.line(1)])
      try await core.database.write { tx in
        let stored = try #require(try RefundStore.find(failed.id, in: tx))
        _ = try core.transitions.retry(stored, toCredit: false, in: tx)
      }
      try await EarlierRefunds.takeBack(core)
      #expect(try await mixed.earned() == [1800, 0])
      #expect(try await host.ledgerBalances())
    }
  }
}
