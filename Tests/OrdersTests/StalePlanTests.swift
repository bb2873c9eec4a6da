import Contracts
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Subscriptions for which no job is left.
@Suite(.serialized)
struct StalePlanTests {
  /// Makes a subscription inactive, without a job that reads it again.
  private static func lock(_ id: SubscriptionID, of user: UserID?, _ shop: PlanShop) async throws {
    try await shop.host.orders.core.database.write { tx in
      try tx.execute(
        """
        UPDATE subscriptions SET user_id = \(user), status = 'pastDue', is_active = 0, is_stale = 1
        WHERE id = \(id)
        """)
      try tx.execute("DELETE FROM jobs WHERE kind = 'subscription'")
    }
    shop.host.time.advance(seconds: 3600)
    for _ in 0..<2 { try await shop.host.runOnce() }
  }

  @Test("Money 4: a plan that Stripe charges unlocks again when its job is gone", arguments: TestDatabase.allCases)
  func chargedPlans(_ kind: TestDatabase) async throws {
    try await PlanShop.run(kind) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await shop.settle()
      try await Self.lock(made.id, of: ada.id, shop)
      let now = try await shop.subscription(made.id, of: ada)
      #expect(now.status == .active)
      #expect(now.isActive)
      #expect(try await shop.unlocked(for: ada.id) == [.fitting, .history])
    }
  }

  @Test(
    "Money 4: a plan that Stripe renews although its account is deleted is canceled", arguments: TestDatabase.allCases)
  func plansWithoutAccounts(_ kind: TestDatabase) async throws {
    try await PlanShop.run(kind) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await shop.settle()
      try await Self.lock(made.id, of: nil, shop)
      try await shop.pass(days: 33)
      #expect(try await shop.charges() == [1500])
      #expect(try await shop.atStripe() == ["canceled"])
    }
  }
}
