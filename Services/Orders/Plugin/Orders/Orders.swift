import Contracts
import Logging
import Persistence
import ServiceKit

/// Endpoints of orders for their buyers and for those who fulfill them.
struct Orders: Feature {
  let database: any Database
  let store: OrderStore
  let view: OrderView
  let transitions: OrderTransitions
  let workflow: OrderWorkflow

  init(_ core: OrdersCore) {
    (database, store, view) = (core.database, core.orders, core.view)
    (transitions, workflow) = (core.transitions, core.workflow)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListOrders.self) { request, call in
      try await list("user_id = \(call.user.id)", request.page(by: OrderID.self))
    }
    routes.on(OrdersAPI.ListAllOrders.self) { request, _ in
      let condition = SQL.and(
        request.status.map { "status = \($0)" }, request.fulfillment.map { "fulfillment_status = \($0)" }
      )
      return try await list(condition, request.page(by: OrderID.self))
    }
    routes.on(OrdersAPI.GetOrder.self) { request, call in try await get(request.id, for: call.user) }
    routes.on(OrdersAPI.UpdateOrder.self) { request, call in try await move(request, call) }
    routes.on(OrdersAPI.CancelOrder.self) { request, call in try await cancel(request, call) }
  }

  private func list(_ condition: SQL, _ page: PageRequest<OrderID>) async throws -> Page<Order> {
    try await database.read { [store, view] db in
      let found = try page.fetch({ try store.list(condition, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(try view.several(found.rows, in: db))
    }
  }

  private func get(_ id: OrderID, for user: UserCaller) async throws -> Order {
    try await database.read { [view] db in
      let order = try view.one(id, for: user.id, in: db)
      guard order.ownerID == user.id || user.fulfilsOrders, try view.orders.find(id, in: db)?.stock != .reserving else {
        throw Problem(.orderNotFound)
      }
      return order
    }
  }

  // MARK: fulfillment

  private func move(_ request: OrdersAPI.UpdateOrder, _ call: Call) async throws -> Order {
    try await database.write { [store, view] tx in
      var order = try store.get(request.id, in: tx)
      try request.ifMatch?.require(order.version)
      guard let before = order.fulfillmentStatus, order.status == .placed, order.paymentStatus != .refunded,
        request.status != .canceled
      else {
        throw Problem(.invalidTransition, detail: "The order is \(order.status.rawValue).")
      }
      guard before != request.status else { return try view.one(request.id, in: tx) }
      guard before.successors.contains(request.status) else {
        throw Problem(
          .invalidTransition,
          detail: "Cannot change from \(before.rawValue) to \(request.status.rawValue)."
        )
      }
      order.fulfillmentStatus = request.status
      order.carrier = request.carrier?.rawValue ?? order.carrier
      order.tracking = request.tracking?.rawValue ?? order.tracking
      if request.status == .shipped, order.carrier == nil || order.tracking == nil {
        throw Problem(.trackingMissing)
      }
      try store.update(&order, by: call.auditActor.name, reason: request.reason?.rawValue, in: tx)
      let changes = [AuditChange("fulfillment", from: before.rawValue, to: request.status.rawValue)]
      try tx.audit("order.moved", object: order.object, by: call.auditActor, changes: changes)
      if let buyer = order.userID {
        let data: JSONValue = ["order": .string(order.id.rawValue), "status": .string(request.status.rawValue)]
        try tx.record(RealtimeEvent(to: buyer, "order.moved", data))
      }
      return try view.one(request.id, in: tx)
    }
  }

  private func cancel(_ request: OrdersAPI.CancelOrder, _ call: Call) async throws -> Order {
    let user = try call.user
    try await database.write { [store, transitions, workflow] tx in
      let order = try store.get(request.id, in: tx)
      guard order.userID == user.id || user.fulfilsOrders, order.stock != .reserving else {
        throw Problem(.orderNotFound)
      }
      guard order.status != .canceled else { return }
      guard order.source == .cart || user.fulfilsOrders else {
        throw Problem(.invalidTransition, detail: "An order from an auction or an accepted offer is binding.")
      }
      try transitions.cancel(order.id, by: call.auditActor.name, reason: request.reason?.rawValue, in: tx)
      try workflow.schedule(order.id, in: tx)
      try tx.audit("order.canceled", object: order.object, by: call.auditActor)
    }
    // Catalog or the provider may be unavailable: refund and release of stock are recorded, and made later.
    do { try await workflow.advance(request.id) } catch {
      call.logger.warning("cancellation pending", metadata: ["order": "\(request.id)", "error": "\(type(of: error))"])
    }
    return try await get(request.id, for: user)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let orders = try store.list("user_id = \(user)", before: nil, limit: 10_000, in: db)
    return [("orders", try JSONValue(view.several(orders, in: db)))]
  }

  /// The law requires that orders are retained, but not the personal data in them. Orders that have not shipped are
  /// canceled, and refunded to the original payment.
  func erase(_ user: UserID, in tx: Transaction) throws {
    let open = try store.list(
      "user_id = \(user) AND (status = 'pendingPayment' OR fulfillment_status IN ('processing', 'processed'))",
      before: nil, limit: 10_000, in: tx
    )
    for order in open where order.status == .pendingPayment || order.status == .placed {
      try transitions.cancel(order.id, by: OrderTransitions.actor, reason: "the account was deleted", in: tx)
      try workflow.schedule(order.id, in: tx)
    }
    try OrderStore.erase(user, in: tx)
  }
}

extension UserCaller {
  /// Whether the user may view and update the orders of others; the token must have the administration scope.
  var fulfilsOrders: Bool {
    scopes.contains(Scope.administration.rawValue) && !roles.isDisjoint(with: [.owner, .administrator, .support])
  }
}
