import Contracts
import Logging
import Persistence
import ServiceKit

/// Drives subscriptions with Stripe: the row is stored first, each request has a key that was stored before it, and the
/// job of the row repeats what a crash or a failure has interrupted. The present state is always read from Stripe.
struct SubscriptionWorkflow: Sendable {
  struct Work: Codable, Sendable { var subscription: SubscriptionID }

  static let kind = "subscription"
  /// The delay after which the job takes over what a request has not finished, in seconds.
  private static let handOverSeconds = 10.0
  /// After it, Stripe may have forgotten our keys, which it keeps for 24 hours.
  private static let keySeconds = 20.0 * 3600

  let database: any Database
  let transitions: SubscriptionTransitions
  let stripe: StripeSubscriptions
  let customers: StripeCustomers
  let jobs: PendingJobs<Work>
  let cleanup: StripeCleanup.Queue
  let time: TimeSource
  let logger: Logger

  var store: SubscriptionStore { transitions.store }

  /// The reason why Stripe has refused a change.
  struct Refused: Error { var reason: String }

  // MARK: the job

  func schedule(_ id: SubscriptionID, in tx: Transaction, after seconds: Double = handOverSeconds) throws {
    try Self.schedule(id, jobs, after: seconds, in: tx)
  }

  static func schedule(_ id: SubscriptionID, _ jobs: PendingJobs<Work>, after seconds: Double, in tx: Transaction)
    throws
  {
    try jobs.add(
      Work(subscription: id), id: job(of: id), dueAt: tx.now.advanced(bySeconds: seconds), in: tx)
  }

  private static func job(of id: SubscriptionID) -> String { "subscription-\(id)" }

  func worker(_ environment: ServiceEnvironment) throws -> any Worker {
    try DurableJobs<Work>(Self.kind, environment, concurrency: 8, attempts: 10_000) { work, _ in
      do { try await advance(work.subscription) } catch let refusal as Refused {
        logger.notice(
          "a change was refused", metadata: ["subscription": "\(work.subscription)", "reason": "\(refusal)"])
      }
      return .done
    }
  }

  // MARK: actions

  /// Performs actions until none is left.
  ///
  /// - Throws: ``Refused`` for a change of the user, other errors when Stripe does not respond; the job continues.
  func advance(_ id: SubscriptionID) async throws {
    // Every action leads to another state; more actions than this indicate a cycle.
    for _ in 0..<20 {
      guard let row = try await database.read({ [store] db in try store.find(id, in: db) }) else { return }
      switch SubscriptionNextAction(for: row) {
      case .none:
        try await database.write { [store] tx in
          guard let now = try store.find(id, in: tx), SubscriptionNextAction(for: now) == .none else { return }
          try Job.cancel(Self.job(of: id), in: tx)
        }
        return
      case .create: try await create(row)
      case .abandon: try await abandon(row)
      case .confirm: try await confirm(row)
      case .change(let change): try await perform(change, row)
      case .refresh: try await refresh(row)
      }
    }
    logger.critical("a subscription does not reach a stable state", metadata: ["subscription": "\(id)"])
  }

  private func store(
    _ id: SubscriptionID, _ body: @escaping @Sendable (inout StoredSubscription) -> Void
  ) async throws {
    try await database.write { [transitions] tx in
      guard var now = try transitions.store.find(id, in: tx) else { return }
      body(&now)
      try transitions.update(&now, in: tx)
    }
  }

  private func fail(_ id: SubscriptionID, _ reason: String) async throws {
    try await database.write { [transitions] tx in try transitions.fail(id, reason, in: tx) }
  }

  /// Notes Stripe's id; the state is read next.
  private func adopt(_ subscription: StripeSubscription, as id: SubscriptionID) async throws {
    try await store(id) { now in
      (now.reference, now.isStale) = (subscription.id, true)
      if now.status == .pending { now.status = .incomplete }
    }
  }

