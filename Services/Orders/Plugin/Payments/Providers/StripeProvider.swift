import Contracts
import Crypto
import Foundation
import HTTPTypes
import ServiceKit

/// Payments through Stripe's payment intents (docs.stripe.com/payments/payment-intents).
struct StripeProvider: PaymentProvider {
  let name = PaymentProviderName.stripe
  private let client: StripeClient
  private let webhookSecret: SymmetricKey
  private let time: TimeSource

  /// The maximum age of a notification's signature, in seconds; the same as in Stripe's own libraries.
  private static let toleranceSeconds = 300.0

  init(client: StripeClient, webhookSecret: String, time: TimeSource) {
    self.client = client
    self.webhookSecret = SymmetricKey(data: Data(webhookSecret.utf8))
    self.time = time
  }

  private struct Intent: Decodable {
    struct Failure: Decodable { var code: String? }
    var id: String
    var status: String
    var amount: Int64
    var currency: String
    var clientSecret: String?
    var lastError: Failure?
    var metadata: [String: String]?

    private enum CodingKeys: String, CodingKey {
      case id, status, amount, currency, metadata
      case clientSecret = "client_secret"
      case lastError = "last_payment_error"
    }

    var outcome: PaymentOutcome {
      switch status {
      case "succeeded": .succeeded(reference: id)
      case "canceled": .declined(reference: id, reason: "canceled")
      case "requires_payment_method" where lastError != nil:
        .declined(reference: id, reason: lastError?.code ?? "declined")
      default: .pending(reference: id, clientSecret: clientSecret)
      }
    }
  }

  // MARK: calls

  func pay(_ request: PaymentRequest) async throws -> PaymentOutcome {
    guard let amount = StripeAmount.encode(request.amount) else {
      return .declined(reference: nil, reason: "amount_not_supported")
    }
    var form = [
      ("amount", String(amount)), ("currency", request.amount.currency.code.lowercased()),
      ("metadata[payment]", request.id.rawValue),
      // Cards only: other payment methods may require a redirect.
      ("payment_method_types[]", "card"),
    ]
    if let token = request.token { form += [("payment_method", token.rawValue), ("confirm", "true")] }
    do {
      let intent: Intent = try await client.post("/v1/payment_intents", form, idempotencyKey: request.id.rawValue)
      return intent.outcome
    } catch let refusal as StripeClient.Refusal {
      return .declined(reference: refusal.payment, reason: refusal.reason)
    }
  }

  func refund(_ request: RefundRequest) async throws -> RefundOutcome {
    struct Refund: Decodable { var status: String }
    guard let amount = StripeAmount.encode(request.amount) else { return .refused(reason: "amount_not_supported") }
    do {
      let refund: Refund = try await client.post(
        "/v1/refunds",
        [("payment_intent", request.reference), ("amount", String(amount)), ("metadata[refund]", request.id.rawValue)],
        idempotencyKey: request.id.rawValue
      )
      return ["failed", "canceled"].contains(refund.status) ? .refused(reason: refund.status) : .succeeded
    } catch let refusal as StripeClient.Refusal {
      return .refused(reason: refusal.reason)
    }
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

  private func content(of event: StripeEvent, _ body: [UInt8]) throws -> ProviderNotification.Content {
    struct IntentEvent: Decodable {
      struct Holder: Decodable { var object: Intent }
      var data: Holder
    }
    struct SubscriptionEvent: Decodable {
      struct Holder: Decodable { var object: StripeSubscription }
      var data: Holder
    }
    switch event.type {
    case "payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled":
      let intent = try WireJSON.decode(IntentEvent.self, from: body).data.object
      guard let currency = Currency(intent.currency.uppercased()) else { return .other }
      // The app can retry a failed intent, so only the event type shows that this attempt failed.
      let outcome: PaymentOutcome =
        event.type == "payment_intent.succeeded"
        ? .succeeded(reference: intent.id)
        : .declined(reference: intent.id, reason: intent.lastError?.code ?? "declined")
      return .payment(
        id: intent.metadata?["payment"].flatMap { PaymentID($0) },
        reference: intent.id,
        amount: StripeAmount.decode(intent.amount, currency),
        outcome: outcome
      )
    case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted":
      let subscription = try WireJSON.decode(SubscriptionEvent.self, from: body).data.object
      guard let created = Timestamp(seconds: event.created) else { throw Problem(.webhookInvalid) }
      return .subscription(subscription.standing(at: created))
    default: return .other
    }
  }
}

private struct StripeEvent: Decodable {
  var id: String
  var type: String
  /// Seconds since 1970.
  var created: Int64
}

/// `t=…,v1=…`: signatures of `t.body` (docs.stripe.com/webhooks/signature).
struct StripeSignature {
  private var timestamp: Int64
  private var signatures: [String]

  init?(_ field: String) {
    var timestamp: Int64?
    signatures = []
    for part in field.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      if pair[0] == "t" { timestamp = Int64(pair[1]) }
      if pair[0] == "v1" { signatures.append(String(pair[1])) }
    }
    guard let timestamp else { return nil }
    self.timestamp = timestamp
  }

  func isValid(for body: [UInt8], secret: SymmetricKey, at now: Timestamp, within seconds: Double) -> Bool {
    // As `Double`: the timestamp can be any number, and the subtraction must not overflow.
    guard abs(Double(now.unixSeconds) - Double(timestamp)) <= seconds else { return false }
    let wanted = HMAC<SHA256>.authenticationCode(for: Array("\(timestamp).".utf8) + body, using: secret)
      .reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return signatures.contains { SecureBytes.areEqual(Array($0.utf8), Array(wanted.utf8)) }
  }
}

/// Amounts in Stripe's units (docs.stripe.com/currencies): as in ISO 4217, except that króna and shilling have two
/// digits that are always zero, ariary has no digits, and amounts of three-digit currencies are multiples of ten.
enum StripeAmount {
  private static let withTwoZeros: Set<String> = ["ISK", "UGX"]

  /// `nil` when Stripe does not support the amount.
  static func encode(_ money: Money) -> Int64? {
    if withTwoZeros.contains(money.currency.code) {
      let (amount, isTooLarge) = money.amount.multipliedReportingOverflow(by: 100)
      return isTooLarge ? nil : amount
    }
    if money.currency.code == "MGA" { return money.amount % 100 == 0 ? money.amount / 100 : nil }
    if money.currency.exponent == 3, money.amount % 10 != 0 { return nil }
    return money.amount
  }

  static func decode(_ amount: Int64, _ currency: Currency) -> Money {
    if currency.code == "MGA" { return Money(amount.multipliedReportingOverflow(by: 100).partialValue, currency) }
    return Money(withTwoZeros.contains(currency.code) ? amount / 100 : amount, currency)
  }
}
