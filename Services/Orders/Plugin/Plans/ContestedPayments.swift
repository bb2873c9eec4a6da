import Contracts
import Persistence
import ServiceKit

/// Refunds and disputes of what was paid for a plan. They are only a reason to ask Stripe what has become of the payment:
/// while it is disputed the plan is locked and not renewed, a full refund and a lost dispute end it at once, and a
/// dispute that is won unlocks it for the rest of the period. A payment for more seats or a dearer plan within a period
/// leaves what was paid before.
extension Plans {
  /// The subscription that a refund or dispute concerns whose payment is not that of an order.
  ///
  /// - Returns: `nil` when it concerns none.
  /// - Throws: ``Problem`` when Stripe does not respond; it then sends the notification again.
  func notice(ofContested payment: String) async throws -> SubscriptionNotice? {
    guard let workflow, try await core.database.read({ [store] db in try store.hasAny(of: .stripe, in: db) }) else {
      return nil
    }
    do {
      let found = try await workflow.stripe.payment(payment, at: workflow.time.now())
      return found.map { SubscriptionNotice(reference: $0.subscription, id: nil, contested: payment) }
    } catch {
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 5)
    }
  }
}

extension StoredSubscription {
  /// Takes over what Stripe says of the payments that were contested.
  mutating func apply(_ states: [String: PlanPayment.State]) {
    contested = contested.filter { states[$0].map { $0 != .kept } ?? true }
  }

  /// Settles contested payments, once the state of the subscription is known.
  mutating func settleContested(_ states: [String: PlanPayment.State]) {
    guard isLiving, !contested.isEmpty else { return }
    (isActive, failure) = (false, "disputed")
    let key = "\(id)-contested-\(version)"
    if states.values.contains(.takenBack) {
      change = .init(key: key, kind: .revoke)
    } else if renews {
      change = .init(key: key, kind: .renewal(false))
    }
  }
}
