import Contracts
import Persistence
import ServiceKit

/// Asks the provider for the state of a payment when the buyer returns, because its notification may come later.
struct RefreshPayment: Feature {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let providers: Providers
  let workflow: OrderWorkflow
  let view: OrderView

  /// The shortest time between two questions about one payment, in seconds.
  private static let askSeconds = 3.0

  init(_ core: OrdersCore) {
    (database, orders, payments) = (core.database, core.orders, core.payments)
    (providers, workflow, view) = (core.providers, core.workflow, core.view)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.RefreshPayment.self) { request, call in
      let user = try call.user.id
      if let payment = try await claim(request, of: user) { _ = try await workflow.ask(payment) }
      try await workflow.advance(request.id)
      return try await database.read { [view] db in try view.one(request.id, for: user, in: db) }
    }
  }

  /// - Returns: The payment to ask for; `nil` when there is nothing to ask, or it was asked a moment ago.
  private func claim(_ request: OrdersAPI.RefreshPayment, of user: UserID) async throws -> StoredPayment? {
    try await database.write { tx in
      let order = try orders.get(request.id, in: tx)
      guard order.userID == user, order.stock != .reserving else { throw Problem(.orderNotFound) }
      guard let payment = try payments.find(request.payment, in: tx), payment.orderID == order.id else {
        throw Problem(.paymentNotFound)
      }
      let isDue = try PaymentStore.claimQuestion(payment.id, every: Self.askSeconds, in: tx)
      return isDue && payment.status != .succeeded ? payment : nil
    }
  }
}
