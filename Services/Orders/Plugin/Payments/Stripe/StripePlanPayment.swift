import Contracts

/// The payment of a plan's invoice, with what has been taken back of it (docs.stripe.com/api/payment_intents/object).
struct StripePlanPayment: Decodable, Sendable {
  struct Invoice: Decodable, Sendable {
    struct Line: Decodable, Sendable {
      struct Period: Decodable, Sendable { var end: Int64 }
      var period: Period
      /// Whether it is a difference by a change within a period.
      var proration: Bool
    }
    struct Lines: Decodable, Sendable { var data: [Line] }
    var subscription: StripeReference<StripeNamed>?
    var lines: Lines
  }

  struct Charge: Decodable, Sendable {
    /// Whether all of it was refunded.
    var refunded: Bool
    /// Whether it was ever disputed.
    var disputed: Bool
  }

  var invoice: StripeReference<Invoice>?
  var charge: StripeReference<Charge>?

  private enum CodingKeys: String, CodingKey {
    case invoice
    case charge = "latest_charge"
  }

  /// Whether it pays for the present period, not only for what was added within it.
  func isOfPresentPeriod(at now: Timestamp) -> Bool {
    invoice?.object?.lines.data.contains { !$0.proration && $0.period.end > now.unixSeconds } ?? false
  }
}

extension StripeSubscriptions {
  private struct Disputes: Decodable { var data: [StripeDispute] }

  /// The subscription that a payment was for, and whether the shop still has the money.
  /// - Parameter intent: Stripe's id of the payment.
  /// - Returns: `nil` when it was not for a subscription.
  func payment(_ intent: String, at now: Timestamp) async throws -> PlanPayment? {
    let found: StripePlanPayment
    let id = PercentCoding.encode(intent)
    do {
      found = try await client.get("/v1/payment_intents/\(id)?expand%5B0%5D=invoice&expand%5B1%5D=latest_charge")
    } catch let refusal as StripeClient.Refusal where refusal.reason == "resource_missing" {
      return nil
    }
    guard let subscription = found.invoice?.object?.subscription?.id else { return nil }
    guard let charge = found.charge?.object, found.isOfPresentPeriod(at: now) else {
      return PlanPayment(subscription: subscription, state: .kept)
    }
    if charge.refunded { return PlanPayment(subscription: subscription, state: .takenBack) }
    guard charge.disputed else { return PlanPayment(subscription: subscription, state: .kept) }
    let disputes: Disputes = try await client.get("/v1/disputes?payment_intent=\(id)&limit=100")
    let statuses = disputes.data.map(\.status).filter { $0 != "won" && !$0.hasPrefix("warning") }
    let state: PlanPayment.State = statuses.isEmpty ? .kept : statuses.contains("lost") ? .takenBack : .disputed
    return PlanPayment(subscription: subscription, state: state)
  }
}
