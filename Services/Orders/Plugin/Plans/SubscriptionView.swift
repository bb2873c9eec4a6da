import Contracts
import Persistence

/// Subscriptions as their subscribers see them.
struct SubscriptionView: Sendable {
  let transitions: SubscriptionTransitions

  func of(_ stored: [StoredSubscription], in db: any Connection) throws -> [Subscription] {
    let groups = stored.filter { transitions.seats(of: $0) != nil }
    let used = try PlanMemberStore.counts(of: groups.map(\.id), in: db)
    return stored.map { subscription in
      Subscription(
        id: subscription.id, plan: subscription.plan, provider: subscription.provider, status: subscription.status,
        isActive: subscription.isActive, until: subscription.until, renews: subscription.renews,
        graceUntil: subscription.graceUntil, quantity: subscription.quantity, nextPlan: subscription.nextPlan,
        nextQuantity: subscription.nextQuantity,
        seats: transitions.seats(of: subscription).map { .init(total: $0, used: used[subscription.id] ?? 0) },
        clientSecret: subscription.clientSecret, failure: subscription.failure)
    }
  }

  func of(_ stored: StoredSubscription, in db: any Connection) throws -> Subscription {
    guard let view = try of([stored], in: db).first else { throw Problem(.subscriptionNotFound) }
    return view
  }
}
