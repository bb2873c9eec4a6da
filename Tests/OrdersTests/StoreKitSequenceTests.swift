import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The states of one purchase that Apple reports, in every order.
@Suite(.serialized)
struct StoreKitSequenceTests {
  private enum Step: String, CaseIterable {
    case purchase, refund, reversal, consumption, duplicate
  }

  private static func permutations(_ steps: [Step]) -> [[Step]] {
    guard !steps.isEmpty else { return [[]] }
    return steps.indices.flatMap { index in
      var rest = steps
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  private static func play(
    _ steps: [Step], _ id: String, of order: Order, _ ada: TestUser, _ shop: StoreKitTests.Shop
  ) async throws {
    let token = order.id.rawValue
    for step in steps {
      switch step {
      case .purchase:
        let signed = try shop.apple.sign(shop.transaction(id, token: token))
        let problem = await refusal { _ = try await shop.submit(signed, order, by: ada) }
        #expect([nil, "transaction-revoked"].contains(problem), "\(steps)")
      case .refund, .duplicate:
        let refunded = shop.transaction(id, token: token, signedAt: 10, revoked: true)
        #expect(try await shop.notify("REFUND", refunded) == nil, "\(steps)")
      case .reversal:
        let reversed = shop.transaction(id, token: token, signedAt: 20)
        #expect(try await shop.notify("REFUND_REVERSED", reversed) == nil, "\(steps)")
      case .consumption:
        let asked = shop.transaction(id, token: token, signedAt: 30)
        #expect(try await shop.notify("CONSUMPTION_REQUEST", asked) == nil, "\(steps)")
      }
    }
  }

  @Test(
    "M3: whatever the order of purchase, refund, reversal, consumption and duplicate, the newest state decides",
    arguments: TestDatabase.allCases)
  func reversedInEveryOrder(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let all = Self.permutations(Step.allCases)
      #expect(all.count == 120)
      for (index, steps) in all.enumerated() {
        let (_, order) = try await shop.pendingBeat(seller, ada)
        try await Self.play(steps, "t\(index)", of: order, ada, shop)
        let now = try await shop.host.order(order.id, ada)
        #expect(now.status == .placed, "\(steps)")
        #expect(now.paymentStatus == .paid, "\(steps)")
      }
      let earned = try await seller.client.send(OrdersAPI.GetBalance()).items.first?.available
      #expect(earned == Money(120 * 1800, .usd))
      let active = try await shop.host.orders.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM licenses WHERE status = 'active'")
      }
      #expect(active == 120)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test(
    "M3: without a reversal, every order of the others ends refunded, or never paid", arguments: TestDatabase.allCases)
  func refundedInEveryOrder(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let seller = try await shop.host.person()
      for (index, steps) in Self.permutations([.purchase, .refund, .consumption, .duplicate]).enumerated() {
        let ada = try await shop.host.person()
        let (_, order) = try await shop.pendingBeat(seller, ada)
        try await Self.play(steps, "t\(index)", of: order, ada, shop)
        let now = try await shop.host.order(order.id, ada)
        let wasPaid = steps.first { $0 != .consumption } == .purchase
        #expect(now.paymentStatus == (wasPaid ? .refunded : .unpaid), "\(steps)")
        #expect(now.status == (wasPaid ? .placed : .pendingPayment), "\(steps)")
        #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.allSatisfy { $0.status == .revoked })
      }
      let earned = try await seller.client.send(OrdersAPI.GetBalance()).items.first?.available
      #expect(earned == Money(0, .usd))
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M3: an order that we refunded to store credit is never restored", arguments: TestDatabase.allCases)
  func refundedToCredit(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let owner = try await shop.host.owner()
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let token = order.id.rawValue
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: token)), order, by: ada)
      _ = try await owner.client.send(
        OrdersAPI.RefundOrder(id: order.id, toCredit: true), idempotencyKey: UUID().uuidString)
      let events = [
        ("REFUND_DECLINED", 5.0, false), ("CONSUMPTION_REQUEST", 6, false), ("ONE_TIME_CHARGE", 7, false),
        ("REFUND", 10, true), ("REFUND_REVERSED", 20, false), ("REFUND_DECLINED", 30, false),
      ]
      for (type, signedAt, revoked) in events {
        let transaction = shop.transaction("t1", token: token, signedAt: signedAt, revoked: revoked)
        #expect(try await shop.notify(type, transaction) == nil, "\(type)")
        #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.map(\.status) == [.revoked], "\(type)")
        #expect(try await shop.host.ledgerBalances(), "\(type)")
      }
      #expect(try await seller.client.send(OrdersAPI.GetBalance()).items.first?.available == Money(0, .usd))
      #expect(try await ada.client.send(OrdersAPI.GetBalance()).items.first?.available == Money(2000, .usd))
    }
  }

  @Test("Apple's partial refunds are booked in part, changed and reversed")
  func partialRefunds() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let token = order.id.rawValue
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: token)), order, by: ada)
      for (signedAt, share, refunded, status) in [
        (10.0, Int64(25_000), Int64(500), PaymentStatus.partiallyRefunded), (20, 67_932, 1359, .partiallyRefunded),
        (30, 100_000, 2000, .refunded), (40, 0, 0, .paid), (50, 25_000, 500, .partiallyRefunded),
      ] {
        let extra = #","revocationPercentage":\#(share)"#
        let state = shop.transaction(
          "t1", token: token, signedAt: signedAt, revoked: share > 0, extra: share > 0 ? extra : "")
        #expect(try await shop.notify(share > 0 ? "REFUND" : "REFUND_REVERSED", state) == nil)
        let now = try await shop.host.order(order.id, ada)
        #expect(now.paymentStatus == status, "\(signedAt)")
        #expect(now.refunded == Money(refunded, .usd), "\(signedAt)")
        let license = try await ada.client.send(OrdersAPI.ListLicenses()).items.first?.status
        #expect(license == (status == .refunded ? .revoked : .active), "\(signedAt)")
        #expect(try await shop.host.ledgerBalances(), "\(signedAt)")
      }
    }
  }

  @Test("Of states that were signed at the same time, the one that grants less counts")
  func ties() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let token = order.id.rawValue
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: token)), order, by: ada)
      for revoked in [true, false] {
        let state = shop.transaction("t1", token: token, revoked: revoked)
        #expect(try await shop.notify("REFUND", state) == nil)
        #expect(try await shop.host.order(order.id, ada).paymentStatus == .refunded)
      }
      let states = try await shop.host.orders.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM storekit_states WHERE transaction_id = 't1'")
      }
      #expect(states == 2)
    }
  }
}
