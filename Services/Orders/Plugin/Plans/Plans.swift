import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Premium plans: the provider's state of a subscription is authoritative, and every change is published as an event.
struct Plans: Feature {
  let core: OrdersCore
  let settings: [PlanSettings]
  let transitions: SubscriptionTransitions
  let view: SubscriptionView
  let jobs: PendingJobs<SubscriptionWorkflow.Work>
  /// `nil` if Stripe is not configured.
  let workflow: SubscriptionWorkflow?

  /// Within it, a job reads what has changed, in seconds.
  private static let staleSeconds = 3600.0
  private static let staleBatch = 100

  init(_ core: OrdersCore) throws {
    self.core = core
    settings = try core.settings[OrdersSettings.plans]
    transitions = SubscriptionTransitions(
      store: SubscriptionStore(keys: core.dataKeys), plans: settings,
      graceSeconds: Double(try core.settings[OrdersSettings.planGraceDays]) * 86_400,
      notices: PlanMemberNotices(core.environment))
    view = SubscriptionView(transitions: transitions)
    jobs = PendingJobs(SubscriptionWorkflow.kind, core.environment)
    workflow = core.providers.stripeSubscriptions.map { [transitions, jobs] stripe in
      SubscriptionWorkflow(
        database: core.database, transitions: transitions, stripe: stripe,
        customers: StripeCustomers(database: core.database, client: stripe.client), jobs: jobs,
        cleanup: StripeCleanup.Queue(core.environment), time: core.time, logger: core.logger)
    }
  }

