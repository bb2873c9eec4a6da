import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Plans of a user with a long history of attempts that failed.
@Suite(.serialized)
struct PlanHistoryTests {
  /// A subscriber to a plan, with 150 later attempts that failed.
  private static func subscriber(_ shop: PlanShop, to plans: [String]) async throws -> (TestUser, [Subscription]) {
    let ada = try await shop.host.person()
    var made: [Subscription] = []
    for plan in plans { made.append(try await shop.subscribe(ada, to: plan)) }
    let ids: [SubscriptionID] = (0..<150).map { _ in shop.host.ids.make() }
    try await shop.host.orders.core.database.write { tx in
      for id in ids {
        try tx.execute(
          """
          INSERT INTO subscriptions
            (id, user_id, plan, provider, status, quantity, until, access_until, renews, is_active, method_is_kept,
             is_stale, contested, version, created_at, changed_at)
          VALUES (\(id), \(ada.id), 'basic', 'stripe', 'failed', 1, \(tx.now), \(tx.now), 0, 0, 0, 0, '[]', 1,
                  \(tx.now), \(tx.now))
          """
        )
      }
    }
    return (ada, made)
  }

  @Test("Attack 10: a living plan is found behind any number of attempts", arguments: TestDatabase.allCases)
  func livingPlans(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (ada, made) = try await Self.subscriber(shop, to: ["basic", "premium"])
      #expect(await refusal { _ = try await shop.subscribe(ada, to: "premium") } == "already-subscribed")
      #expect(
        await refusal { _ = try await shop.change(made[0].id, of: ada, plan: "premium") } == "already-subscribed")
      #expect(try await shop.charges().sorted() == [500, 1500])
      let listed = try await ada.client.send(OrdersAPI.ListSubscriptions()).items
      #expect(listed.prefix(2).map(\.plan) == ["premium", "basic"])
      #expect(listed.count == 102)
    }
  }

  @Test("Attack 10: a deleted account is in none of its subscriptions", arguments: TestDatabase.allCases)
  func deletedAccounts(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (ada, made) = try await Self.subscriber(shop, to: ["premium"])
      let exported = try await shop.host.orders.export(ada.id, from: shop.host.orders.core.database)
      #expect(exported["subscriptions"]?.elements.count == 151)
      try await shop.host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self, to: OrdersAPI.self)
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE user_id IS NOT NULL") == 0)
      #expect(
        try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE id = \(made[0].id) AND change IS NOT NULL") == 1)
      try await shop.settle()
      try await shop.pass(days: 33)
      #expect(try await shop.charges() == [1500])
    }
  }
}
