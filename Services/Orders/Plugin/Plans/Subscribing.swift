import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Subscribes to plans with Stripe, and changes and cancels what users subscribe to. What a user wants is stored first;
/// the request waits for the first attempt and answers what has become of it, and the job finishes the rest.
struct Subscribing: Feature {
  /// Changes of a subscriber: each one asks Stripe a few times.
  private static let changes = RateLimit(60, per: 3600, pause: .untilOneIsForgotten)

  let core: OrdersCore
  private let transitions: SubscriptionTransitions
  private let view: SubscriptionView
  /// `nil` if Stripe is not configured.
  private let workflow: SubscriptionWorkflow?
  let workers: [any Service]

  init(_ core: OrdersCore, _ plans: Plans) throws {
    self.core = core
    transitions = plans.transitions
    view = plans.view
    workflow = plans.workflow
    workers = try workflow.map { [try $0.worker(core.environment)] } ?? []
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.Subscribe.self) { request, call in try await subscribe(request, call) }
    routes.on(OrdersAPI.UpdateSubscription.self) { request, call in try await update(request, call) }
    routes.on(OrdersAPI.EndSubscription.self) { request, call in try await end(request.id, call) }
  }

  private func subscribe(_ request: OrdersAPI.Subscribe, _ call: Call) async throws -> Subscription {
    let user = try call.user.id
    guard let plan = transitions.plan(request.plan) else { throw Problem(.planNotFound) }
    guard request.payment.provider == .stripe, let workflow, let price = plan.stripePrice, !price.isEmpty else {
      throw Problem(.providerNotAvailable)
    }
    let quantity = request.quantity?.value ?? 1
    guard quantity == 1 || plan.seats.map({ $0 > 0 }) ?? false else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "the plan has no seats")])
    }
    let id: SubscriptionID = core.ids.make()
    let stored = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        if try transitions.store.exists(plan.name, of: user, in: tx) { throw Problem(.alreadySubscribed) }
        var new = StoredSubscription(
          id: id, user: user, plan: plan.name, provider: .stripe, status: .pending, until: tx.now,
          accessUntil: tx.now, createdAt: tx.now, changedAt: tx.now)
        new.quantity = quantity
        new.method = try core.methods.token(of: request.payment, user: user, in: tx)
        new.isMethodKept = request.payment.paymentMethodID != nil
        guard try transitions.insert(new, in: tx) else { throw Problem(.alreadySubscribed) }
        try core.attempts.begin(by: user, in: tx)
        try workflow.schedule(id, in: tx)
        try tx.audit("subscription.begun", object: "subscription:\(id)", by: call.auditActor)
        return id
      }
    }
    do { try await workflow.advance(stored) } catch {
      call.logger.warning("a subscription is not finished", metadata: ["error": "\(type(of: error))"])
    }
    return try await subscription(stored, of: user)
  }

  private func subscription(_ id: SubscriptionID, of user: UserID) async throws -> Subscription {
    try await core.database.read { db in
      try view.of(transitions.store.get(id, of: user, in: db), in: db)
    }
  }

  // MARK: changes

  private func update(_ request: OrdersAPI.UpdateSubscription, _ call: Call) async throws -> Subscription {
    let user = try call.user.id
    let key = core.ids.text()
    try await change(request.id, call, "subscription.changed") { now, tx in
      if let payment = request.payment { return try methodChange(&now, to: payment, of: user, request, key, in: tx) }
      guard now.status == .active, now.contested.isEmpty else {
        throw Problem(.planChangeNotPossible, detail: "The subscription is not paid.")
      }
      let (plan, quantity) = (request.plan ?? now.plan, request.quantity?.value ?? now.quantity)
      let namesNothing = request.plan == nil && request.quantity == nil
      if !namesNothing, plan != now.plan || quantity != now.quantity || now.hasNext {
        guard request.renews == nil else {
          throw Problem(.invalidRequest, errors: [.init(location: "body.renews", message: "is a change of its own")])
        }
        if try transitions.store.exists(plan, of: user, besides: now.id, in: tx) { throw Problem(.alreadySubscribed) }
        return try planChange(&now, to: plan, quantity, key, in: tx)
      }
      guard let renews = request.renews, renews != now.renews else { return nil }
      return SubscriptionChange(key: key, kind: .renewal(renews))
    }
    return try await subscription(request.id, of: user)
  }

  private func methodChange(
    _ now: inout StoredSubscription, to payment: PaymentChoice, of user: UserID,
    _ request: OrdersAPI.UpdateSubscription, _ key: String, in tx: Transaction
  ) throws -> SubscriptionChange {
    guard payment.provider == .stripe else { throw Problem(.providerNotAvailable) }
    let namesMore = request.plan != nil || request.quantity != nil || request.renews != nil
    guard !namesMore, let method = try core.methods.token(of: payment, user: user, in: tx) else {
      let fault = namesMore ? "is a change of its own" : "names no card"
      throw Problem(.invalidRequest, errors: [.init(location: "body.payment", message: fault)])
    }
    guard now.status == .active || now.status == .pastDue, now.contested.isEmpty else {
      throw Problem(.planChangeNotPossible, detail: "The subscription is not paid.")
    }
    guard now.change == nil || now.method == method else { throw Problem(.requestInProgress, retryAfter: 5) }
    // A repetition continues with the same attempt.
    if now.change == nil { try core.attempts.begin(by: user, in: tx) }
    (now.method, now.isMethodKept) = (method, payment.paymentMethodID != nil)
    return SubscriptionChange(key: key, kind: .method)
  }

  private func planChange(
    _ now: inout StoredSubscription, to name: String, _ quantity: Int, _ key: String, in tx: Transaction
  ) throws -> SubscriptionChange? {
    guard let old = transitions.plan(now.plan), let new = transitions.plan(name) else { throw Problem(.planNotFound) }
    guard let price = new.stripePrice, !price.isEmpty else { throw Problem(.providerNotAvailable) }
    guard quantity == 1 || new.seats.map({ $0 > 0 }) ?? false else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "the plan has no seats")])
    }
    guard old.price.currency == new.price.currency, new.months >= old.months else {
      throw Problem(.planChangeNotPossible, detail: "The plans have different currencies or shorter periods.")
    }
    let members = try PlanMemberStore.count(of: now.id, in: tx)
    guard members <= (new.seats ?? 0) * quantity else { throw Problem(.seatsInUse) }
    let isCheaper = try Self.total(new, quantity) <= Self.total(old, now.quantity)
    let isDeferred = isCheaper && new.months == old.months
    if isDeferred, name != now.plan || quantity != now.quantity {
      now.nextPlan = name == now.plan ? nil : name
      now.nextQuantity = quantity == now.quantity ? nil : quantity
    }
    return SubscriptionChange(key: key, kind: .plan(name, quantity: quantity, isDeferred: isDeferred))
  }

  private static func total(_ plan: PlanSettings, _ quantity: Int) throws -> Int64 {
    let (total, isTooLarge) = plan.price.amount.multipliedReportingOverflow(by: Int64(quantity))
    guard !isTooLarge else { throw Problem(.planChangeNotPossible) }
    return total
  }

  private func end(_ id: SubscriptionID, _ call: Call) async throws -> Subscription {
    let key = core.ids.text()
    try await change(id, call, "subscription.ended") { now, _ in
      let isPaid = now.status == .active || now.status == .pastDue
      if isPaid, !now.renews { return nil }
      return SubscriptionChange(key: key, kind: isPaid ? .renewal(false) : .cancel)
    }
    return try await subscription(id, of: call.user.id)
  }

  /// Stores what the user wants, and waits for the first attempt.
  private func change(
    _ id: SubscriptionID, _ call: Call, _ action: String,
    _ decide: @escaping @Sendable (inout StoredSubscription, Transaction) throws -> SubscriptionChange?
  ) async throws {
    let user = try call.user.id
    try await core.database.write { tx in
      var now = try transitions.store.get(id, of: user, in: tx)
      guard now.provider == .stripe, let workflow else { throw Problem(.providerNotAvailable) }
      guard now.isLiving else { return }
      let before = now.change
      guard let change = try decide(&now, tx) else { return }
      // A repeated request continues with what was stored.
      if let before, before.kind == change.kind { return }
      guard before == nil else { throw Problem(.requestInProgress, retryAfter: 5) }
      try StoredLimit(Self.changes, of: user.rawValue, for: "plan-change", core.dataKeys).require(in: tx)
      now.change = change
      try transitions.update(&now, in: tx)
      try workflow.schedule(id, in: tx)
      try tx.audit(action, object: "subscription:\(id)", by: call.auditActor)
    }
    do { try await workflow?.advance(id) } catch let refusal as SubscriptionWorkflow.Refused {
      throw Problem(.paymentDeclined, detail: refusal.reason)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 2)
    }
  }
}
