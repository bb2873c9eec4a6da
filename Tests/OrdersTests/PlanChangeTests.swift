import Contracts
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Upgrades, downgrades, seats, and renewals that cannot be charged.
@Suite(.serialized)
struct PlanChangeTests {
  @Test(arguments: TestDatabase.allCases)
  func anUpgradeIsChargedByTheRestOfThePeriodAndUnlocksAtOnce(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada, to: "basic")
      #expect(try await shop.unlocked(for: ada.id) == [.history])
      let upgraded = try await shop.change(made.id, of: ada, plan: "premium")
      #expect(upgraded.plan == "premium")
      #expect(upgraded.nextPlan == nil)
      #expect(try await shop.unlocked(for: ada.id) == [.fitting, .history])
      #expect(try await shop.charges().reduce(0, +) == 1500)
      #expect(try await shop.change(made.id, of: ada, plan: "premium") == upgraded)
      try await shop.settle(order: .shuffle, duplicates: 3)
      #expect(try await shop.subscription(made.id, of: ada) == upgraded)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDowngradeBeginsWithTheNextPeriod(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      let changed = try await shop.change(made.id, of: ada, plan: "basic")
      #expect(changed.plan == "premium")
      #expect(changed.nextPlan == "basic")
      try await shop.settle(order: .desc)
      #expect(try await shop.subscription(made.id, of: ada).plan == "premium")
      #expect(try await shop.unlocked(for: ada.id) == [.fitting, .history])
      try await shop.pass(days: 33)
      let now = try await shop.subscription(made.id, of: ada)
      #expect(now.plan == "basic")
      #expect(now.nextPlan == nil)
      #expect(try await shop.unlocked(for: ada.id) == [.history])
      #expect(try await shop.charges().sorted() == [500, 1500])
    }
  }

  @Test func aDowngradeIsWithdrawnWithoutACharge() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      _ = try await shop.change(made.id, of: ada, plan: "basic")
      let withdrawn = try await shop.change(made.id, of: ada, plan: "premium")
      #expect(withdrawn.plan == "premium")
      #expect(withdrawn.nextPlan == nil)
      try await shop.pass(days: 33)
      #expect(try await shop.charges() == [1500, 1500])
    }
  }

  @Test(arguments: ["timeoutBefore", "timeoutAfterCommit"])
  func aChangeWhoseAnswerIsLostIsMadeOnce(_ fault: String) async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada, to: "basic")
      // Fewer than the failures in sequence after which the client waits before it asks again.
      try await shop.stripe.fail("/v1/subscriptions/*", with: fault, times: 4)
      #expect(await refusal { _ = try await shop.change(made.id, of: ada, plan: "premium") } == "unavailable")
      for _ in 0..<10 {
        shop.host.time.advance(seconds: 60)
        try await shop.host.runOnce()
      }
      #expect(try await shop.subscription(made.id, of: ada).plan == "premium")
      #expect(try await shop.charges().count == 2)
    }
  }

  @Test func plansOfOthersAndEqualPlansAreNotTakenTwice() async throws {
    try await PlanShop.run { shop async throws in
      let (ada, eve) = (try await shop.host.person(), try await shop.host.person())
      let basic = try await shop.subscribe(ada, to: "basic")
      _ = try await shop.subscribe(ada, to: "premium")
      #expect(await refusal { _ = try await shop.change(basic.id, of: ada, plan: "premium") } == "already-subscribed")
      #expect(
        await refusal { _ = try await shop.change(basic.id, of: eve, plan: "school") } == "subscription-not-found")
      #expect(await refusal { _ = try await shop.change(basic.id, of: ada, plan: "gold") } == "plan-not-found")
      #expect(await refusal { _ = try await shop.change(basic.id, of: ada, quantity: 2) } == "invalid-request")
    }
  }

  // MARK: dunning

  /// The card of the subscription declines from now on.
  static func breakCard(_ shop: PlanShop) async throws {
    let subscription = try #require(try await shop.stripe.get("/v1/subscriptions")["data"]?.elements.first)
    let (id, customer) = (subscription["id"]?.string ?? "", subscription["customer"]?.string ?? "")
    let method = try await shop.stripe.post(
      "/v1/payment_methods/pm_card_chargeCustomerFail/attach", "customer=\(customer)")
    try await shop.stripe.post("/v1/subscriptions/\(id)", "default_payment_method=\(method["id"]?.string ?? "")")
  }

  @Test(arguments: TestDatabase.allCases)
  func aRenewalThatIsNotPaidIsPastDueThenLockedThenEnded(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await Self.breakCard(shop)
      shop.host.time.advance(seconds: made.until.seconds(since: shop.host.time.source.now()) + 2 * 3600)
      try await shop.settle()
      let due = try await shop.subscription(made.id, of: ada)
      #expect(due.status == .pastDue)
      #expect(due.isActive)
      #expect(due.until == made.until)
      #expect(due.graceUntil == made.until.advanced(bySeconds: 7 * 86_400))
      let pushes = try await shop.host.recorded(PushRequested.self, by: OrdersAPI.self)
      #expect(pushes.map(\.userID) == [ada.id])
      try await shop.stripe.control("settings", ["retry_days": [3, 5, 20], "final": "canceled"])
      try await shop.pass(days: 7.5)
      let locked = try await shop.subscription(made.id, of: ada)
      #expect(locked.status == .pastDue)
      #expect(!locked.isActive)
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      try await shop.pass(days: 20)
      #expect(try await shop.subscription(made.id, of: ada).status == .ended)
      #expect(try await shop.charges() == [1500])
    }
  }

  @Test func aPaidInvoiceEndsDunning() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await Self.breakCard(shop)
      shop.host.time.advance(seconds: made.until.seconds(since: shop.host.time.source.now()) + 2 * 3600)
      try await shop.settle()
      #expect(try await shop.subscription(made.id, of: ada).status == .pastDue)
      let subscription = try #require(try await shop.stripe.get("/v1/subscriptions")["data"]?.elements.first)
      let customer = subscription["customer"]?.string ?? ""
      let method = try await shop.stripe.post("/v1/payment_methods/pm_card_visa/attach", "customer=\(customer)")
      try await shop.stripe.post(
        "/v1/invoices/\(subscription["latest_invoice"]?.string ?? "")/pay",
        "payment_method=\(method["id"]?.string ?? "")")
      try await shop.settle(order: .desc)
      let paid = try await shop.subscription(made.id, of: ada)
      #expect(paid.status == .active)
      #expect(paid.graceUntil == nil)
      #expect(paid.until > made.until)
    }
  }
}
