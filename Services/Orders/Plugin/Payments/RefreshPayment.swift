import Contracts
import Persistence
import ServiceKit

/// Asks the provider for the state of a payment when the buyer returns, because its notification may come later.
struct RefreshPayment: Feature {
  let core: OrdersCore

  /// The shortest time between two questions about one payment, in seconds.
  private static let askSeconds = 3.0

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.RefreshPayment.self) { request, call in
      let user = try call.user.id
      if let payment = try await claim(request, of: user) { _ = try await core.workflow.ask(payment) }
      try await core.workflow.advance(request.id)
      return try await core.database.read { db in try core.view.one(request.id, for: user, in: db) }
    }
  }

  /// - Returns: The payment to ask for; `nil` when there is nothing to ask, or it was asked a moment ago.
  private func claim(_ request: OrdersAPI.RefreshPayment, of user: UserID) async throws -> StoredPayment? {
    try await core.database.write { tx in
      let order = try core.orders.get(request.id, in: tx)
      guard order.userID == user, order.stock != .reserving else { throw Problem(.orderNotFound) }
      guard let payment = try core.payments.find(request.payment, in: tx), payment.orderID == order.id else {
        throw Problem(.paymentNotFound)
      }
      let isDue = try PaymentStore.claimQuestion(payment.id, every: Self.askSeconds, in: tx)
      return isDue && payment.status != .succeeded ? payment : nil
    }
  }
}
