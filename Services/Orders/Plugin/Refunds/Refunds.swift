import Contracts
import Logging
import Observability
import Persistence
import ServiceKit
import ServiceLifecycle

/// Endpoints of refunds. The metric `orders_refunds_failed` counts those that still owe money to buyers.
final class Refunds: Feature {
  private let core: OrdersCore
  private let failed: Metrics.SampledGauge

  init(_ core: OrdersCore) {
    self.core = core
    failed = core.environment.metrics.sampledGauge(
      "orders_refunds_failed", help: "Refunds that failed and still owe money to buyers.")
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.RefundOrder.self) { [self] request, call in
      try await complete(try await begin(request, call), call)
    }
    routes.on(OrdersAPI.RetryRefund.self) { [self] request, call in
      try await complete(try await retry(request, call), call)
    }
    routes.on(OrdersAPI.ListOrderRefunds.self) { [self] request, call in try await list(request, call) }
    routes.on(OrdersAPI.ListRefunds.self) { [self] request, call in
      let condition = SQL.and(request.status.map { "status = \($0)" })
      return try await list(condition, request.page(by: RefundID.self), staff: call.auditActor, of: "refunds")
    }
  }

  var workers: [any Service] {
    [
      PeriodicTask("refunds.count-failed", per: .platform, every: .seconds(60), logger: core.logger) { [self] in
        failed.set(Double(try await core.database.read { try RefundStore.failedCount(in: $0) }))
      }
    ]
  }

  // MARK: reading

  private func list(_ request: OrdersAPI.ListOrderRefunds, _ call: Call) async throws -> Page<Refund> {
    let user = try call.user
    let order = try await core.database.read { [core] db in try core.orders.find(request.id, in: db) }
    guard let order, order.stock != .reserving, order.userID == user.id || user.fulfilsOrders else {
      throw Problem(.orderNotFound)
    }
    let staff = order.userID == user.id ? nil : call.staffActor
    return try await list("order_id = \(request.id)", request.page(by: RefundID.self), staff: staff, of: order.object)
  }

  private func list(
    _ condition: SQL, _ page: PageRequest<RefundID>, staff: AuditActor?, of object: String
  ) async throws -> Page<Refund> {
    try await core.database.readAudited(by: staff) { db in
      let found = try page.fetch(
        { try RefundStore.list(condition, before: $0, limit: $1, in: db) }, key: \.id)
      let parts = try RefundStore.parts(of: found.rows.map(\.id), in: db)
      return found.with(found.rows.map { $0.response(parts[$0.id] ?? []) })
    } as: {
      AuditedRead("refunds.viewed", object: object, viewed: $0.items.map { "refund:\($0.id)" })
    }
  }

  // MARK: refunding

  /// Makes a refund that has been decided, as far as possible now, and answers with it.
  private func complete(_ id: RefundID, _ call: Call) async throws -> Refund {
    let decided = try await core.database.read { db in try RefundStore.find(id, in: db) }
    guard let decided else { throw Problem(.refundNotFound) }
    // The provider may be unavailable: the refund is stored, and made later.
    do { try await core.workflow.advance(decided.orderID) } catch {
      call.logger.warning("a refund is pending", metadata: ["refund": "\(id)", "error": "\(type(of: error))"])
    }
    return try await core.database.read { db in
      let refund = try RefundStore.find(id, in: db) ?? decided
      return refund.response(try RefundStore.parts(of: [id], in: db)[id] ?? [])
    }
  }

  private func begin(_ request: OrdersAPI.RefundOrder, _ call: Call) async throws -> RefundID {
    try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        var sale = try core.orders.sale(try core.orders.get(request.id, in: tx), in: tx)
        // Until an order is placed, its payment can only be refunded as a whole, by canceling it.
        guard sale.order.placedAt != nil, sale.order.paymentStatus != .unpaid else {
          throw Problem(.orderNotPaid)
        }
        let parts = try RefundChoice(request).parts(of: sale)
        let amount = Money(parts.total, sale.order.currency)
        guard amount.amount > 0 else { throw RefundChoice.tooLarge(sale) }
        let capacity = request.toCredit == true ? nil : try core.refunds.refundable(sale.order, in: tx)
        if sale.order.userID == nil, amount.amount > capacity?.left ?? 0 { throw Problem(.creditNotPossible) }
        let reason = request.reason?.rawValue
        let first = try core.refunds.refund(
          parts, of: &sale, toCredit: request.toCredit == true, reason: reason, in: tx)
        sale.cancelRefunded(parts, restock: request.restock == true)
        try core.cancellation.close(&sale, by: call.auditActor.name, reason: reason, in: tx)
        try core.queue.schedule(sale.order.id, in: tx)
        let changes = [AuditChange("amount", from: nil, to: amount.description)]
        try tx.audit("order.refunded", object: sale.order.object, by: call.auditActor, changes: changes)
        guard let first else { throw RefundChoice.tooLarge(sale) }
        return first
      }
    }
  }

  private func retry(_ request: OrdersAPI.RetryRefund, _ call: Call) async throws -> RefundID {
    try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        guard let failed = try RefundStore.find(request.id, in: tx) else { throw Problem(.refundNotFound) }
        let id = try core.refunds.retry(failed, toCredit: request.toCredit ?? true, in: tx)
        try core.queue.schedule(failed.orderID, in: tx)
        let changes = [AuditChange("refund", from: failed.id.rawValue, to: id.rawValue)]
        try tx.audit("refund.retried", object: "order:\(failed.orderID)", by: call.auditActor, changes: changes)
        return id
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let condition: SQL = "order_id IN (SELECT id FROM orders WHERE user_id = \(user))"
    let refunds = try RefundStore.list(condition, before: nil, limit: 10_000, in: db)
    let parts = try RefundStore.parts(of: refunds.map(\.id), in: db)
    return [("refunds", try JSONValue(refunds.map { $0.response(parts[$0.id] ?? []) }))]
  }
}
