import Contracts

/// Stripe's subscriptions (docs.stripe.com/api/subscriptions). A repeated call has no second effect: each one has a key
/// that was stored before it.
struct StripeSubscriptions: Sendable {
  struct New: Sendable {
    var id: SubscriptionID
    var customer: String
    var price: String
    var quantity: Int
    var method: ProviderToken?
  }

  let client: StripeClient

  private static let expansion = "latest_invoice.payment_intent"

  private struct Intent: Decodable { var status: String }
  private struct List: Decodable { var data: [StripeSubscription] }

  /// Attaches a card to a customer, without which it could be charged only once.
  /// - Returns: The card, which has another id if it was one of Stripe's test cards.
  func attach(_ method: ProviderToken, to customer: String, key: String) async throws -> ProviderToken {
    let attached: StripeNamed = try await client.post(
      "/v1/payment_methods/\(PercentCoding.encode(method.rawValue))/attach", [("customer", customer)],
      idempotencyKey: key)
    return ProviderToken(checked: attached.id)
  }

  /// Creates a subscription, whose first payment is not confirmed.
  func create(_ new: New) async throws -> StripeSubscription {
    var form = [
      ("customer", new.customer), ("items[0][price]", new.price), ("items[0][quantity]", String(new.quantity)),
      ("payment_behavior", "default_incomplete"),
      ("payment_settings[save_default_payment_method]", "on_subscription"),
      ("metadata[subscription]", new.id.rawValue), ("expand[0]", Self.expansion),
    ]
    if let method = new.method { form.append(("default_payment_method", method.rawValue)) }
    return try await client.post("/v1/subscriptions", form, idempotencyKey: new.id.rawValue)
  }

  /// The subscription that was created under an id of ours; for times after which Stripe no longer knows our key.
  func find(_ id: SubscriptionID, of customer: String) async throws -> StripeSubscription? {
    let customer = PercentCoding.encode(customer)
    let list: List = try await client.get("/v1/subscriptions?customer=\(customer)&status=all&limit=100")
    return list.data.first { $0.metadata?["subscription"] == id.rawValue }
  }

  /// Whether a card pays for the subscriptions of a customer.
  func isCharged(_ method: ProviderToken, of customer: String) async throws -> Bool {
    do {
      let list: List = try await client.get("/v1/subscriptions?customer=\(PercentCoding.encode(customer))&limit=100")
      return list.data.contains { !$0.hasEnded && $0.method == method }
    } catch let refusal as StripeClient.Refusal where refusal.reason == "resource_missing" {
      // The customer was deleted.
      return false
    }
  }

  /// `nil` when Stripe does not know it.
  func get(_ reference: String) async throws -> StripeSubscription? {
    do {
      return try await client.get("\(Self.path(reference))?expand%5B0%5D=\(Self.expansion)")
    } catch let refusal as StripeClient.Refusal where refusal.reason == "resource_missing" {
      return nil
    }
  }

  /// Charges a card for an invoice's payment, unless the buyer's bank wants the buyer.
  /// - Throws: ``StripeClient/Refusal`` when the card is declined.
  func confirm(_ intent: String, with method: ProviderToken, key: String) async throws {
    let _: Intent = try await client.post(
      "/v1/payment_intents/\(PercentCoding.encode(intent))/confirm", [("payment_method", method.rawValue)],
      idempotencyKey: key)
  }

  /// Charges a card for an invoice that could not be charged, unless the buyer's bank wants the buyer.
  /// - Throws: ``StripeClient/Refusal`` when the card is declined.
  func pay(_ invoice: String, with method: ProviderToken, key: String) async throws {
    do {
      let _: StripeNamed = try await client.post(
        "/v1/invoices/\(PercentCoding.encode(invoice))/pay",
        [("payment_method", method.rawValue), ("off_session", "false")], idempotencyKey: key)
    } catch let refusal as StripeClient.Refusal
      where ["invoice_payment_intent_requires_action", "invoice_already_paid"].contains(refusal.reason)
    {}
  }

  /// Has a card charged for the payments from now on.
  func setMethod(_ method: ProviderToken, of reference: String, key: String) async throws {
    let _: StripeNamed = try await client.post(
      Self.path(reference), [("default_payment_method", method.rawValue)], idempotencyKey: key)
  }

  /// Changes what is subscribed to.
  /// - Parameter isDeferred: Whether it is first charged with the next period; otherwise the difference is charged at
  ///   once, and the change takes effect only when that payment succeeds.
  func update(
    _ reference: String, item: String, price: String, quantity: Int, isDeferred: Bool, key: String
  ) async throws {
    let _: StripeNamed = try await client.post(
      Self.path(reference),
      [
        ("items[0][id]", item), ("items[0][price]", price), ("items[0][quantity]", String(quantity)),
        ("proration_behavior", isDeferred ? "none" : "always_invoice"),
        ("payment_behavior", isDeferred ? "allow_incomplete" : "pending_if_incomplete"),
      ],
      idempotencyKey: key)
  }

  func setRenewal(_ renews: Bool, of reference: String, key: String) async throws {
    let _: StripeNamed = try await client.post(
      Self.path(reference), [("cancel_at_period_end", String(!renews))], idempotencyKey: key)
  }

  /// Makes an invoice impossible to pay.
  /// - Throws: ``StripeClient/Refusal`` when it is paid, or void already.
  func void(_ invoice: String) async throws {
    // Without a key, under which Stripe would repeat a refusal.
    let _: StripeNamed = try await client.post(
      "/v1/invoices/\(PercentCoding.encode(invoice))/void", [], idempotencyKey: nil)
  }

  /// Ends a subscription at once.
  /// - Throws: ``StripeClient/Refusal`` when it has ended.
  func cancel(_ reference: String) async throws {
    let _: StripeNamed = try await client.delete(Self.path(reference))
  }

  private static func path(_ reference: String) -> String { "/v1/subscriptions/\(PercentCoding.encode(reference))" }
}
