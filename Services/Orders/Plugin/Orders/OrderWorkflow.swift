import Contracts
import Logging
import Persistence
import ServiceKit

/// Drives orders to a final state: reserves their stock, collects payment, places them, releases stock and refunds
/// money.
///
/// The order itself records what remains to be done (``OrderNextAction``). Each action sends another party a request that
/// may be repeated, and then stores the result in one of the ``OrderTransitions``, which first checks whether it still
/// applies. An action may therefore run twice, or concurrently, and if a process dies, another one continues with the
/// order: one job per order ensures this until nothing is left to do.
struct OrderWorkflow: Sendable {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let catalog: APIClient
  let providers: Providers
  let transitions: OrderTransitions
  let cancellation: OrderCancellation
  let refunds: RefundTransitions
  let queue: OrderQueue
  let time: TimeSource
  let logger: Logger

  /// How long stock and credit stay reserved beyond the payment deadline, so that neither ends before the order, in
  /// seconds.
  static let graceSeconds = 60.0

  /// An order and its next action.
  private struct Plan: Sendable {
    var order: StoredOrder
    /// Only for the actions that reserve and return stock.
    var lines: [StoredLine]
    var action: OrderNextAction
  }

  // MARK: the job

  /// Runs the jobs of orders.
  func worker(_ environment: ServiceEnvironment) throws -> any Worker {
    try DurableJobs<OrderQueue.Work>(OrderQueue.kind, environment, concurrency: 8, attempts: 10_000) { work, _ in
      guard let until = try await advance(work.order) else { return .done }
      // The order waits for its payment until it expires.
      return .retry(afterSeconds: max(1, until.seconds(since: time.now())))
    }
  }

  // MARK: actions

  private func plan(_ id: OrderID, at now: Timestamp, in db: any Connection) throws -> Plan? {
    guard let order = try orders.find(id, in: db) else { return nil }
    let action = OrderNextAction(
      for: order, try payments.list(of: id, in: db), try RefundStore.list(of: id, in: db), at: now
    )
    let lines = action == .reserveStock || action == .reduceStock ? try orders.lines(of: order, in: db) : []
    return Plan(order: order, lines: lines, action: action)
  }

  /// Stores the result of an action, and determines the next one.
  private func store(_ id: OrderID, _ body: @escaping @Sendable (Transaction) throws -> Void) async throws -> Plan? {
    try await database.write { tx in
      try body(tx)
      let next = try plan(id, at: tx.now, in: tx)
      // The order's job may have ended before a payment succeeded that now has to be refunded.
      if case .refund = next?.action { try queue.schedule(id, in: tx) }
      return next
    }
  }

  /// Performs actions until none is left, or until one has to wait.
  /// - Returns: When to continue; `nil` when nothing is left to do.
  @discardableResult
  func advance(_ id: OrderID) async throws -> Timestamp? {
    var next = try await database.read { [now = time.now()] db in try plan(id, at: now, in: db) }
    // Every action leads to another state; more actions than this indicate a cycle.
    for _ in 0..<20 {
      guard let plan = next else { return nil }
      switch plan.action {
      case .none: return nil
      case .wait(let until): return until
      case .reserveStock: next = try await reserveStock(plan.order, plan.lines)
      case .settleFree: next = try await store(id) { tx in try transitions.settleFree(id, in: tx) }
      case .pay(let payment): next = try await pay(payment, of: plan.order)
      case .commitStock: next = try await commitStock(id)
      case .place: next = try await store(id) { tx in try transitions.place(id, in: tx) }
      case .expire: next = try await expire(id)
      case .releaseStock: next = try await releaseStock(id)
      case .reduceStock: next = try await reduceStock(plan.order, plan.lines)
      case .refund(let refund): next = try await perform(refund)
      }
    }
    logger.critical("an order does not reach a final state", metadata: ["order": "\(id)"])
    return nil
  }

  // MARK: stock

  private func reserveStock(_ order: StoredOrder, _ lines: [StoredLine]) async throws -> Plan? {
    let wanted = lines.compactMap { stored -> StockLine? in
      guard let product = stored.line.product, let quantity = Quantity(stored.line.quantity) else { return nil }
      return StockLine(product: product, quantity: quantity)
    }
    let expiresAt = (order.payBy ?? order.createdAt).advanced(bySeconds: Self.graceSeconds)
    let refusal = try await refusal(
      of: CatalogAPI.ReserveStock(id: Self.reservation(order.id), lines: wanted, expiresAt: expiresAt)
    )
    if let refusal {
      try await database.write { [transitions] tx in try transitions.reject(order.id, in: tx) }
      throw Problem(.insufficientStock, detail: refusal.detail, errors: refusal.errors)
    }
    return try await store(order.id) { tx in try transitions.stockReserved(order.id, in: tx) }
  }

  /// The reason why catalog permanently refuses a request; `nil` when it succeeded.
  /// - Throws: When the outcome is unknown, or a retry may succeed.
  private func refusal(of request: some Endpoint) async throws -> Problem? {
    do {
      _ = try await catalog.send(request)
      return nil
    } catch {
      guard case .problem(let problem) = error,
        problem.is(.insufficientStock) || problem.is(.productNotFound) || problem.is(.reservationEnded)
      else { throw error }
      return problem
    }
  }

