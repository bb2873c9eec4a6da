import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit

@testable import OrdersService

/// A shop with plans and the stand-in of Stripe.
struct PlanShop: Sendable {
  static let plans = #"""
    [{"name":"basic","title":"Basic","price":{"amount":500,"currency":"USD"},"months":1,"stripePrice":"price_basic",
      "features":["study.history"]},
     {"name":"premium","title":"Premium","price":{"amount":1500,"currency":"USD"},"months":1,
      "stripePrice":"price_premium","features":["study.fitting","study.history"]},
     {"name":"school","title":"School","price":{"amount":2000,"currency":"USD"},"months":1,
      "stripePrice":"price_school","features":["study.fitting"],"seats":2}]
    """#

  let host: TestPlatform
  let stripe: StripeStandIn
  private let settings: [String: String]

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:], _ body: (PlanShop) async throws -> Void
  ) async throws {
    try await run(on: database == .sqlite ? .sqlite : .postgresql, settings: settings) { shop, _ async throws in
      try await body(shop)
    }
  }

  /// - Parameter body: Is passed the shop of the first instance, and both instances.
  static func run(
    on instances: ShopInstances, settings: [String: String] = [:],
    _ body: (PlanShop, TwoInstances) async throws -> Void
  ) async throws {
    let time = ManualTime()
    let stripe = try await StripeStandIn.run(time: time)
    try await addPrices(to: stripe)
    let all = stripe.settings.merging(["orders.plans": plans]) { $1 }.merging(settings) { $1 }
    try await instances.run(settings: all, time: time) { pair async throws in
      try await body(PlanShop(host: pair.one, stripe: stripe, settings: all), pair)
    }
  }

  static func addPrices(to stripe: StripeStandIn) async throws {
    for (id, amount) in [("price_basic", 500), ("price_premium", 1500), ("price_school", 2000)] {
      try await stripe.control(
        "prices", ["id": .string(id), "amount": .integer(Int64(amount)), "currency": "usd", "interval": "month"])
    }
  }

  // MARK: subscribers

  static func choice(_ card: String) -> PaymentChoice {
    PaymentChoice(provider: .stripe, token: ProviderToken(checked: card))
  }

  func subscribe(
    _ user: TestUser, to plan: String = "premium", card: String = "pm_card_visa", quantity: Int? = nil,
    key: String = UUID().uuidString
  ) async throws -> Subscription {
    try await user.client.send(
      OrdersAPI.Subscribe(plan: plan, payment: Self.choice(card), quantity: quantity.map { PlanQuantity(checked: $0) }),
      idempotencyKey: key)
  }

  func subscription(_ id: SubscriptionID, of user: TestUser) async throws -> Subscription {
    try await user.client.send(OrdersAPI.GetSubscription(id: id))
  }

  func change(
    _ id: SubscriptionID, of user: TestUser, plan: String? = nil, quantity: Int? = nil, renews: Bool? = nil,
    card: String? = nil
  ) async throws -> Subscription {
    try await user.client.send(
      OrdersAPI.UpdateSubscription(
        id: id, plan: plan, quantity: quantity.map { PlanQuantity(checked: $0) }, renews: renews,
        payment: card.map { Self.choice($0) }))
  }

  // MARK: time and events

  /// Moves both clocks, lets Stripe do what becomes due, and delivers what it reports.
  func pass(days: Double, order: StripeStandIn.Order = .asc, duplicates: Int = 0) async throws {
    host.time.advance(seconds: days * 86_400)
    try await settle(order: order, duplicates: duplicates)
  }

  func settle(order: StripeStandIn.Order = .asc, duplicates: Int = 0) async throws {
    try await stripe.deliverEvents(to: host, order: order, duplicates: duplicates)
    try await host.runOnce()
  }

  /// The buyer at the bank.
  func authenticate(_ subscription: Subscription, _ outcome: String) async throws {
    let intent = (subscription.clientSecret ?? "").components(separatedBy: "_secret_").first ?? ""
    try await stripe.control("payment_intents/\(intent)/authenticate", ["outcome": .string(outcome)])
  }

  // MARK: what is stored

  func count(_ sql: SQL) async throws -> Int { try await host.orders.core.database.read { db in try db.count(sql) } }

  /// The amounts of the charges that Stripe has made.
  func charges() async throws -> [Int64] {
    let list = try await stripe.get("/v1/charges?limit=100")["data"]?.elements ?? []
    return list.compactMap { charge in
      guard charge["paid"] == .bool(true), case .integer(let amount)? = charge["amount"] else { return nil }
      return amount
    }
  }

  /// The states of the subscriptions that Stripe has.
  func atStripe() async throws -> [String] {
    let list = try await stripe.get("/v1/subscriptions?status=all&limit=100")["data"]?.elements ?? []
    return list.compactMap { $0["status"]?.string }
  }

  /// The features that the last report about each of a user's plans has unlocked.
  func unlocked(for user: UserID) async throws -> Set<FeatureName> {
    var plans: [SubscriptionID: [FeatureName]] = [:]
    for event in try await host.recorded(EntitlementChanged.self, by: OrdersAPI.self) where event.userID == user {
      plans[event.subscriptionID] = event.isActive ? event.features : []
    }
    return Set(plans.values.flatMap { $0 })
  }
}

extension FeatureName {
  static let fitting = FeatureName(checked: "study.fitting")
  static let history = FeatureName(checked: "study.history")
}
