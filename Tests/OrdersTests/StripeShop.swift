import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// A shop whose payments go through the stand-in of Stripe, with one clock for both.
struct StripeShop: Sendable {
  let host: TestPlatform
  let stripe: StripeStandIn
  let owner: TestUser
  let product: Product

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:], _ body: (StripeShop) async throws -> Void
  ) async throws {
    let time = ManualTime()
    let stripe = try await StripeStandIn.run(time: time)
    let open = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    let all = stripe.settings.merging(open) { $1 }.merging(settings) { $1 }
    try await TestPlatform.orders(settings: all, database: database, time: time) { host async throws in
      let owner = try await host.owner()
      let product = try await host.product(owner, price: 2499, stock: 10_000)
      try await body(StripeShop(host: host, stripe: stripe, owner: owner, product: product))
    }
  }

  var core: OrdersCore { get throws { try host.orders.core } }

  // MARK: buyers

  static func token(_ name: String) -> ProviderToken { ProviderToken(checked: "pm_card_\(name)") }

  /// - Parameter card: One of Stripe's test cards; without one, the app completes the payment.
  func checkOut(_ buyer: TestUser, _ card: String? = nil, kept: PaymentMethodID? = nil) async throws -> Order {
    try await host.add(product, to: buyer)
    let choice = PaymentChoice(provider: .stripe, paymentMethodID: kept, token: card.map(Self.token))
    return try await buyer.client.send(
      OrdersAPI.CheckOut(shippingAddress: TestPlatform.address, payment: choice), idempotencyKey: UUID().uuidString)
  }

  func pay(_ order: Order, _ buyer: TestUser, _ card: String? = nil) async throws -> Order {
    try await buyer.client.send(
      OrdersAPI.PayOrder(id: order.id, body: PaymentChoice(provider: .stripe, token: card.map(Self.token))),
      idempotencyKey: UUID().uuidString)
  }

  func refresh(_ order: Order, _ buyer: TestUser) async throws -> Order {
    let payment = try #require(order.payment)
    return try await buyer.client.send(OrdersAPI.RefreshPayment(id: order.id, payment: payment.id))
  }

  func keep(_ card: String?, of buyer: TestUser, label: String = "my card") async throws -> PaymentMethod {
    try await buyer.client.send(
      OrdersAPI.AddPaymentMethod(
        provider: .stripe, token: card.map(Self.token), label: ShortText(validating: label)),
      idempotencyKey: UUID().uuidString)
  }

  // MARK: Stripe

  /// Stripe's id of an order's last payment.
  func intent(of order: Order) async throws -> String {
    let payment = try #require(order.payment)
    let payments = try core.payments
    let stored = try await core.database.read { db in try payments.find(payment.id, in: db) }
    return try #require(stored?.reference)
  }

  /// A field of an object at Stripe.
  func field(_ name: String, of path: String) async throws -> String? { try await stripe.get(path)[name]?.string }

  func status(of order: Order) async throws -> String? {
    try await field("status", of: "/v1/payment_intents/\(intent(of: order))")
  }

  /// The buyer's actions at the bank.
  func authenticate(_ intent: String, _ outcome: String, kind: String = "payment_intents") async throws {
    try await stripe.control("\(kind)/\(intent)/authenticate", ["outcome": .string(outcome)])
  }

  /// The amounts charged and refunded at Stripe, and how many charges there were.
  func books() async throws -> (charges: Int64, refunds: Int64, count: Int64) {
    let book = try await stripe.control("books")["usd"]
    func amount(_ name: String) -> Int64 { if case .integer(let value)? = book?[name] { value } else { 0 } }
    return (amount("charges"), amount("refunds"), amount("charge_count"))
  }

  /// Delivers what is due and runs the jobs that are due, until nothing changes.
  func settle() async throws {
    for _ in 0..<3 {
      try await stripe.deliverEvents(to: host)
      try await host.runOnce()
    }
  }

  /// Sends an event that the stand-in did not emit, or emitted before.
  func notify(_ event: String) async throws -> Int {
    let secret = stripe.settings["stripe.webhookSecret"] ?? ""
    let signature = try Self.signature(of: event, at: core.time.now().unixSeconds, secret: secret)
    return try await host.send(
      .post, "/v1/payments/webhooks/stripe", event,
      headers: [(name: "stripe-signature", value: signature)]
    ).status
  }

  /// Stripe's signature of a notification.
  static func signature(of event: String, at seconds: Int64, secret: String) -> String {
    let key = SymmetricKey(data: Data(secret.utf8))
    let code = HMAC<SHA256>.authenticationCode(for: Data("\(seconds).\(event)".utf8), using: key)
    return "t=\(seconds),v1=" + code.map { String(format: "%02x", $0) }.joined()
  }
}