  var store: SubscriptionStore { transitions.store }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPlans.self) { _, _ in Page(items: settings.map(\.plan)) }
    routes.on(OrdersAPI.ListSubscriptions.self) { _, call in
      let user = try call.user.id
      return Page(items: try await core.database.read { db in try view.of(store.list(of: user, in: db), in: db) })
    }
    routes.on(OrdersAPI.GetSubscription.self) { request, call in
      let user = try call.user.id
      return try await core.database.read { db in try view.of(store.get(request.id, of: user, in: db), in: db) }
    }
  }

  func plan(storeKitProduct: String) -> PlanSettings? { settings.first { $0.storekitProduct == storeKitProduct } }

  // MARK: providers

  /// Has a subscription read anew from its provider. An unknown one was not created here and is ignored.
  func receive(_ notice: SubscriptionNotice, _ provider: PaymentProviderName, in tx: Transaction) throws {
    let named = try notice.id.flatMap { try store.find($0, in: tx) }
    guard var known = try store.find(provider, notice.reference, in: tx) ?? named, known.provider == provider,
      known.reference.map({ $0 == notice.reference }) ?? true
    else { return }
    (known.reference, known.isStale) = (notice.reference, true)
    if known.status == .pending { known.status = .incomplete }
    if let payment = notice.contested, !known.contested.contains(payment) { known.contested.append(payment) }
    try transitions.update(&known, in: tx)
    try SubscriptionWorkflow.schedule(known.id, jobs, after: 0, in: tx)
  }

  /// Reads a subscription at once; what cannot be finished now is left to its job.
  func follow(_ notice: SubscriptionNotice, _ provider: PaymentProviderName) async throws {
    let known = try await core.database.read { db in try store.find(provider, notice.reference, in: db)?.id }
    guard let known, let workflow else { return }
    do { try await workflow.advance(known) } catch {
      core.logger.warning("a subscription is not read yet", metadata: ["error": "\(type(of: error))"])
    }
  }

  /// Takes over the state of a subscription that is not made here but in the app.
  /// - Returns: `nil` when it is of another user, or of something that is no plan.
  @discardableResult
  func record(
    _ standing: ProviderSubscription, _ provider: PaymentProviderName, user: UserID, in tx: Transaction
  ) throws -> Subscription? {
    let plan = standing.product.flatMap { self.plan(storeKitProduct: $0) }?.name
    let nextPlan = standing.nextProduct.flatMap { self.plan(storeKitProduct: $0) }?.name
    if var known = try store.find(provider, standing.reference, in: tx) {
      if standing.at >= known.changedAt {
        known.take(standing, plan: plan ?? known.plan, nextPlan: nextPlan, at: tx.now)
        try transitions.update(&known, in: tx)
      }
      return known.user == user ? try view.of(known, in: tx) : nil
    }
    guard let plan else { return nil }
    var new = StoredSubscription(
      id: core.ids.make(), user: user, plan: plan, provider: provider, reference: standing.reference, status: .active,
      until: standing.until, accessUntil: standing.until, createdAt: tx.now, changedAt: standing.at)
    new.take(standing, plan: plan, nextPlan: nextPlan, at: tx.now)
    guard try transitions.insert(new, in: tx) else { throw Problem(.requestInProgress) }
    return try view.of(new, in: tx)
  }

  // MARK: periodic work

  var workers: [any Service] {
    [
      PeriodicTask("plans.expire", per: .platform, every: .seconds(30), logger: core.logger) { try await expire() },
      PeriodicTask("plans.stale", per: .platform, every: .seconds(86_400), logger: core.logger) {
        try await readStale()
      },
    ]
  }

  /// Has Stripe asked about subscriptions for which no job is left.
  private func readStale() async throws {
    guard workflow != nil else { return }
    var last: SubscriptionID?
    repeat {
      last = try await core.database.write { [last] tx in
        let moment = tx.now.advanced(bySeconds: -Self.staleSeconds)
        let found = try store.stale(since: moment, after: last, limit: Self.staleBatch, in: tx)
        for subscription in found { try SubscriptionWorkflow.schedule(subscription.id, jobs, after: 0, in: tx) }
        return found.count == Self.staleBatch ? found.last?.id : nil
      }
    } while last != nil
  }

  /// Locks the features of subscriptions that are no longer paid for. Stripe is asked whether they have ended.
  private func expire() async throws {
    try await core.database.write { tx in
      for var subscription in try store.overdue(in: tx) {
        subscription.isActive = false
        if subscription.provider == .stripe {
          subscription.isStale = true
          try SubscriptionWorkflow.schedule(subscription.id, jobs, after: 0, in: tx)
        } else {
          subscription.status = .ended
        }
        try transitions.update(&subscription, in: tx)
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    var subscriptions = try view.of(store.list(of: user, limit: .max, in: db), in: db)
    for index in subscriptions.indices { subscriptions[index].clientSecret = nil }
    return [("subscriptions", try JSONValue(subscriptions))]
  }

  /// Subscriptions of deleted accounts are not renewed, and those that are not paid end: Stripe would go on charging.
  func erase(_ user: UserID, in tx: Transaction) throws {
    try PlanInvitationStore.delete(by: user, in: tx)
    for var subscription in try store.living(of: user, in: tx) {
      (subscription.user, subscription.method, subscription.clientSecret) = (nil, nil, nil)
      if subscription.provider == .stripe {
        subscription.change = .init(key: core.ids.text(), kind: .cancel)
        try SubscriptionWorkflow.schedule(subscription.id, jobs, after: 0, in: tx)
      }
      try transitions.update(&subscription, in: tx)
    }
    try store.forget(user, in: tx)
  }
}

extension StoredSubscription {
  /// Takes over the state of a subscription of the app's store, which also reports the plans.
  mutating func take(_ standing: ProviderSubscription, plan: String, nextPlan: String?, at now: Timestamp) {
    (self.plan, quantity, until) = (plan, standing.quantity, standing.until)
    self.nextPlan = nextPlan == plan ? nil : nextPlan
    graceUntil = standing.graceUntil.flatMap { $0 > standing.until ? $0 : nil }
    let isExpected = standing.renews && !standing.isRetrying
    accessUntil = graceUntil ?? (isExpected ? until.advanced(bySeconds: Self.reportSeconds) : until)
    isActive = standing.isActive && accessUntil > now
    renews = standing.renews && (isActive || standing.isRetrying)
    let isUnpaid = until <= now && (standing.isRetrying || graceUntil.map { $0 > now } ?? false)
    status = isUnpaid ? .pastDue : isActive ? .active : .ended
    changedAt = standing.at
  }
}
