import Contracts
import Persistence
import ServiceKit

/// Reads orders, for their buyers and for those who fulfill them.
struct Orders: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListOrders.self) { request, call in
      try await list("user_id = \(call.user.id)", request.page(by: OrderID.self), staff: nil)
    }
    routes.on(OrdersAPI.ListAllOrders.self) { request, call in
      let condition = SQL.and(
        request.status.map { "status = \($0)" }, request.fulfillment.map { "fulfillment_status = \($0)" }
      )
      return try await list(condition, request.page(by: OrderID.self), staff: call.auditActor)
    }
    routes.on(OrdersAPI.GetOrder.self) { request, call in try await get(request.id, call) }
  }

  private func list(_ condition: SQL, _ page: PageRequest<OrderID>, staff: AuditActor?) async throws -> Page<Order> {
    try await core.database.readAudited(by: staff) { db in
      let found = try page.fetch({ try core.orders.list(condition, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(try core.view.several(found.rows, in: db))
    } as: {
      AuditedRead("orders.viewed", object: "orders", viewed: $0.items.map { "order:\($0.id)" })
    }
  }

  private func get(_ id: OrderID, _ call: Call) async throws -> Order {
    let user = try call.user
    return try await core.database.readAudited(by: call.staffActor) { db in
      let order = try core.view.one(id, for: user.id, in: db)
      guard order.ownerID == user.id || user.fulfilsOrders, try core.view.orders.find(id, in: db)?.stock != .reserving
      else {
        throw Problem(.orderNotFound)
      }
      return order
    } as: {
      $0.ownerID == user.id ? nil : AuditedRead("order.viewed", object: "order:\(id)")
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let orders = try core.orders.list("user_id = \(user)", before: nil, limit: 10_000, in: db)
    return [("orders", try JSONValue(core.view.several(orders, in: db)))]
  }

  /// The law requires that orders are retained, but not the personal data in them. What has not shipped is canceled and
  /// refunded; the part that store credit paid returns to the account's balance while the order still names it.
  func erase(_ user: UserID, in tx: Transaction) throws {
    let open = try core.orders.list(
      "user_id = \(user) AND (status = 'pendingPayment' OR fulfillment_status IN ('processing', 'processed'))",
      before: nil, limit: 10_000, in: tx
    )
    for order in open where order.status == .pendingPayment || order.status == .placed {
      try core.cancellation.cancel(order.id, by: OrderStore.service, reason: "the account was deleted", in: tx)
      try core.queue.schedule(order.id, in: tx)
    }
    // Without its seller, a license cannot be granted any more.
    for order in try OrderStore.unplaced(from: user, in: tx) {
      try core.cancellation.cancel(order, by: OrderStore.service, reason: "the seller's account was deleted", in: tx)
      try core.queue.schedule(order, in: tx)
    }
    try OrderStore.erase(user, in: tx)
  }
}

extension UserCaller {
  /// Whether the user may view the orders of others; the token must have the administration scope.
  var fulfilsOrders: Bool { isStaff }

  /// Whether the user may cancel the orders of others. Support may not: canceling a paid order pays money back, which only
  /// those may decide who refund.
  var cancelsOrders: Bool { isStaff && !roles.isDisjoint(with: [.owner, .administrator]) }
}
