import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Premium plans: the provider's state of a subscription is authoritative, and every change is published as an event.
struct Plans: Feature {
  let database: any Database
  let settings: [PlanSettings]
  let stripe: StripeSubscriptions?
  let cancellations: SubscriptionCancellations
  let methods: PaymentMethodStore
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger

  /// How long after the end of the paid period a renewal may still be reported, in seconds.
  private static let graceSeconds = 86_400.0

  init(_ core: OrdersCore) throws {
    (database, methods, ids, time) = (core.database, core.methods, core.ids, core.time)
    (settings, stripe) = (try core.settings[OrdersSettings.plans], core.providers.stripeSubscriptions)
    (logger, cancellations) = (core.logger, try SubscriptionCancellations(core.environment, stripe: stripe))
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPlans.self) { _, _ in Page(items: settings.map(\.plan)) }
    routes.on(OrdersAPI.ListSubscriptions.self) { _, call in
      let user = try call.user.id
      return Page(items: try await database.read { try SubscriptionStore.list("user_id = \(user)", in: $0) })
    }
    routes.on(OrdersAPI.Subscribe.self) { request, call in try await subscribe(request, call) }
    routes.on(OrdersAPI.EndSubscription.self) { request, call in try await end(request.id, call) }
  }

  func plan(storeKitProduct: String) -> PlanSettings? { settings.first { $0.storekitProduct == storeKitProduct } }

  // MARK: users

  private func subscribe(_ request: OrdersAPI.Subscribe, _ call: Call) async throws -> Subscription {
    let user = try call.user.id
    guard let plan = settings.first(where: { $0.name == request.plan }) else { throw Problem(.planNotFound) }
    guard request.payment.provider == .stripe, let stripe, let price = plan.stripePrice else {
      throw Problem(.providerNotAvailable)
    }
    // The id is stored before the request to Stripe: it is the idempotency key of a retry after a crash.
    let (id, token) = try await database.write { [methods, ids] tx -> (SubscriptionID, ProviderToken) in
      let token = try methods.token(of: request.payment, user: user, in: tx)
      guard let token else { throw Problem(.paymentMethodNotFound) }
      let id: SubscriptionID = try tx.idempotent(call.idempotencyKey) {
        let active: SQL = "user_id = \(user) AND plan = \(plan.name) AND is_active = 1"
        guard try SubscriptionStore.list(active, in: tx).isEmpty else { throw Problem(.alreadySubscribed) }
        return ids.make()
      }
      return (id, token)
    }
    do {
      let standing = try await stripe.begin(price, id: id, user: user, token: token, at: time.now())
      return try await database.write { tx in
        let subscription = try record(standing, .stripe, user: user, plan: plan.name, id: id, in: tx)
        try tx.audit("subscription.begun", object: "subscription:\(id)", by: call.auditActor)
        return subscription
      }
    } catch is StripeClient.Refusal {
      throw Problem(.paymentDeclined)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 2)
    }
  }

  private func end(_ id: SubscriptionID, _ call: Call) async throws -> Subscription {
    let user = try call.user.id
    let found = try await database.read { db in try SubscriptionStore.reference(of: id, user, in: db) }
    guard let found else { throw Problem(.subscriptionNotFound) }
    guard found.provider == .stripe, let stripe else { throw Problem(.providerNotAvailable) }
    do {
      let standing = try await stripe.end(found.reference, at: time.now())
      try await database.write { tx in
        try record(standing, .stripe, in: tx)
        try tx.audit("subscription.ended", object: "subscription:\(id)", by: call.auditActor)
      }
    } catch {
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 2)
    }
    guard let now = try await database.read({ db in try SubscriptionStore.list("id = \(id)", in: db) }).first else {
      throw Problem(.subscriptionNotFound)
    }
    return now
  }

  // MARK: providers

  /// Updates a stored subscription. An unknown one was not created here and is ignored.
  func record(_ standing: ProviderSubscription, _ provider: PaymentProviderName, in tx: Transaction) throws {
    guard let known = try SubscriptionStore.owner(provider, standing.reference, in: tx) else { return }
    _ = try record(standing, provider, user: known.user, plan: known.plan, in: tx)
  }

  @discardableResult
  func record(
    _ standing: ProviderSubscription,
    _ provider: PaymentProviderName,
    user: UserID,
    plan: String,
    id: SubscriptionID? = nil,
    in tx: Transaction
  ) throws -> Subscription {
    let before = try SubscriptionStore.find(provider, standing.reference, in: tx)
    let isActive = standing.isActive && standing.until.advanced(bySeconds: Self.graceSeconds) > tx.now
    try SubscriptionStore.save(
      standing, provider, isActive: isActive, user: user, plan: plan, id: id ?? ids.make(), in: tx)
    guard let after = try SubscriptionStore.find(provider, standing.reference, in: tx) else {
      throw Problem(.subscriptionNotFound)
    }
    if before?.isActive != after.isActive || before?.until != after.until {
      try notify(after, user, in: tx)
    }
    return after
  }

  private func notify(_ subscription: Subscription, _ user: UserID, in tx: Transaction) throws {
    try tx.record(
      EntitlementChanged(
        userID: user,
        plan: subscription.plan,
        isActive: subscription.isActive,
        until: subscription.until
      )
    )
    let data: JSONValue = ["plan": .string(subscription.plan), "active": .bool(subscription.isActive)]
    try tx.record(RealtimeEvent(to: user, "plan.changed", data))
  }

  // MARK: periodic work

  var workers: [any Service] {
    [
      cancellations,
      PeriodicTask("plans.expire", every: .seconds(30), logger: logger) { try await expire() },
    ]
  }

  /// Ends subscriptions that are no longer paid for.
  private func expire() async throws {
    try await database.write { tx in
      let late = tx.now.advanced(bySeconds: -Self.graceSeconds)
      for item in try SubscriptionStore.unpaid(since: late, in: tx) {
        try SubscriptionStore.deactivate(item.id, in: tx)
        let subscription = try SubscriptionStore.list("id = \(item.id)", in: tx).first
        if let user = item.user, let subscription { try notify(subscription, user, in: tx) }
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("subscriptions", try JSONValue(SubscriptionStore.list("user_id = \(user)", in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try cancellations.end(of: user, in: tx)
    try SubscriptionStore.erase(user, in: tx)
  }
}
