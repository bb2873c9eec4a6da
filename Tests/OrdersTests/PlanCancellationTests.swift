import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Cancellations that meet a payment.
@Suite(.serialized)
struct PlanCancellationTests {
  private static func reference(_ shop: PlanShop, _ id: SubscriptionID) async throws -> String {
    let stored = try await shop.host.orders.core.database.read { db in
      try db.value("SELECT reference FROM subscriptions WHERE id = \(id)", as: String.self)
    }
    return try #require(stored)
  }

  @Test("Money 3: what Stripe has just charged is used to the end of its period", arguments: TestDatabase.allCases)
  func paidMeanwhile(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let begun = try await shop.subscribe(ada, card: "pm_card_authenticationRequired")
      try await shop.authenticate(begun, "succeed")
      let canceled = try await ada.client.send(OrdersAPI.EndSubscription(id: begun.id))
      #expect(canceled.status == .active)
      #expect(canceled.isActive)
      #expect(!canceled.renews)
      try await shop.settle(order: .shuffle, duplicates: 3)
      #expect(try await shop.subscription(begun.id, of: ada) == canceled)
      #expect(await refusal { _ = try await shop.subscribe(ada) } == "already-subscribed")
      try await shop.pass(days: 33)
      #expect(try await shop.subscription(begun.id, of: ada).status == .ended)
      #expect(try await shop.charges() == [1500])
    }
  }

  @Test("Money 3: what is not paid ends and cannot be charged any more, whatever is interrupted")
  func unpaid() async throws {
    for (method, path) in [("POST", "/v1/invoices/*/void"), ("DELETE", "/v1/subscriptions/*")] {
      for fault in ["timeoutBefore", "timeoutAfterCommit", "status500AfterCommit"] {
        try await PlanShop.run { shop async throws in
          let ada = try await shop.host.person()
          let begun = try await shop.subscribe(ada, card: "pm_card_authenticationRequired")
          try await shop.stripe.control(
            "faults",
            ["path": .string(path), "method": .string(method), "fault": .string(fault), "times": .integer(3)])
          _ = await refusal { _ = try await ada.client.send(OrdersAPI.EndSubscription(id: begun.id)) }
          for _ in 0..<6 {
            shop.host.time.advance(seconds: 60)
            try await shop.host.runOnce()
          }
          #expect(try await shop.subscription(begun.id, of: ada).status == .failed, "\(path) \(fault)")
          #expect(try await shop.atStripe() == ["canceled"], "\(path) \(fault)")
          await #expect(throws: (any Error).self) { try await shop.authenticate(begun, "succeed") }
          #expect(try await shop.charges().isEmpty, "\(path) \(fault)")
        }
      }
    }
  }

  @Test("Money 3: a first period that was paid before Stripe ended the plan has ended, not failed")
  func endedByStripe() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let begun = try await shop.subscribe(ada, card: "pm_card_authenticationRequired")
      try await shop.authenticate(begun, "succeed")
      try await shop.stripe.cancel(try await Self.reference(shop, begun.id))
      try await shop.settle()
      let ended = try await shop.subscription(begun.id, of: ada)
      #expect(ended.status == .ended)
      #expect(ended.failure == nil)
      #expect(try await shop.charges() == [1500])
    }
  }
}
