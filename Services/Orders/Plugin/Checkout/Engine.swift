import Contracts
import Logging
import Persistence
import ServiceKit

/// The steps of ``Settlement`` that call other services and payment providers.
struct Engine: Sendable {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let catalog: APIClient
  let providers: Providers
  let steps: OrderSteps
  let time: TimeSource
  let logger: Logger

  /// The next action for an order.
  enum Step: Sendable, Equatable {
    case reserve
    /// No amount is due.
    case settle
    case pay(StoredPayment)
    case sell
    case place
    case expire
    case giveBack
    case refund(StoredRefund)
    /// No action before this time.
    case wait(until: Timestamp)
    case rest
  }

  static func next(_ order: StoredOrder, _ payments: [StoredPayment], _ refunds: [StoredRefund], at now: Timestamp)
    -> Step
  {
    if order.stock == .reserving { return .reserve }
    if order.stock == .releasing { return .giveBack }
    if let refund = refunds.first(where: { $0.status == .pending }) { return .refund(refund) }
    guard order.status == .pendingPayment else { return .rest }
    if order.paymentStatus == .paid { return order.stock == .held ? .sell : .place }
    // After the deadline, a provider that has not responded is not called again; a notification reports its result.
    if let payBy = order.payBy, now >= payBy { return .expire }
    if order.due == 0 { return .settle }
    if let payment = payments.first(where: { $0.status == .created }) { return .pay(payment) }
    return order.payBy.map { .wait(until: $0) } ?? .rest
  }

  /// An order and its next action.
  private struct Plan: Sendable {
    var order: StoredOrder
    /// Only for the step that reserves stock.
    var lines: [StoredLine]
    var step: Step
  }

  private func plan(_ id: OrderID, at now: Timestamp, in db: any Connection) throws -> Plan? {
    guard let order = try orders.find(id, in: db) else { return nil }
    let step = Self.next(order, try payments.all(of: id, in: db), try Refunds.all(of: id, in: db), at: now)
    let lines = step == .reserve ? try orders.lines(of: [order], in: db)[id] ?? [] : []
    return Plan(order: order, lines: lines, step: step)
  }

  /// Stores the result of a step, and determines the next one.
  private func note(_ id: OrderID, _ body: @escaping @Sendable (Transaction) throws -> Void) async throws -> Plan? {
    try await database.write { tx in
      try body(tx)
      return try plan(id, at: tx.now, in: tx)
    }
  }

  /// Runs steps until none is left, or until one has to wait.
  /// - Returns: When to continue; `nil` when nothing is left to do.
  func advance(_ id: OrderID) async throws -> Timestamp? {
    var next = try await database.read { [now = time.now()] db in try plan(id, at: now, in: db) }
    // Every step leads to another state; more steps than this indicate a cycle.
    for _ in 0..<20 {
      guard let plan = next else { return nil }
      switch plan.step {
      case .rest: return nil
      case .wait(let until): return until
      case .reserve: next = try await reserve(plan.order, plan.lines)
      case .settle: next = try await note(id) { tx in try steps.settleFree(id, in: tx) }
      case .pay(let payment): next = try await pay(payment)
      case .sell: next = try await sell(id)
      case .place: next = try await note(id) { tx in try steps.place(id, in: tx) }
      case .expire: next = try await note(id) { tx in try steps.expire(id, in: tx) }
      case .giveBack: next = try await giveBack(id)
      case .refund(let refund): next = try await give(refund)
      }
    }
    logger.critical("an order does not reach a final state", metadata: ["order": "\(id)"])
    return nil
  }

  // MARK: stock

  private func reserve(_ order: StoredOrder, _ lines: [StoredLine]) async throws -> Plan? {
    let wanted = lines.compactMap { stored -> StockLine? in
      guard let id = stored.line.productID, let quantity = Quantity(stored.line.quantity) else { return nil }
      return StockLine(product: ProductReference(productID: id, variantID: stored.line.variantID), quantity: quantity)
    }
    let expiresAt = (order.payBy ?? order.createdAt).advanced(bySeconds: Settlement.graceSeconds)
    let refusal = try await refusal(
      of: CatalogAPI.ReserveStock(id: Self.reservation(order.id), lines: wanted, expiresAt: expiresAt)
    )
    if let refusal {
      try await database.write { [steps] tx in try steps.reject(order.id, in: tx) }
      throw Problem(.insufficientStock, detail: refusal.detail, errors: refusal.errors)
    }
    return try await note(order.id) { tx in try steps.reserved(order.id, in: tx) }
  }

  /// Why catalog permanently refuses a request; `nil` when it succeeded.
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
  private func sell(_ id: OrderID) async throws -> Plan? {
    let refusal = try await refusal(of: CatalogAPI.CommitReservation(id: Self.reservation(id)))
    return try await note(id) { tx in
      if refusal == nil { return try steps.place(id, in: tx) }
      try steps.cancel(id, by: OrderSteps.actor, reason: "insufficient stock", in: tx)
    }
  }

  private func giveBack(_ id: OrderID) async throws -> Plan? {
    _ = try await catalog.send(CatalogAPI.ReleaseReservation(id: Self.reservation(id)))
    return try await note(id) { tx in
      guard var now = try orders.find(id, in: tx), now.stock == .releasing else { return }
      now.stock = .released
      try orders.update(&now, by: OrderSteps.actor, in: tx)
    }
  }

  private static func reservation(_ order: OrderID) -> ReservationID { ReservationID(trusted: order.rawValue) }

  // MARK: money

  private func pay(_ payment: StoredPayment) async throws -> Plan? {
    let request = PaymentRequest(id: payment.id, amount: payment.amount, token: try payments.token(of: payment))
    let outcome: PaymentOutcome
    do { outcome = try await providers[payment.provider].pay(request) } catch let problem as Problem {
      throw problem
    } catch {
      logger.warning("a payment provider is not responding", metadata: ["provider": "\(payment.provider.rawValue)"])
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 2)
    }
    return try await note(payment.orderID) { tx in try steps.paid(payment, outcome, in: tx) }
  }

  private func give(_ refund: StoredRefund) async throws -> Plan? {
    var outcome = RefundOutcome.succeeded
    if let payment = refund.payment {
      let paid = try await database.read { [payments] db in try payments.all(of: refund.orderID, in: db) }
      guard let source = paid.first(where: { $0.id == payment }), let reference = source.reference else { return nil }
      if source.provider == .storekit {
        outcome = .refused(reason: "apple_refunds_itself")
      } else {
        outcome = try await providers[source.provider].refund(
          RefundRequest(id: refund.id, reference: reference, amount: refund.amount)
        )
      }
    }
    if case .refused(let reason) = outcome {
      logger.error("a refund was refused", metadata: ["refund": "\(refund.id)", "reason": "\(reason)"])
    }
    return try await note(refund.orderID) { [outcome] tx in try steps.refunded(refund, outcome, in: tx) }
  }
}
