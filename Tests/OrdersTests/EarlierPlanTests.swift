import Contracts
import Logging
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Subscriptions from before orders-040.
@Suite(.serialized)
struct EarlierPlanTests {
  /// Rows as the version before stored them, upgraded.
  /// - Returns: The status of each, with `stale` if the provider is asked.
  private static func upgraded(
    _ kind: TestDatabase, _ rows: [(id: String, user: String?, provider: String, isActive: Bool, renews: Bool)]
  ) async throws -> [String: String] {
    try await kind.run { database async throws in
      let (logger, added) = (Logger(label: "test"), Set(PlanMigrations.all.map(\.name)))
      let before = Array(OrdersMigrations.all.prefix { !added.contains($0.name) })
      try await database.migrate(PlatformMigrations.all + before, logger: logger)
      try await database.write { tx in
        for row in rows {
          try tx.execute(
            """
            INSERT INTO subscriptions (id, user_id, plan, provider, reference, until, renews, is_active, changed_at)
            VALUES (\(row.id), \(row.user), 'premium', \(row.provider), \("sub-\(row.id)"), 1000, \(row.renews),
                    \(row.isActive), 1000)
            """)
        }
      }
      try await database.migrate(PlatformMigrations.all + OrdersMigrations.all, logger: logger)
      let found = try await database.read { db in
        try db.all("SELECT id, status, is_stale FROM subscriptions") { row -> (String, String) in
          let (status, isStale): (String, Bool) = (try row["status"], try row["is_stale"])
          return (try row["id"], isStale ? "\(status) stale" : status)
        }
      }
      return Dictionary(uniqueKeysWithValues: found)
    }
  }

  @Test(
    "Money 4: a plan that was inactive although it renews with Stripe is asked for after the upgrade",
    arguments: TestDatabase.allCases)
  func inactivePlans(_ kind: TestDatabase) async throws {
    let found = try await Self.upgraded(
      kind,
      [
        ("a", "ada", "stripe", true, true), ("b", "ada", "stripe", false, true), ("c", "ada", "stripe", false, true),
        ("d", "ada", "stripe", false, false), ("e", "ada", "storekit", false, true), ("f", nil, "stripe", false, true),
      ])
    #expect(
      found == [
        "a": "active", "b": "pastDue stale", "c": "pastDue stale", "d": "ended", "e": "ended", "f": "pastDue stale",
      ])
  }

  /// As the migration stores one that was inactive: there is no job that reads it.
  private static func lock(_ id: SubscriptionID, of user: UserID?, _ shop: PlanShop) async throws {
    try await shop.host.orders.core.database.write { tx in
      try tx.execute(
        """
        UPDATE subscriptions SET user_id = \(user), status = 'pastDue', is_active = 0, is_stale = 1, customer = NULL
        WHERE id = \(id)
        """)
      try tx.execute("DELETE FROM jobs WHERE kind = 'subscription'")
    }
    shop.host.time.advance(seconds: 3600)
    for _ in 0..<2 { try await shop.host.runOnce() }
  }

  @Test("Money 4: a plan that Stripe charges unlocks again after the upgrade", arguments: TestDatabase.allCases)
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

  @Test("Money 4: a plan without an account is not charged again after the upgrade", arguments: TestDatabase.allCases)
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
