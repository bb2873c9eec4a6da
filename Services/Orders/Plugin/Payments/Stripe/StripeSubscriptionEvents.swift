import Contracts

/// Stripe's events about subscriptions and their invoices. They arrive late, doubled and out of order, with times in
/// whole seconds: each is only a reason to ask Stripe for the present state.
enum StripeSubscriptionEvents {
  private struct Invoice: Decodable {
    struct Parent: Decodable {
      struct Details: Decodable { var subscription: StripeReference<StripeNamed>? }
      var details: Details?
      private enum CodingKeys: String, CodingKey { case details = "subscription_details" }
    }
    var subscription: StripeReference<StripeNamed>?
    /// Names the subscription since API version 2025-03-31.
    var parent: Parent?
  }

  /// `nil` when the event is about something else.
  static func notice(of type: String, _ body: [UInt8]) throws -> SubscriptionNotice? {
    switch type {
    case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
      "customer.subscription.paused", "customer.subscription.resumed", "customer.subscription.pending_update_applied",
      "customer.subscription.pending_update_expired":
      let subscription: StripeSubscription = try StripeEvent.object(in: body)
      return SubscriptionNotice(
        reference: subscription.id, id: subscription.metadata?["subscription"].flatMap { SubscriptionID($0) })
    case "invoice.paid", "invoice.payment_succeeded", "invoice.payment_failed", "invoice.payment_action_required":
      let invoice: Invoice = try StripeEvent.object(in: body)
      let subscription = invoice.subscription ?? invoice.parent?.details?.subscription
      return subscription.map { SubscriptionNotice(reference: $0.id, id: nil) }
    default: return nil
    }
  }
}
