import Contracts

/// A payment intent (docs.stripe.com/payments/paymentintents/lifecycle).
struct StripeIntent: Decodable {
  struct Failure: Decodable { var code: String? }

  var id: String
  var status: String
  var amount: Int64
  var currency: String
  var clientSecret: String?
  var lastError: Failure?
  /// `payment` is our id of the payment; absent for the intents of invoices and of other programs.
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
    case "requires_action": .requiresAction(reference: id, clientSecret: clientSecret)
    default: .pending(reference: id, clientSecret: clientSecret)
    }
  }

  /// The outcome that an event about the intent reports. Unlike the intent, it also says that an attempt failed which
  /// the app may repeat; and events arrive in any order, so only the type shows which state it reports.
  func outcome(of eventType: String) -> PaymentOutcome? {
    switch eventType {
    case "payment_intent.succeeded": .succeeded(reference: id)
    case "payment_intent.payment_failed", "payment_intent.canceled":
      .declined(reference: id, reason: lastError?.code ?? (eventType.hasSuffix("canceled") ? "canceled" : "declined"))
    case "payment_intent.requires_action": .requiresAction(reference: id, clientSecret: clientSecret)
    case "payment_intent.processing": .pending(reference: id, clientSecret: nil)
    default: nil
    }
  }
}
