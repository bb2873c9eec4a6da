import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Disputes, and refunds that were made in Stripe's dashboard.
@Suite(.serialized)
struct DisputeTests {
  private static func run(_ database: TestDatabase = .sqlite, _ body: (MixedOrder, StripeBank) async throws -> Void)
    async throws
  {
    try await TestPlatform.orders(settings: StripeBank.settings, database: database) { host async throws in
      let mixed = try await MixedOrder.make(host, token: "test_later")
      let bank = try await StripeBank.pay(mixed.order, on: host)
      #expect(try await mixed.earned() == [1800, 2700])
      try await body(mixed, bank)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M11: a dispute takes back, and a won dispute gives back exactly that", arguments: TestDatabase.allCases)
  func disputesAreWon(_ database: TestDatabase) async throws {
    try await Self.run(database) { mixed, bank async throws in
      for event in ["created", "funds_withdrawn", "updated"] {
        #expect(try await bank.dispute(event, "needs_response") == 200)
      }
      let disputed = try await mixed.now()
      #expect(disputed.paymentStatus == .refunded)
      #expect(try await mixed.refunds().map(\.isByProvider) == [true])
      #expect(try await mixed.earned() == [0, 0])
      #expect(try await mixed.licenses() == [.revoked, .revoked])
      #expect(try await mixed.host.ledgerBalances())
      for event in ["funds_reinstated", "closed"] { #expect(try await bank.dispute(event, "won") == 200) }
      #expect(try await mixed.now().paymentStatus == .paid)
      #expect(try await mixed.earned() == [1800, 2700])
      #expect(try await mixed.licenses() == [.active, .active])
      #expect(try await mixed.refunds().map(\.status) == [.reversed])
      // A late event of the same dispute changes nothing.
      #expect(try await bank.dispute("created", "needs_response") == 200)
      #expect(try await mixed.earned() == [1800, 2700])
    }
  }

  @Test("M11: a dispute whose end is reported first is not booked")
  func eventsOutOfOrder() async throws {
    try await Self.run { mixed, bank async throws in
      #expect(try await bank.dispute("closed", "won") == 200)
      #expect(try await bank.dispute("created", "needs_response") == 200)
      #expect(try await mixed.now().paymentStatus == .paid)
      #expect(try await mixed.earned() == [1800, 2700])
    }
  }

  @Test("M11: inquiries and payments of others change nothing")
  func inquiriesMoveNoMoney() async throws {
    try await Self.run { mixed, bank async throws in
      #expect(try await bank.dispute("created", "warning_needs_response") == 200)
      #expect(try await bank.dispute("created", "needs_response", intent: "pi_other") == 200)
      #expect(try await mixed.now().paymentStatus == .paid)
      #expect(try await mixed.refunds().isEmpty)
    }
  }

  @Test("M11: a refund made in the dashboard is booked once, and its failure reverses it")
  func dashboardRefunds() async throws {
    try await Self.run { mixed, bank async throws in
      for status in ["pending", "succeeded", "succeeded"] {
        #expect(try await bank.refund("re_1", 4124, status) == 200)
      }
      #expect(try await mixed.now().refunded == Money(4124, .usd))
      #expect(try await mixed.earned() == [900, 1350])
      #expect(try await mixed.licenses() == [.active, .active])
      #expect(try await bank.refund("re_1", 4124, "failed") == 200)
      #expect(try await mixed.now().refunded.amount == 0)
      #expect(try await mixed.earned() == [1800, 2700])
    }
  }

  @Test("M11: a dispute after a refund as store credit is the shop's loss, and only that is given back")
  func lossesAreTheShops() async throws {
    try await Self.run { mixed, bank async throws in
      _ = try await mixed.refund([MixedOrder.line(1)], toCredit: true)
      #expect(try await bank.dispute("created", "needs_response") == 200)
      let disputed = try await mixed.now()
      #expect(disputed.refunded == disputed.total)
      #expect(try await mixed.earned() == [0, 0])
      #expect(await refusal { _ = try await mixed.refund() } == "refund-too-large")
      #expect(try await mixed.host.ledgerBalances())
      #expect(try await bank.dispute("closed", "won") == 200)
      #expect(try await mixed.earned() == [1800, 0])
      #expect(try await mixed.licenses() == [.active, .revoked])
      #expect(try await mixed.now().refunded == Money(3300, .usd))
    }
  }

  /// Stripe is not reachable, so the refund stays to be made; when it is refused because of the dispute, the buyer has
  /// the money already.
  @Test("M11: a pending refund and a dispute give the money back once")
  func pendingRefundsMeetDisputes() async throws {
    try await Self.run { mixed, bank async throws in
      let refund = try await mixed.refund()
      #expect(refund.status == .pending)
      #expect(try await bank.dispute("created", "needs_response") == 200)
      #expect(try await mixed.host.ledgerBalances())
      let core = try mixed.host.orders.core
      try await core.database.write { tx in
        let stored = try #require(try RefundStore.find(refund.id, in: tx))
        try core.refunds.refunded(stored, .refused(reason: "charge_disputed"), in: tx)
      }
      #expect(try await mixed.refunds().map(\.status) == [.succeeded, .replaced])
      let order = try await mixed.now()
      #expect(order.refunded == order.total)
      #expect(order.refundFailed == nil)
      #expect(try await mixed.host.ledgerBalances())
      // The shop wins: the buyer should have got the refund.
      #expect(try await bank.dispute("closed", "won") == 200)
      #expect(try await mixed.now().refundFailed == order.total)
      #expect(try await mixed.earned() == [0, 0])
    }
  }
}
