import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit

@testable import OrdersService

/// Stripe's notifications for an order that Stripe has been paid for; Stripe itself is not running.
struct StripeBank: Sendable {
  let host: TestPlatform
  let order: Order

  static let settings = [
    "stripe.key": "sk_test_1", "stripe.webhookSecret": "whsec_test", "stripe.url": "http://127.0.0.1:1",
  ]

  /// Pays an order that is checked out.
  static func pay(_ order: Order, on host: TestPlatform) async throws -> Self {
    let core = try host.orders.core
    try await core.database.write { tx in
      let payment = StoredPayment(id: host.ids.make(), orderID: order.id, provider: .stripe, amount: order.total)
      try core.payments.insert(payment, token: nil, in: tx)
      try core.transitions.paid(payment, .succeeded(reference: "pi_1"), in: tx)
    }
    try await core.workflow.advance(order.id)
    return Self(host: host, order: order)
  }

  func send(_ type: String, _ object: String, id: String = UUID().uuidString) async throws -> Int {
    let now = host.time.source.now().unixSeconds
    let body = #"{"id":"\#(id)","type":"\#(type)","created":\#(now),"data":{"object":\#(object)}}"#
    let mac = HMAC<SHA256>.authenticationCode(
      for: Data("\(now).\(body)".utf8), using: SymmetricKey(data: Data("whsec_test".utf8)))
    let signature = "t=\(now),v1=" + mac.map { String(format: "%02x", $0) }.joined()
    return try await host.send(
      .post, "/v1/payments/webhooks/stripe", body, headers: [(name: "stripe-signature", value: signature)]
    ).status
  }

  func dispute(_ event: String, _ status: String, amount: Int64? = nil, intent: String = "pi_1") async throws -> Int {
    try await send(
      "charge.dispute.\(event)",
      """
      {"id":"dp_1","amount":\(amount ?? order.total.amount),"currency":"usd","payment_intent":"\(intent)",\
      "reason":"fraudulent","status":"\(status)"}
      """)
  }

  func refund(_ id: String, _ amount: Int64, _ status: String) async throws -> Int {
    try await send(
      "refund.updated",
      #"{"id":"\#(id)","amount":\#(amount),"currency":"usd","payment_intent":"pi_1","status":"\#(status)"}"#)
  }
}
