import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Subscriptions from the first request to their end, whatever happens between.
@Suite(.serialized)
struct SubscriptionTests {
  @Test(arguments: TestDatabase.allCases)
  func aSubscriptionIsChargedOnceAndUnlocksItsFeatures(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada, key: "s")
      #expect(made.status == .active)
      #expect(made.isActive)
      #expect(made.renews)
      #expect(made.clientSecret == nil)
      #expect(made.until > shop.host.time.source.now().advanced(bySeconds: 27 * 86_400))
      #expect(try await shop.charges() == [1500])
      #expect(try await shop.unlocked(for: ada.id) == [.fitting, .history])
      try await shop.settle(order: .shuffle, duplicates: 3)
      #expect(try await shop.subscription(made.id, of: ada) == made)
      let eve = try await shop.host.person()
      #expect(await refusal { _ = try await shop.subscription(made.id, of: eve) } == "subscription-not-found")
    }
  }

  @Test("M2: two tabs with two keys make one subscription and one charge", arguments: TestDatabase.allCases)
  func twoTabs(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      for round in 1...5 {
        let ada = try await shop.host.person()
        async let first = refusal { _ = try await retryingUnavailable { try await shop.subscribe(ada, key: "a") } }
        async let second = refusal { _ = try await retryingUnavailable { try await shop.subscribe(ada, key: "b") } }
        let answers = await [first, second].compactMap { $0 }
        #expect(answers == ["already-subscribed"])
        #expect(try await shop.charges().count == round)
        #expect(try await ada.client.send(OrdersAPI.ListSubscriptions()).items.map(\.status) == [.active])
      }
      #expect(try await shop.atStripe().count == 5)
    }
  }

  @Test("M2: what a crash interrupts after Stripe's work is finished by the job", arguments: TestDatabase.allCases)
  func lostAnswers(_ database: TestDatabase) async throws {
    let paths = [
      "/v1/customers", "/v1/payment_methods/*/attach", "/v1/subscriptions", "/v1/payment_intents/*/confirm",
    ]
    for path in paths {
      for fault in ["timeoutBefore", "timeoutAfterCommit", "status500AfterCommit"] {
        try await PlanShop.run(database) { shop async throws in
          // The client repeats a request by itself once.
          try await shop.stripe.fail(path, with: fault, times: 4)
          let ada = try await shop.host.person()
          let begun = try await shop.subscribe(ada)
          for _ in 0..<6 {
            shop.host.time.advance(seconds: 60)
            try await shop.host.runOnce()
          }
          let now = try await shop.subscription(begun.id, of: ada)
          #expect(now.status == .active, "\(path) \(fault)")
          #expect(try await shop.charges() == [1500], "\(path) \(fault)")
          #expect(try await shop.atStripe() == ["active"], "\(path) \(fault)")
        }
      }
    }
  }

  @Test("M2: what a platform that stops has begun is finished by the next one")
  func stoppedPlatform() async throws {
    try await TemporaryFolder.run { folder in
      let (time, ids) = (ManualTime(), IDGenerator())
      let stripe = try await StripeStandIn.run(time: time)
      try await PlanShop.addPrices(to: stripe)
      let settings = stripe.settings.merging(["orders.plans": PlanShop.plans, "data": folder]) { $1 }
      let ada: UserID = ids.make()
      try await stripe.fail("/v1/subscriptions", with: "timeoutAfterCommit", times: 1)
      try await stripe.fail("/v1/subscriptions", with: "timeoutBefore", times: 3)
      try await TestPlatform.orders(settings: settings, time: time) { host async throws in
        let user = try await host.person(id: ada)
        let subscribe = OrdersAPI.Subscribe(plan: "premium", payment: PlanShop.choice("pm_card_visa"))
        _ = try await user.client.send(subscribe, idempotencyKey: "s")
      }
      try await TestPlatform.orders(settings: settings, time: time) { host async throws in
        for _ in 0..<6 {
          time.advance(seconds: 120)
          try await host.runOnce()
        }
        let user = try await host.person(id: ada)
        #expect(try await user.client.send(OrdersAPI.ListSubscriptions()).items.map(\.status) == [.active])
        #expect(try await stripe.get("/v1/subscriptions?status=all")["data"]?.elements.count == 1)
      }
    }
  }

  @Test("M2: a webhook that arrives before Stripe's answer is stored is matched by our id")
  func webhookFirst() async throws {
    try await PlanShop.run { shop async throws in
      try await shop.stripe.fail("/v1/subscriptions", with: "timeoutAfterCommit", times: 4)
      let ada = try await shop.host.person()
      let begun = try await shop.subscribe(ada)
      #expect(begun.status == .pending)
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE reference IS NOT NULL") == 0)
      let answers = try await shop.stripe.deliverEvents(to: shop.host)
      #expect(answers.allSatisfy { $0.status == 200 })
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE reference IS NOT NULL") == 1)
      shop.host.time.advance(seconds: 60)
      try await shop.host.runOnce()
      #expect(try await shop.subscription(begun.id, of: ada).status == .active)
      #expect(try await shop.charges() == [1500])
    }
  }

  @Test("M2: events of subscriptions that were not made here have no effect")
  func foreignSubscriptions() async throws {
    try await PlanShop.run { shop async throws in
      let customer = try #require(try await shop.stripe.post("/v1/customers")["id"]?.string)
      let method = try await shop.stripe.post("/v1/payment_methods/pm_card_visa/attach", "customer=\(customer)")
      let id = try #require(method["id"]?.string)
      try await shop.stripe.post(
        "/v1/subscriptions", "customer=\(customer)&items[0][price]=price_basic&default_payment_method=\(id)")
      let answers = try await shop.stripe.deliverEvents(to: shop.host, types: ["customer.subscription.created"])
      #expect(answers.map(\.status) == [200])
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions") == 0)
    }
  }

  @Test("M13: a repeated key answers the present state, and an old answer changes nothing")
  func repeatedKeys() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada, key: "s")
      let ended = try await ada.client.send(OrdersAPI.EndSubscription(id: made.id))
      #expect(!ended.renews)
      #expect(ended.isActive)
      let repeated = try await shop.subscribe(ada, key: "s")
      #expect(repeated == ended)
      try await shop.settle(order: .desc, duplicates: 5)
      #expect(try await shop.subscription(made.id, of: ada) == ended)
      #expect(try await shop.charges() == [1500])
    }
  }

  @Test("M13: events of the same second, in any order, leave Stripe's state", arguments: [1, 2, 3, 4, 5])
  func sameSecond(_ seed: Int64) async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      for renews in [false, true, false] { _ = try await shop.change(made.id, of: ada, renews: renews) }
      try await shop.stripe.deliverEvents(to: shop.host, order: .shuffle, duplicates: 3, seed: seed)
      try await shop.host.runOnce()
      let now = try await shop.subscription(made.id, of: ada)
      #expect(!now.renews)
      #expect(now.isActive)
    }
  }

  // MARK: 3-D Secure

  @Test func theBuyerConfirmsTheFirstPaymentAtTheBank() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let begun = try await shop.subscribe(ada, card: "pm_card_authenticationRequired")
      #expect(begun.status == .incomplete)
      #expect(!begun.isActive)
      #expect(begun.clientSecret?.contains("_secret_") == true)
      let stored = try await shop.host.orders.core.database.read { db in
        try db.value("SELECT client_secret FROM subscriptions", as: String.self)
      }
      #expect(stored?.contains("_secret_") == false)
      try await shop.authenticate(begun, "succeed")
      try await shop.settle()
      let now = try await shop.subscription(begun.id, of: ada)
      #expect(now.status == .active)
      #expect(now.clientSecret == nil)
      #expect(try await shop.unlocked(for: ada.id).contains(.fitting))
      #expect(try await shop.charges() == [1500])
    }
  }

  @Test func whoFailsAtTheBankMayTryAgainOrLetItExpire() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let begun = try await shop.subscribe(ada, card: "pm_card_authenticationRequired")
      try await shop.authenticate(begun, "fail")
      try await shop.settle()
      let failed = try await shop.subscription(begun.id, of: ada)
      #expect(failed.status == .incomplete)
      #expect(failed.failure == "payment_intent_authentication_failure")
      try await shop.pass(days: 1)
      let expired = try await shop.subscription(begun.id, of: ada)
      #expect(expired.status == .failed)
      #expect(expired.clientSecret == nil)
      #expect(try await shop.charges().isEmpty)
      #expect(try await shop.subscribe(ada).status == .active)
    }
  }

  @Test(arguments: ["pm_card_chargeDeclined", "pm_card_chargeCustomerFail"])
  func aDeclinedCardFailsVisibly(_ card: String) async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let failed = try await shop.subscribe(ada, card: card)
      #expect(failed.status == .failed)
      #expect(failed.failure == "card_declined")
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      // Nothing is left with Stripe that could be charged later, and another card may be tried at once.
      #expect(try await shop.atStripe().allSatisfy { $0 == "canceled" })
      #expect(try await shop.subscribe(ada).status == .active)
      #expect(try await shop.charges() == [1500])
    }
  }

  // MARK: the end

  @Test(arguments: TestDatabase.allCases)
  func aCanceledPlanEndsWithItsPeriodUnlessThatIsUndone(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      #expect(try await !ada.client.send(OrdersAPI.EndSubscription(id: made.id)).renews)
      #expect(try await shop.change(made.id, of: ada, renews: true).renews)
      try await shop.pass(days: 33)
      #expect(try await shop.charges() == [1500, 1500])
      #expect(try await !ada.client.send(OrdersAPI.EndSubscription(id: made.id)).renews)
      try await shop.pass(days: 33)
      let ended = try await shop.subscription(made.id, of: ada)
      #expect(ended.status == .ended)
      #expect(!ended.isActive)
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      #expect(try await shop.charges() == [1500, 1500])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func deletedAccountsAreNotChargedAgain(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (ada, bob) = (try await shop.host.person(), try await shop.host.person())
      _ = try await shop.subscribe(ada)
      _ = try await shop.subscribe(bob, card: "pm_card_authenticationRequired")
      let exported = try await shop.host.orders.export(ada.id, from: shop.host.orders.core.database)
      #expect(exported["subscriptions"]?.elements.count == 1)
      for user in [ada, bob] {
        try await shop.host.deliver(UserDeleted(userID: user.id), from: AuthAPI.self, to: OrdersAPI.self)
      }
      try await shop.settle()
      try await shop.host.runOnce()
      try await shop.pass(days: 33)
      #expect(try await shop.charges() == [1500])
      #expect(try await shop.atStripe().allSatisfy { $0 == "canceled" })
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE user_id IS NOT NULL") == 0)
    }
  }
}
