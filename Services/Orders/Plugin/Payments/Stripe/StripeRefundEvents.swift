import Contracts

/// Stripe's refunds (docs.stripe.com/api/refunds/object).
struct StripeRefund: Decodable {
  var id: String
  var status: String?
  var amount: Int64
  var currency: String
  var paymentIntent: String?
  var metadata: [String: String]?
  var failureReason: String?

  private enum CodingKeys: String, CodingKey {
    case id, status, amount, currency, metadata
    case paymentIntent = "payment_intent"
    case failureReason = "failure_reason"
  }

  var outcome: RefundOutcome {
    switch status {
    case "succeeded": .succeeded(reference: id)
    case "failed", "canceled": .refused(reason: failureReason ?? status ?? "failed")
    // `pending` and `requires_action`.
    default: .pending(reference: id)
    }
  }

  /// - Parameter payment: The payment intent, where Stripe's object does not contain it.
  func report(of payment: String? = nil) -> ProviderRefund? {
    guard let payment = paymentIntent ?? payment, let currency = Currency(currency.uppercased()) else { return nil }
    return ProviderRefund(
      id: metadata?["refund"].flatMap { RefundID($0) }, reference: id, payment: payment,
      amount: StripeAmount.decode(amount, currency), outcome: outcome
    )
  }
}

/// A dispute (docs.stripe.com/api/disputes/object). An inquiry, whose status begins with `warning`, moves no money.
struct StripeDispute: Decodable {
  var id: String
  var status: String
  var amount: Int64
  var currency: String
  var paymentIntent: String?
  var reason: String?

  private enum CodingKeys: String, CodingKey {
    case id, status, amount, currency, reason
    case paymentIntent = "payment_intent"
  }

  /// - Parameter isReturned: Whether the event says that Stripe has returned the money.
  func report(isReturned: Bool) -> ProviderDispute? {
    guard let payment = paymentIntent, let currency = Currency(currency.uppercased()) else { return nil }
    return ProviderDispute(
      reference: id, payment: payment, amount: StripeAmount.decode(amount, currency),
      reason: "dispute: \(reason ?? "general")", isTakenBack: !isReturned && status != "won"
    )
  }
}

/// The events of refunds and disputes (docs.stripe.com/api/events/types).
enum StripeRefundEvents {
  private struct Charge: Decodable {
    var paymentIntent: String?
    private enum CodingKeys: String, CodingKey { case paymentIntent = "payment_intent" }
  }

  static func content(of type: String, _ body: [UInt8]) throws -> ProviderNotification.Content {
    switch type {
    case "refund.created", "refund.updated", "refund.failed", "charge.refund.updated":
      let refund: StripeRefund = try StripeEvent.object(in: body)
      return refund.report().map { .refund($0) } ?? .other
    // Since API version 2022-11-15, the charge no longer lists its refunds.
    case "charge.refunded":
      let charge: Charge = try StripeEvent.object(in: body)
      return charge.paymentIntent.map { .refunds(of: $0) } ?? .other
    case "charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_withdrawn",
      "charge.dispute.funds_reinstated":
      let dispute: StripeDispute = try StripeEvent.object(in: body)
      if dispute.status.hasPrefix("warning") { return .other }
      return dispute.report(isReturned: type == "charge.dispute.funds_reinstated").map { .dispute($0) } ?? .other
    default: return .other
    }
  }
}
