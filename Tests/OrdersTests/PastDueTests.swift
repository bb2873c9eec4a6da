import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// A plan whose renewal fails can be saved by its payer.
@Suite(.serialized)
struct PastDueTests {
  /// A subscription whose renewal could not be charged.
  private static func pastDue(_ shop: PlanShop, of user: TestUser) async throws -> Subscription {
    let made = try await shop.subscribe(user)
    try await PlanChangeTests.breakCard(shop)
    shop.host.time.advance(seconds: made.until.seconds(since: shop.host.time.source.now()) + 2 * 3600)
    try await shop.settle()
    let due = try await shop.subscription(made.id, of: user)
    try #require(due.status == .pastDue)
    return due
  }

  @Test("Another card pays the renewal at once, and the next ones", arguments: TestDatabase.allCases)
  func anotherCard(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let due = try await Self.pastDue(shop, of: ada)
      let paid = try await shop.change(due.id, of: ada, card: "pm_card_visa")
      #expect(paid.status == .active)
      #expect(paid.until > due.until)
      #expect(paid.clientSecret == nil)
      #expect(try await shop.charges() == [1500, 1500])
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE method IS NOT NULL") == 0)
      try await shop.pass(days: 33)
      #expect(try await shop.subscription(due.id, of: ada).status == .active)
      #expect(try await shop.charges() == [1500, 1500, 1500])
    }
  }

  @Test("A card that is declined is named, and replaces none")
  func declinedCard() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let due = try await Self.pastDue(shop, of: ada)
      let declined = await refusal {
        _ = try await shop.change(due.id, of: ada, card: "pm_card_chargeCustomerFail")
      }
      #expect(declined == "payment-declined")
      try await shop.settle()
      let now = try await shop.subscription(due.id, of: ada)
      #expect(now.status == .pastDue)
      #expect(now.failure == "card_declined")
      #expect(try await shop.change(due.id, of: ada, card: "pm_card_visa").status == .active)
    }
  }

  @Test("The app pays the open invoice of a renewal for which the bank wants the buyer")
  func buyerAtTheBank() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let due = try await Self.pastDue(shop, of: ada)
      #expect(due.clientSecret?.contains("_secret_") == true)
      let asked = try await shop.change(due.id, of: ada, card: "pm_card_authenticationRequired")
      #expect(asked.status == .pastDue)
      try await shop.authenticate(asked, "succeed")
      try await shop.settle()
      let paid = try await shop.subscription(due.id, of: ada)
      #expect(paid.status == .active)
      #expect(paid.clientSecret == nil)
      #expect(try await shop.charges() == [1500, 1500])
    }
  }

  @Test("A card whose replacement is interrupted is charged once", arguments: ["timeoutBefore", "timeoutAfterCommit"])
  func lostAnswers(_ fault: String) async throws {
    for path in ["/v1/payment_methods/*/attach", "/v1/invoices/*/pay", "/v1/subscriptions/*"] {
      try await PlanShop.run { shop async throws in
        let ada = try await shop.host.person()
        let due = try await Self.pastDue(shop, of: ada)
        try await shop.stripe.fail(path, with: fault, times: 4)
        _ = await refusal { _ = try await shop.change(due.id, of: ada, card: "pm_card_visa") }
        for _ in 0..<10 {
          shop.host.time.advance(seconds: 60)
          try await shop.host.runOnce()
        }
        #expect(try await shop.subscription(due.id, of: ada).status == .active, "\(path)")
        #expect(try await shop.charges() == [1500, 1500], "\(path)")
      }
    }
  }

  @Test("A plan that is paid changes its card without a charge")
  func paidPlan() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await PlanChangeTests.breakCard(shop)
      #expect(try await shop.change(made.id, of: ada, card: "pm_card_visa").status == .active)
      #expect(try await shop.charges() == [1500])
      let mixed = await refusal { _ = try await shop.change(made.id, of: ada, renews: false, card: "pm_card_visa") }
      #expect(mixed == "invalid-request")
      try await shop.pass(days: 33)
      #expect(try await shop.subscription(made.id, of: ada).status == .active)
      #expect(try await shop.charges() == [1500, 1500])
    }
  }

  @Test(
    "Attack 2: an account that is deleted while its plan is past due is not charged", arguments: TestDatabase.allCases)
  func deletedAccount(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      _ = try await Self.pastDue(shop, of: ada)
      let before = try #require(try await shop.stripe.get("/v1/subscriptions")["data"]?.elements.first)
      let customer = before["customer"]?.string ?? ""
      let card = try await shop.stripe.post("/v1/payment_methods/pm_card_visa/attach", "customer=\(customer)")
      try await shop.stripe.post(
        "/v1/subscriptions/\(before["id"]?.string ?? "")", "default_payment_method=\(card["id"]?.string ?? "")")
      try await shop.host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self, to: OrdersAPI.self)
      try await shop.settle()
      #expect(try await shop.atStripe() == ["canceled"])
      for _ in 0..<4 { try await shop.pass(days: 8) }
      #expect(try await shop.charges() == [1500])
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE status = 'ended'") == 1)
    }
  }

  /// The number of cards that Stripe keeps of the only customer.
  private static func cards(_ shop: PlanShop) async throws -> Int {
    let subscription = try #require(try await shop.stripe.get("/v1/subscriptions?status=all")["data"]?.elements.first)
    let customer = subscription["customer"]?.string ?? ""
    return try await shop.stripe.get("/v1/payment_methods?customer=\(customer)&type=card")["data"]?.elements.count ?? 0
  }

  @Test("Attack 1: cards for a plan are tried a few times an hour", arguments: TestDatabase.allCases)
  func attemptsAreLimited(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let due = try await Self.pastDue(shop, of: ada)
      for _ in 0..<PaymentAttempts.limit.count {
        let declined = await refusal {
          _ = try await shop.change(due.id, of: ada, card: "pm_card_chargeCustomerFail")
        }
        #expect(declined == "payment-declined")
      }
      let last = await refusal { _ = try await shop.change(due.id, of: ada, card: "pm_card_visa") }
      #expect(last == "too-many-payment-attempts")
      // Stripe keeps none of them.
      for _ in 0..<PaymentAttempts.limit.count + 5 { try await shop.pass(days: 0.1) }
      #expect(try await Self.cards(shop) == 1)
      #expect(try await shop.change(due.id, of: ada, card: "pm_card_visa").status == .active)
    }
  }

  @Test("Attack 1: a card that is replaced is detached, one that the user keeps is not")
  func replacedCards() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let kept = try await ada.client.send(
        OrdersAPI.AddPaymentMethod(
          provider: .stripe, token: ProviderToken(checked: "pm_card_visa"), label: ShortText(checked: "card")),
        idempotencyKey: "k")
      try #require(kept.state == .ready)
      let made = try await shop.subscribe(ada)
      _ = try await ada.client.send(
        OrdersAPI.UpdateSubscription(
          id: made.id, payment: PaymentChoice(provider: .stripe, paymentMethodID: kept.id)))
      #expect(try await Self.cards(shop) == 2)
      for _ in 0..<3 { try await shop.pass(days: 0.1) }
      #expect(try await Self.cards(shop) == 1)
      #expect(try await shop.change(made.id, of: ada, card: "pm_card_visa").status == .active)
      for _ in 0..<3 { try await shop.pass(days: 0.1) }
      #expect(try await Self.cards(shop) == 2)
      #expect(try await shop.change(made.id, of: ada, renews: false).status == .active)
      try await shop.pass(days: 33)
      for _ in 0..<3 { try await shop.pass(days: 0.1) }
      #expect(try await shop.subscription(made.id, of: ada).status == .ended)
      #expect(try await Self.cards(shop) == 1)
    }
  }

  @Test("Attack 1: a subscriber changes plans a limited number of times an hour")
  func changesAreLimited() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      for number in 0..<60 { _ = try await shop.change(made.id, of: ada, renews: number % 2 == 1) }
      #expect(await refusal { _ = try await shop.change(made.id, of: ada, renews: false) } == "too-many-requests")
    }
  }
}