  private func create(_ row: StoredSubscription) async throws {
    guard let user = row.user, let price = transitions.plan(row.plan)?.stripePrice else {
      return try await fail(row.id, "plan_not_found")
    }
    guard let customer = row.customer else {
      let customer = try await customers.id(of: user)
      return try await store(row.id) { $0.customer = customer }
    }
    if time.now().seconds(since: row.createdAt) > Self.keySeconds {
      guard let found = try await stripe.find(row.id, of: customer) else { return try await fail(row.id, "expired") }
      return try await adopt(found, as: row.id)
    }
    do {
      var method = row.method
      if let token = row.method, !row.isMethodKept {
        method = try await attach(token, to: customer, row.id, key: "\(row.id)-method")
      }
      let created = try await stripe.create(
        .init(id: row.id, customer: customer, price: price, quantity: row.quantity, method: method))
      try await store(row.id) { [method] now in
        (now.reference, now.isStale) = (created.id, true)
        if now.status == .pending { now.status = .incomplete }
        (now.method, now.isMethodKept) = (method, true)
      }
    } catch let refusal as StripeClient.Refusal {
      try await fail(row.id, refusal.reason)
    }
  }

  private func abandon(_ row: StoredSubscription) async throws {
    guard let customer = row.customer, let found = try await stripe.find(row.id, of: customer) else {
      return try await fail(row.id, "canceled")
    }
    try await adopt(found, as: row.id)
  }

  private func confirm(_ row: StoredSubscription) async throws {
    guard let reference = row.reference, let method = row.method else { return }
    guard let found = try await stripe.get(reference) else { return try await fail(row.id, "resource_missing") }
    var failure: String?
    if found.isIncomplete, let intent = found.latestInvoice?.object?.intentID {
      do { try await stripe.confirm(intent, with: method, key: "\(row.id)-confirm") } catch let refusal
        as StripeClient.Refusal
      {
        // The app may have confirmed the payment meanwhile.
        if refusal.reason != "payment_intent_unexpected_state" { failure = refusal.reason }
      }
    }
    if failure != nil, try await !endUnpaid(reference) { failure = nil }
    try await store(row.id) { [failure] now in
      (now.method, now.isStale) = (nil, true)
      now.failure = failure ?? now.failure
    }
  }

  /// Ends a subscription whose first payment or renewal is not made. The payment is made impossible first, so that
  /// no one is charged for what ends.
  /// - Returns: `false` when it is paid; it goes on.
  private func endUnpaid(_ reference: String) async throws -> Bool {
    guard let found = try await stripe.get(reference), !found.hasEnded else { return true }
    guard found.isIncomplete || found.isUnpaid else { return false }
    // A draft is never charged once its subscription has ended, and cannot be void.
    if let invoice = found.latestInvoice, invoice.object?.status != "void", invoice.object?.status != "draft" {
      // The outcome of a payment in progress is known soon.
      guard invoice.object?.intent?.object?.status != "processing" else {
        throw Problem(.requestInProgress, retryAfter: 5)
      }
      do { try await stripe.void(invoice.id) } catch is StripeClient.Refusal {
        // It was paid after it was read; the repetition reads it anew.
        throw Problem(.requestInProgress, retryAfter: 5)
      }
    }
    try await end(reference)
    return true
  }

  private func end(_ reference: String) async throws {
    // A refusal: it has ended already.
    do { try await stripe.cancel(reference) } catch is StripeClient.Refusal {}
  }

  private func perform(_ change: SubscriptionChange, _ row: StoredSubscription) async throws {
    guard let reference = row.reference else { return }
    var refusal: String?
    do {
      switch change.kind {
      case .cancel:
        if try await !endUnpaid(reference) {
          try await stripe.setRenewal(false, of: reference, key: change.key)
        }
      case .revoke: try await end(reference)
      case .method: try await replaceMethod(reference, row, key: change.key)
      case .renewal(let renews): try await stripe.setRenewal(renews, of: reference, key: change.key)
      case .plan(let plan, let quantity, let isDeferred):
        try await update(reference, row, to: plan, quantity, isDeferred, key: change.key)
      }
    } catch let error as StripeClient.Refusal {
      refusal = error.reason
    }
    try await store(row.id) { [refusal] now in
      guard now.change == change else { return }
      (now.change, now.isStale) = (nil, true)
      if change.kind == .method { now.method = nil }
      guard refusal != nil, case .plan(let plan, let quantity, true) = change.kind else { return }
      // A change that was refused does not begin; a refused withdrawal leaves what begins.
      if plan != now.plan || quantity != now.quantity { (now.nextPlan, now.nextQuantity) = (nil, nil) }
    }
    if let refusal { throw Refused(reason: refusal) }
  }