  /// Commits the reserved stock of a paid order; if it is no longer available, the order is canceled and refunded.
  private func commitStock(_ id: OrderID) async throws -> Plan? {
    let refusal = try await refusal(of: CatalogAPI.CommitReservation(id: Self.reservation(id)))
    return try await store(id) { tx in
      if refusal == nil { return try transitions.place(id, in: tx) }
      try cancellation.cancel(id, by: OrderStore.service, reason: "insufficient stock", in: tx)
    }
  }

  private func releaseStock(_ id: OrderID) async throws -> Plan? {
    _ = try await catalog.send(CatalogAPI.ReleaseReservation(id: Self.reservation(id)))
    return try await store(id) { tx in
      guard var now = try orders.find(id, in: tx), now.stock == .releasing else { return }
      now.stock = .released
      try orders.update(&now, by: OrderStore.service, in: tx)
    }
  }

  /// Returns the stock of canceled lines.
  private func reduceStock(_ order: StoredOrder, _ lines: [StoredLine]) async throws -> Plan? {
    let kept = lines.compactMap { stored -> StockLine? in
      guard let product = stored.line.product, let quantity = Quantity(stored.line.quantity - stored.restocked) else {
        return nil
      }
      return StockLine(product: product, quantity: quantity)
    }
    _ = try await catalog.send(CatalogAPI.ReduceReservation(id: Self.reservation(order.id), lines: kept))
    return try await store(order.id) { tx in
      // Another line may have been canceled meanwhile.
      guard var now = try orders.find(order.id, in: tx), now.stock == .reducing,
        try orders.lines(of: now, in: tx).map(\.restocked) == lines.map(\.restocked)
      else { return }
      now.stock = .committed
      try orders.update(&now, by: OrderStore.service, in: tx)
    }
  }

  private static func reservation(_ order: OrderID) -> ReservationID { ReservationID(trusted: order.rawValue) }

  // MARK: money

  private func pay(_ payment: StoredPayment, of order: StoredOrder) async throws -> Plan? {
    let request = PaymentRequest(
      id: payment.id, user: order.userID, amount: payment.amount, token: try payments.token(of: payment))
    let outcome = try await answer(of: payment.provider) { try await providers[payment.provider].pay(request) }
    return try await store(payment.orderID) { tx in try transitions.paid(payment, outcome, in: tx) }
  }

  /// Asks the provider for the state of a payment that it has started, and stores it.
  /// - Throws: ``Problem`` when the provider does not respond.
  func ask(_ payment: StoredPayment) async throws -> PaymentOutcome? {
    guard let reference = payment.reference, payment.provider != .storekit else { return nil }
    let provider = try providers[payment.provider]
    let outcome = try await answer(of: payment.provider) { try await provider.outcome(of: reference) }
    guard let outcome else { return nil }
    try await database.write { tx in
      try transitions.paid(payment, outcome, in: tx)
      if case .succeeded = outcome { try queue.schedule(payment.orderID, in: tx) }
    }
    return outcome
  }

  /// Calls a provider; a failure is a problem that can be repeated.
  private func answer<Value>(of provider: PaymentProviderName, _ call: () async throws -> Value) async throws -> Value {
    do { return try await call() } catch let problem as Problem {
      throw problem
    } catch {
      logger.warning("a payment provider is not responding", metadata: ["provider": "\(provider.rawValue)"])
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 2)
    }
  }

  /// Expires an order, unless it turns out to be paid: the notification of a payment may be late.
  private func expire(_ id: OrderID) async throws -> Plan? {
    let attempts = try await database.read { [payments] db in try payments.list(of: id, in: db) }
    for payment in attempts where payment.isOpen {
      // The order does not wait for a provider that does not respond.
      do { if case .succeeded = try await ask(payment) { break } } catch let problem as Problem {
        guard problem.is(.unavailable) || problem.is(.providerNotAvailable) else { throw problem }
      }
    }
    return try await store(id) { tx in try transitions.expire(id, in: tx) }
  }

  private func perform(_ refund: StoredRefund) async throws -> Plan? {
    var outcome = RefundOutcome.succeeded(reference: nil)
    if let payment = refund.payment {
      let source = try await database.read { [payments] db in try payments.find(payment, in: db) }
      guard let source, let reference = source.reference else { return nil }
      let request = RefundRequest(
        id: refund.id, reference: reference, amount: refund.amount, createdAt: refund.createdAt
      )
      outcome =
        source.provider == .storekit
        ? .refused(reason: "apple_refunds_itself") : try await providers[source.provider].refund(request)
    }
    if case .refused(let reason) = outcome {
      logger.error("a refund was refused", metadata: ["refund": "\(refund.id)", "reason": "\(reason)"])
    }
    return try await store(refund.orderID) { [outcome] tx in try refunds.refunded(refund, outcome, in: tx) }
  }
}
