import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Payments with the stand-in of Stripe.
@Suite(.serialized)
struct StripeTests {
  /// Runs all services with the stand-in as the payment provider.
  private static func withStripe(
    plans: String = "[]",
    _ body: (TestPlatform, StripeStandIn) async throws -> Void
  ) async throws {
    try await StripeStandIn.running { stripe in
      let settings = stripe.settings.merging(["orders.plans": plans]) { $1 }
      try await TestPlatform.orders(settings: settings) { host async throws in try await body(host, stripe) }
    }
  }

  private static func checkOut(_ buyer: TestUser, _ token: ProviderToken?, key: String = UUID().uuidString)
    async throws -> Order
  {
    try await buyer.client.send(
      OrdersAPI.CheckOut(
        shippingAddress: TestPlatform.address, payment: PaymentChoice(provider: .stripe, token: token)),
      idempotencyKey: key
    )
  }

  /// Delivers a webhook with a locally computed signature.
  private static func notify(_ body: String, at seconds: Int64, secret: String = "whsec_test", host: TestPlatform)
    async throws
    -> Int
  {
    let mac = HMAC<SHA256>.authenticationCode(
      for: Data("\(seconds).\(body)".utf8),
      using: SymmetricKey(data: Data(secret.utf8))
    )
    let signature = mac.map { String(format: "%02x", $0) }.joined()
    let signatures = "t=\(seconds),v0=00,v1=\(String(repeating: "0", count: 64)),v1=\(signature)"
    return try await host.send(
      .post,
      "/v1/payments/webhooks/stripe",
      body,
      headers: [(name: "stripe-signature", value: signatures)]
    ).status
  }

  @Test func cardsPayAndAreRefunded() async throws {
    try await Self.withStripe { host, stripe async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, price: 2499)
      try await host.add(product, 2, to: ada)
      let declined = try await Self.checkOut(ada, stripe.card("4000000000000341"))
      #expect(declined.status == .pendingPayment)
      #expect(declined.paymentStatus == .failed)
      #expect(declined.payment?.failure == "card_declined")
      let choice = PaymentChoice(provider: .stripe, token: try await stripe.card())
      let paid = try await ada.client.send(OrdersAPI.PayOrder(id: declined.id, body: choice), idempotencyKey: "again")
      #expect(paid.status == .placed)
      #expect(paid.payment?.provider == .stripe)
      let refund = try await owner.client.send(
        OrdersAPI.RefundOrder(id: paid.id, amount: Money(1000, .usd)),
        idempotencyKey: "r"
      )
      #expect(refund.status == .succeeded)
      let canceled = try await ada.client.send(OrdersAPI.CancelOrder(id: paid.id))
      #expect(canceled.refunded == canceled.total)
      #expect(canceled.paymentStatus == .refunded)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func theAppCompletesAPaymentAndANotificationReportsIt() async throws {
    try await Self.withStripe { host, stripe async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner)
      try await host.add(product, to: ada)
      let order = try await Self.checkOut(ada, nil)
      let secret = try #require(order.payment?.clientSecret)
      let intent = try #require(secret.split(separator: "_secret_").first)
      let now = host.time.source.now().unixSeconds
      let event = """
        {"id":"evt_1","type":"payment_intent.succeeded","created":\(now),"data":{"object":{"id":"\(intent)",\
        "status":"succeeded","amount":2499,"currency":"usd","client_secret":"x","last_payment_error":null}}}
        """
      #expect(try await Self.notify(event, at: now, secret: "wrong", host: host) == 400)
      #expect(try await Self.notify(event, at: now - 301, host: host) == 400)
      // Extreme timestamps must not overflow.
      #expect(try await Self.notify(event, at: .min, host: host) == 400)
      #expect(try await Self.notify(event, at: .max, host: host) == 400)
      #expect(try await Self.notify(event.replacing("2499", with: "24"), at: now, host: host) == 400)
      #expect(try await host.order(order.id, ada).status == .pendingPayment)
      try await stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
      let answers = try await stripe.deliverEvents(to: host, order: .desc, duplicates: 3)
      #expect(answers.contains { $0.type == "payment_intent.succeeded" })
      #expect(answers.allSatisfy { $0.status == 200 })
      #expect(try await host.order(order.id, ada).status == .placed)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func plansAreSubscribedTo() async throws {
    let plans = #"""
      [{"name":"premium","title":"Premium","price":{"amount":499,"currency":"USD"},"months":1,"stripePrice":"premium-monthly"}]
      """#
    try await Self.withStripe(plans: plans) { host, stripe async throws in
      try await stripe.control(
        "prices",
        ["id": "premium-monthly", "amount": 499, "currency": "usd", "interval": "month"]
      )
      let ada = try await host.person()
      #expect(try await host.client.send(OrdersAPI.ListPlans()).items.map(\.name) == ["premium"])
      let choice = PaymentChoice(provider: .stripe, token: try await stripe.card())
      let subscribe = OrdersAPI.Subscribe(plan: "premium", payment: choice)
      let subscription = try await ada.client.send(subscribe, idempotencyKey: "s")
      #expect(subscription.isActive)
      #expect(subscription.renews)
      #expect(subscription.plan == "premium")
      #expect(subscription.until > host.time.source.now().advanced(bySeconds: 27 * 86_400))
      #expect(await refusal { _ = try await ada.client.send(subscribe, idempotencyKey: "t") } == "already-subscribed")
      let nothing = OrdersAPI.Subscribe(plan: "gold", payment: choice)
      #expect(await refusal { _ = try await ada.client.send(nothing, idempotencyKey: "u") } == "plan-not-found")
      let reference = try await host.orders.core.database.read { db in
        try db.value("SELECT reference FROM subscriptions", as: String.self) ?? ""
      }
      try await stripe.cancel(reference)
      try await stripe.deliverEvents(to: host)
      #expect(try await ada.client.send(OrdersAPI.ListSubscriptions()).items.map(\.isActive) == [false])
    }
  }
}
