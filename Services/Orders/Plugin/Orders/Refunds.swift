import Contracts
import Logging
import Persistence
import ServiceKit

/// Refunds orders, up to the amount paid.
struct Refunds: Feature {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let workflow: OrderWorkflow
  let ids: IDGenerator

  init(_ core: OrdersCore) {
    (database, orders, payments) = (core.database, core.orders, core.payments)
    (workflow, ids) = (core.workflow, core.ids)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.RefundOrder.self) { request, call in
      let id = try await begin(request, call)
      // The provider may be unavailable: the refund is stored, and made later.
      do { try await workflow.advance(request.id) } catch {
        call.logger.warning("a refund is pending", metadata: ["order": "\(request.id)", "error": "\(type(of: error))"])
      }
      return try await database.read { db in
        guard let refund = try RefundStore.list(of: request.id, in: db).first(where: { $0.id == id }) else {
          throw Problem(.orderNotFound)
        }
        return refund.response
      }
    }
  }

  private func begin(_ request: OrdersAPI.RefundOrder, _ call: Call) async throws -> RefundID {
    try await database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let order = try orders.get(request.id, in: tx)
        guard order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded else {
          throw Problem(.orderNotPaid)
        }
        let left = order.totals.total - (try Self.promised(of: order.id, in: tx))
        let amount = request.amount ?? Money(left, order.currency)
        guard amount.currency == order.currency else { throw Problem(.currencyMismatch) }
        guard amount.amount > 0, amount.amount <= left else {
          throw Problem(.refundTooLarge, detail: "The refundable amount is \(Money(left, order.currency)).")
        }
        let first = try Self.add(
          amount.amount,
          of: order,
          payments.list(of: order.id, in: tx),
          toCredit: request.toCredit == true,
          reason: request.reason?.rawValue,
          ids,
          in: tx
        )
        try workflow.schedule(order.id, in: tx)
        let changes = [AuditChange("amount", from: nil, to: amount.description)]
        try tx.audit("order.refunded", object: order.object, by: call.auditActor, changes: changes)
        guard let first else { throw Problem(.refundTooLarge) }
        return first
      }
    }
  }

  // MARK: amounts

  /// The amount of an order that is refunded or pending.
  static func promised(of order: OrderID, in db: any Connection) throws -> Int64 {
    try RefundStore.list(of: order, in: db).filter { $0.status != .failed && !$0.isSurplus }.reduce(0) {
      $0 + $1.amount.amount
    }
  }

  /// Adds refunds for an amount: to the original payment as far as possible, the rest as store credit.
  /// - Returns: The first of these refunds.
  static func add(
    _ amount: Int64,
    of order: StoredOrder,
    _ payments: [StoredPayment],
    toCredit: Bool,
    reason: String?,
    _ ids: IDGenerator,
    in tx: Transaction
  ) throws -> RefundID? {
    let known = try RefundStore.list(of: order.id, in: tx).filter { $0.status != .failed }
    let surplus = Set(known.filter(\.isSurplus).compactMap(\.payment))
    let payment = toCredit ? nil : payments.first { $0.status == .succeeded && !surplus.contains($0.id) }
    let already = known.filter { $0.payment == payment?.id }
    let byPayment = payment.map { min(amount, $0.amount.amount - already.reduce(0) { $0 + $1.amount.amount }) } ?? 0
    // An order without an owner cannot be refunded as store credit.
    let byCredit = order.userID == nil ? 0 : amount - byPayment
    var first: RefundID?
    for (part, source) in [(byPayment, payment?.id), (byCredit, nil)] where part > 0 {
      let refund = StoredRefund(
        id: ids.make(),
        orderID: order.id,
        payment: source,
        amount: Money(part, order.currency),
        reason: reason
      )
      try RefundStore.insert(refund, in: tx)
      first = first ?? refund.id
    }
    return first
  }
}
