import Contracts
import Persistence
import ServiceKit

/// The changes of subscriptions, each in one transaction with what follows from it: the entitlements of the subscriber
/// and of the members, and the word to the subscriber.
struct SubscriptionTransitions: Sendable {
  let store: SubscriptionStore
  let plans: [PlanSettings]
  let graceSeconds: Double
  let notices: PlanMemberNotices

  func plan(_ name: String) -> PlanSettings? { plans.first { $0.name == name } }

  /// Stores a new subscription.
  /// - Returns: `false` when the user subscribes to the plan already.
  func insert(_ new: StoredSubscription, in tx: Transaction) throws -> Bool {
    guard try store.insert(new, in: tx) else { return false }
    if new.isActive { try entitle(new, in: tx) }
    return true
  }

  /// Stores a change.
  func update(_ after: inout StoredSubscription, in tx: Transaction) throws {
    guard let before = try store.find(after.id, in: tx) else { return }
    try store.update(&after, in: tx)
    let isOther =
      before.isActive != after.isActive || before.until != after.until || before.accessUntil != after.accessUntil
      || before.plan != after.plan
    if isOther, before.isActive || after.isActive {
      try report(after, in: tx)
    }
    try evictMembers(of: after, in: tx)
    guard let user = after.user, isOther || before.status != after.status else { return }
    let data: JSONValue = [
      "subscription": .string(after.id.rawValue), "plan": .string(after.plan), "active": .bool(after.isActive),
      "status": .string(after.status.rawValue),
    ]
    try tx.record(RealtimeEvent(to: user, "plan.changed", data))
    if after.status == .pastDue, before.status != .pastDue {
      let text = "Your plan could not be renewed. Please check your card."
      try tx.record(PushRequested(to: user, title: "Payment failed", text: text, kind: .payments))
    }
  }

  /// Takes over Stripe's state.
  func apply(_ standing: ProviderSubscription, to subscription: inout StoredSubscription, in tx: Transaction) throws {
    let charged = plans.first { $0.stripePrice.map { $0 == standing.product } ?? false }?.name
    let name = try charged.flatMap { name in
      // The subscriber has the plan twice when the shop's owner changes it with the provider.
      try subscription.user.map { try store.exists(name, of: $0, besides: subscription.id, in: tx) } == true
        ? nil : name
    }
    subscription.apply(standing, plan: name, graceSeconds: graceSeconds, at: tx.now)
  }

  /// Ends a subscription that its provider does not have.
  func fail(_ id: SubscriptionID, _ reason: String, in tx: Transaction) throws {
    guard var now = try store.find(id, in: tx), now.isLiving else { return }
    now.status = now.status == .active || now.status == .pastDue ? .ended : .failed
    (now.isActive, now.renews, now.failure) = (false, false, reason)
    (now.method, now.change, now.clientSecret, now.isStale) = (nil, nil, nil, false)
    try update(&now, in: tx)
  }

  // MARK: entitlements

  /// Reports to the subscriber and the members what a subscription unlocks.
  func report(_ subscription: StoredSubscription, in tx: Transaction) throws {
    try entitle(subscription, in: tx)
    try notices.add(subscription.id, in: tx)
  }

  private func entitle(_ subscription: StoredSubscription, in tx: Transaction) throws {
    guard let user = subscription.user else { return }
    try tx.record(entitlement(of: user, from: subscription))
  }

  func entitlement(of user: UserID, from subscription: StoredSubscription) -> EntitlementChanged {
    EntitlementChanged(
      userID: user, subscriptionID: subscription.id, plan: subscription.plan,
      features: plan(subscription.plan)?.features ?? [], isActive: subscription.isActive, until: subscription.until,
      accessUntil: subscription.accessUntil)
  }

  // MARK: seats

  /// How many members a subscription pays for, now and in the next period; `nil` if it is not of a group plan.
  func seats(of subscription: StoredSubscription) -> Int? {
    guard let seats = plan(subscription.plan)?.seats else { return nil }
    let next = subscription.nextPlan.map { plan($0)?.seats ?? 0 } ?? seats
    return min(seats * subscription.quantity, next * (subscription.nextQuantity ?? subscription.quantity))
  }

  /// Whoever joined last leaves when the provider reports fewer units than there are members.
  private func evictMembers(of subscription: StoredSubscription, in tx: Transaction) throws {
    guard subscription.isLiving, let seats = seats(of: subscription) else { return }
    let excess = try PlanMemberStore.count(of: subscription.id, in: tx) - seats
    guard excess > 0 else { return }
    for member in try PlanMemberStore.newest(excess, of: subscription.id, in: tx) {
      try remove(member, from: subscription, in: tx)
    }
  }

  func remove(_ member: UserID, from subscription: StoredSubscription, in tx: Transaction) throws {
    guard try PlanMemberStore.delete(member, from: subscription.id, in: tx) else { return }
    var ended = entitlement(of: member, from: subscription)
    ended.isActive = false
    try tx.record(ended)
  }
}