  /// Attaches a card to a customer; it is detached unless it pays for the plan in the end.
  private func attach(_ token: ProviderToken, to customer: String, _ plan: SubscriptionID, key: String) async throws
    -> ProviderToken
  {
    let card = try await stripe.attach(token, to: customer, key: key)
    try await database.write { [cleanup] tx in try cleanup.release(card, of: customer, for: plan, in: tx) }
    return card
  }

  /// Charges the renewal that is due first: a card that is declined replaces none.
  private func replaceMethod(_ reference: String, _ row: StoredSubscription, key: String) async throws {
    guard let token = row.method, let found = try await stripe.get(reference),
      let customer = found.customer?.id ?? row.customer
    else { throw StripeClient.Refusal(reason: "resource_missing", payment: nil) }
    let method = row.isMethodKept ? token : try await attach(token, to: customer, row.id, key: "\(key)-method")
    if let former = found.method {
      try await database.write { [cleanup] tx in try cleanup.release(former, of: customer, for: row.id, in: tx) }
    }
    if found.isUnpaid, let invoice = found.latestInvoice?.id {
      try await stripe.pay(invoice, with: method, key: "\(key)-pay")
    }
    try await stripe.setMethod(method, of: reference, key: key)
  }

  private func update(
    _ reference: String, _ row: StoredSubscription, to plan: String, _ quantity: Int, _ isDeferred: Bool, key: String
  ) async throws {
    guard let price = transitions.plan(plan)?.stripePrice, let found = try await stripe.get(reference),
      let item = found.item
    else { throw StripeClient.Refusal(reason: "resource_missing", payment: nil) }
    // The difference is computed from what is paid, not from the cheaper plan of the next period.
    if !isDeferred, row.hasNext, let paid = transitions.plan(row.plan)?.stripePrice {
      try await stripe.update(
        reference, item: item.id, price: paid, quantity: row.quantity, isDeferred: true, key: "\(key)-restore")
      try await store(row.id) { ($0.nextPlan, $0.nextQuantity) = (nil, nil) }
    }
    try await stripe.update(
      reference, item: item.id, price: price, quantity: quantity, isDeferred: isDeferred, key: key)
  }

  /// Reads Stripe's state. If the row has changed meanwhile, what was read may be old and is read anew.
  private func refresh(_ row: StoredSubscription) async throws {
    guard let reference = row.reference else { return }
    let asked = time.now()
    let found = try await stripe.get(reference)
    var payments: [String: PlanPayment.State] = [:]
    for payment in row.contested { payments[payment] = try await stripe.payment(payment, at: asked)?.state ?? .kept }
    try await database.write { [transitions, cleanup, payments] tx in
      guard var now = try transitions.store.find(row.id, in: tx), now.version == row.version else { return }
      guard let found else { return try transitions.fail(now.id, "resource_missing", in: tx) }
      now.apply(payments)
      try transitions.apply(found.standing(at: asked), to: &now, in: tx)
      now.settleContested(payments)
      now.isStale = false
      if now.user == nil, now.renews, now.change == nil {
        now.change = SubscriptionChange(key: "\(now.id)-ownerless-\(now.version)", kind: .cancel)
      }
      if !now.isLiving, let card = found.method, let customer = found.customer?.id ?? now.customer {
        try cleanup.release(card, of: customer, for: now.id, in: tx)
      }
      try transitions.update(&now, in: tx)
    }
  }
}
