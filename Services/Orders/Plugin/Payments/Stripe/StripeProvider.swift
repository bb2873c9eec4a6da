import Contracts
import Crypto
import Foundation
import HTTPTypes
import ServiceKit

/// Payments through Stripe's payment intents (docs.stripe.com/payments/payment-intents).
struct StripeProvider: PaymentProvider {
  let name = PaymentProviderName.stripe
  private let client: StripeClient
  private let customers: StripeCustomers
  private let webhookSecret: SymmetricKey
  private let time: TimeSource

  /// The maximum age of a notification's signature, in seconds; the same as in Stripe's own libraries.
  private static let toleranceSeconds = 300.0

  /// How long a payment may be repeated without becoming another one, in seconds.
  private static let repeatableSeconds = 23.0 * 3600
  /// How long Stripe certainly remembers the key of a refund, in seconds; it promises 24 hours.
  private static let keySeconds = 12.0 * 3600

  init(client: StripeClient, customers: StripeCustomers, webhookSecret: String, time: TimeSource) {
    (self.client, self.customers) = (client, customers)
    self.webhookSecret = SymmetricKey(data: Data(webhookSecret.utf8))
    self.time = time
  }

  // MARK: calls

  func pay(_ request: PaymentRequest) async throws -> PaymentOutcome {
    guard let amount = StripeAmount.encode(request.amount) else {
      return .declined(reference: nil, reason: "amount_not_supported")
    }
    // Stripe forgets an idempotency key after 24 hours; the same request would then be another payment.
    if let madeAt = request.id.madeAt, time.now().seconds(since: madeAt) > Self.repeatableSeconds {
      return .declined(reference: nil, reason: "not_answered")
    }
    var form = [
      ("amount", String(amount)), ("currency", request.amount.currency.code.lowercased()),
      ("metadata[payment]", request.id.rawValue),
      // Cards only: other payment methods may require a redirect.
      ("payment_method_types[]", "card"),
    ]
    if let token = request.token { form += [("payment_method", token.rawValue), ("confirm", "true")] }
    do {
      if let user = request.user { form.append(("customer", try await customers.id(of: user))) }
      let intent: StripeIntent = try await client.post("/v1/payment_intents", form, idempotencyKey: request.id.rawValue)
      return intent.outcome
    } catch let refusal as StripeClient.Refusal {
      return .declined(reference: refusal.payment, reason: refusal.reason)
    }
  }

  func outcome(of reference: String) async throws -> PaymentOutcome? {
    let intent: StripeIntent = try await client.get(Self.path(of: reference))
    return intent.outcome
  }

  func cancel(_ reference: String) async throws -> PaymentOutcome {
    do {
      let intent: StripeIntent = try await client.post(
        "\(Self.path(of: reference))/cancel", [], idempotencyKey: nil)
      return intent.outcome
    } catch is StripeClient.Refusal {
      // It has succeeded, is canceled already, or cannot be canceled now.
      let intent: StripeIntent = try await client.get(Self.path(of: reference))
      return intent.outcome
    }
  }

  private static func path(of reference: String) -> String { "/v1/payment_intents/\(PercentCoding.encode(reference))" }

  func refund(_ request: RefundRequest) async throws -> RefundOutcome {
    guard let amount = StripeAmount.encode(request.amount) else { return .refused(reason: "amount_not_supported") }
    // Repeated after Stripe may have forgotten the key, the call would refund once more.
    if time.now().seconds(since: request.createdAt) > Self.keySeconds,
      let known = try await refunds(of: request.reference).first(where: { $0.id == request.id })
    {
      return known.outcome
    }
    do {
      let refund: StripeRefund = try await client.post(
        "/v1/refunds",
        [("payment_intent", request.reference), ("amount", String(amount)), ("metadata[refund]", request.id.rawValue)],
        idempotencyKey: request.id.rawValue
      )
      return refund.outcome
    } catch let refusal as StripeClient.Refusal {
      return .refused(reason: refusal.reason)
    }
  }

  func refunds(of reference: String) async throws -> [ProviderRefund] {
    struct List: Decodable {
      var data: [StripeRefund]
      var hasMore: Bool?
      private enum CodingKeys: String, CodingKey {
        case data
        case hasMore = "has_more"
      }
    }
    var refunds: [StripeRefund] = []
    var page = "/v1/refunds?payment_intent=\(PercentCoding.encode(reference))&limit=100"
    let first = page
    while true {
      let list: List = try await client.get(page)
      refunds += list.data
      guard list.hasMore == true, let last = list.data.last else { break }
      page = "\(first)&starting_after=\(PercentCoding.encode(last.id))"
    }
    return refunds.compactMap { $0.report(of: reference) }
  }

  // MARK: notifications

  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification {
    guard let field = HTTPField.Name("Stripe-Signature").flatMap({ headers[$0] }),
      StripeSignature(field)?.isValid(for: body, secret: webhookSecret, at: time.now(), within: Self.toleranceSeconds)
        == true
    else { throw Problem(.webhookInvalid) }
    let event = try WireJSON.decode(StripeEvent.self, from: body)
    return ProviderNotification(id: event.id, content: try content(of: event, body))
  }

  private func intentContent(of event: StripeEvent, _ body: [UInt8]) throws -> ProviderNotification.Content {
    let intent: StripeIntent = try StripeEvent.object(in: body)
    guard let outcome = intent.outcome(of: event.type), let currency = Currency(intent.currency.uppercased()) else {
      return .other
    }
    return .payment(
      id: intent.metadata?["payment"].flatMap { PaymentID($0) },
      reference: intent.id,
      amount: StripeAmount.decode(intent.amount, currency),
      outcome: outcome
    )
  }

  private func content(of event: StripeEvent, _ body: [UInt8]) throws -> ProviderNotification.Content {
    switch event.type {
    case "setup_intent.succeeded", "setup_intent.setup_failed", "setup_intent.requires_action", "setup_intent.canceled",
      "payment_method.updated", "payment_method.automatically_updated", "payment_method.detached":
      return try StripeMethodEvent.content(of: event.type, body)
    default:
      if event.type.hasPrefix("payment_intent.") { return try intentContent(of: event, body) }
      if let notice = try StripeSubscriptionEvents.notice(of: event.type, body) { return .subscription(notice) }
      return try StripeRefundEvents.content(of: event.type, body)
    }
  }
}

struct StripeEvent: Decodable {
  var id: String
  var type: String

  /// The object that an event reports.
  static func object<Object: Decodable>(in body: [UInt8]) throws -> Object {
    try WireJSON.decode(Envelope<Object>.self, from: body).data.object
  }

  private struct Envelope<Object: Decodable>: Decodable {
    struct Holder: Decodable { var object: Object }
    var data: Holder
  }
}
