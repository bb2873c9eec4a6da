import Contracts
import Persistence
import ServiceKit

/// Starts another payment for an order that is awaiting payment.
struct PayOrder: Feature {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let methods: PaymentMethodStore
  let providers: Providers
  let workflow: OrderWorkflow
  let view: OrderView
  let ids: IDGenerator

  init(_ core: OrdersCore) {
    (database, orders, payments, methods) = (core.database, core.orders, core.payments, core.methods)
    (providers, workflow, view, ids) = (core.providers, core.workflow, core.view, core.ids)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.PayOrder.self) { request, call in
      try await begin(request, call)
      try await workflow.advance(request.id)
      let user = try call.user.id
      return try await database.read { [view] db in try view.one(request.id, for: user, in: db) }
    }
  }

  private func begin(_ request: OrdersAPI.PayOrder, _ call: Call) async throws {
    let (user, choice) = (try call.user.id, request.body)
    _ = try providers[choice.provider]
    try await database.write { tx in
      _ = try tx.idempotent(call.idempotencyKey) {
        let order = try orders.get(request.id, in: tx)
        guard order.userID == user, order.stock != .reserving else { throw Problem(.orderNotFound) }
        guard order.status == .pendingPayment, order.paymentStatus != .paid, order.due > 0,
          order.payBy.map({ $0 > tx.now }) ?? true
        else { throw Problem(.orderNotPayable) }
        let attempts = try payments.list(of: order.id, in: tx)
        // A pending attempt does not block another one: the buyer may have abandoned it.
        guard !attempts.contains(where: { $0.status == .created }) else { throw Problem(.paymentInProgress) }
        let token = try methods.token(of: choice, user: user, in: tx)
        let payment = StoredPayment(
          id: ids.make(),
          orderID: order.id,
          provider: choice.provider,
          amount: Money(order.due, order.currency)
        )
        try payments.insert(payment, token: token, in: tx)
        try workflow.schedule(order.id, in: tx)
        return payment.id
      }
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try PaymentStore.eraseOrphans(in: tx) }
}
