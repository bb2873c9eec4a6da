import Contracts
import Logging
import Persistence
import ServiceKit

/// Advances and cancels the lines of orders; the order's own status follows from them.
struct Fulfillment: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.UpdateOrder.self) { request, call in try await move(request, call) }
    routes.on(OrdersAPI.CancelOrder.self) { request, call in try await cancel(request, call) }
  }

  private func move(_ request: OrdersAPI.UpdateOrder, _ call: Call) async throws -> Order {
    try await core.database.write { tx in
      var sale = try core.orders.sale(try core.orders.get(request.id, in: tx), in: tx)
      try request.ifMatch?.require(sale.order.version)
      guard let before = sale.order.fulfillmentStatus, sale.order.status == .placed,
        sale.order.paymentStatus != .refunded, request.status != .canceled
      else {
        throw Problem(.invalidTransition, detail: "The order is \(sale.order.status.rawValue).")
      }
      let chosen =
        try request.lines?.map { try sale.line($0.value) }
        ?? sale.lines.filter { $0.isGoods && $0.fulfillmentStatus == before && !$0.isTakenBack }
      let moving = chosen.filter { $0.fulfillmentStatus != request.status }
      if moving.isEmpty, before == request.status || !chosen.isEmpty { return try core.view.one(request.id, in: tx) }
      guard !moving.isEmpty, moving.allSatisfy({ $0.canMove(to: request.status) }) else {
        throw Problem(
          .invalidTransition,
          detail: "Cannot change from \(before.rawValue) to \(request.status.rawValue).",
          errors: moving.filter { !$0.canMove(to: request.status) }.map {
            .init(location: "lines.\($0.position)", message: "is \($0.fulfillmentStatus.rawValue)")
          }
        )
      }
      for line in moving { sale.lines[line.position].fulfillmentStatus = request.status }
      sale.order.carrier = request.carrier?.rawValue ?? sale.order.carrier
      sale.order.tracking = request.tracking?.rawValue ?? sale.order.tracking
      if request.status == .shipped, sale.order.carrier == nil || sale.order.tracking == nil {
        throw Problem(.trackingMissing)
      }
      try core.cancellation.close(&sale, by: call.auditActor.name, reason: request.reason?.rawValue, in: tx)
      let changes = [AuditChange("fulfillment", from: before.rawValue, to: request.status.rawValue)]
      try tx.audit("order.moved", object: sale.order.object, by: call.auditActor, changes: changes)
      try OrderEvents.moved(sale.order, to: request.status, in: tx)
      return try core.view.one(request.id, in: tx)
    }
  }

  private func cancel(_ request: OrdersAPI.CancelOrder, _ call: Call) async throws -> Order {
    let user = try call.user
    try await core.database.write { tx in
      let order = try core.orders.get(request.id, in: tx)
      guard order.userID == user.id || user.fulfilsOrders, order.stock != .reserving else {
        throw Problem(.orderNotFound)
      }
      guard order.userID == user.id || user.cancelsOrders else {
        throw Problem(.forbidden, detail: "Only the owner and administrators cancel the orders of others.")
      }
      guard order.status != .canceled else { return }
      guard order.source == .cart || user.cancelsOrders else {
        throw Problem(.invalidTransition, detail: "An order from an auction or an accepted offer is binding.")
      }
      try core.cancellation.cancel(
        order.id, by: call.auditActor.name, reason: request.reason?.rawValue,
        positions: request.lines?.map(\.value), withLicenses: user.cancelsOrders, in: tx
      )
      try core.queue.schedule(order.id, in: tx)
      try tx.audit("order.canceled", object: order.object, by: call.auditActor)
    }
    // Catalog or the provider may be unavailable: refund and release of stock are recorded, and made later.
    do { try await core.workflow.advance(request.id) } catch {
      call.logger.warning("cancellation pending", metadata: ["order": "\(request.id)", "error": "\(type(of: error))"])
    }
    return try await core.database.read { db in try core.view.one(request.id, for: user.id, in: db) }
  }
}

extension StoredLine {
  /// Whether nothing of it is paid any more.
  fileprivate var isTakenBack: Bool { left.total == 0 && line.gross.amount > 0 }

  fileprivate func canMove(to status: FulfillmentStatus) -> Bool {
    isGoods && !isTakenBack && fulfillmentStatus.successors.contains(status)
  }
}
