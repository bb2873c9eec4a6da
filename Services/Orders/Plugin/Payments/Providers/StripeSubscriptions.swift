import Contracts

/// Stripe subscriptions (docs.stripe.com/api/subscriptions).
struct StripeSubscriptions: Sendable {
  let client: StripeClient

  private struct Named: Decodable { var id: String }

  /// Creates a customer with a card, and a subscription that charges it.
  /// - Throws: ``StripeClient/Refusal`` when the card is declined.
  func begin(_ plan: String, id: SubscriptionID, user: UserID, token: ProviderToken, at now: Timestamp) async throws
    -> ProviderSubscription
  {
    let customer: Named = try await client.post(
      "/v1/customers",
      [
        ("metadata[user]", user.rawValue), ("payment_method", token.rawValue),
        ("invoice_settings[default_payment_method]", token.rawValue),
      ],
      idempotencyKey: "\(id)-customer"
    )
    let subscription: StripeSubscription = try await client.post(
      "/v1/subscriptions",
      [("customer", customer.id), ("items[0][plan]", plan), ("metadata[subscription]", id.rawValue)],
      idempotencyKey: id.rawValue
    )
    return subscription.standing(at: now)
  }

  func end(_ reference: String, at now: Timestamp) async throws -> ProviderSubscription {
    let subscription: StripeSubscription = try await client.post(
      "/v1/subscriptions/\(PercentCoding.encode(reference))",
      [("cancel_at_period_end", "true")],
      idempotencyKey: "\(reference)-end"
    )
    return subscription.standing(at: now)
  }
}

struct StripeSubscription: Decodable {
  var id: String
  var status: String
  var endsWithPeriod: Bool?
  var periodEnd: Int64?
  /// Contains the billing period since API version 2025-03-31.
  var items: Items?

  struct Items: Decodable {
    struct Item: Decodable {
      var periodEnd: Int64?
      private enum CodingKeys: String, CodingKey { case periodEnd = "current_period_end" }
    }
    var data: [Item]
  }

  private enum CodingKeys: String, CodingKey {
    case id, status, items
    case endsWithPeriod = "cancel_at_period_end"
    case periodEnd = "current_period_end"
  }

  func standing(at now: Timestamp) -> ProviderSubscription {
    let end = periodEnd ?? items?.data.first?.periodEnd ?? 0
    return ProviderSubscription(
      reference: id,
      isActive: ["active", "trialing", "past_due"].contains(status),
      renews: endsWithPeriod != true && status != "canceled",
      until: Timestamp(seconds: end) ?? now,
      // Stripe's events have whole seconds: a finer timestamp here would be newer than the events that follow.
      at: Timestamp(seconds: now.unixSeconds) ?? now
    )
  }
}
