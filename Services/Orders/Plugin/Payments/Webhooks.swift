import Contracts
import Logging
import Persistence
import ServiceKit

/// What payment providers tell: proved first, noted with its effect in one transaction, answered at once.
struct Webhooks: Sendable {
  let database: any Database
  let payments: PaymentStore
  let providers: Providers
  let steps: OrderSteps
  let settlement: Settlement
  let storeKit: StoreKit
  let plans: Plans

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ReceiveWebhook.self) { request, call in
      if request.provider == .storekit {
        try await storeKit.receive(request.body, call)
      } else {
        try await receive(providers[request.provider].notification(call.headers, call.body), request.provider, call)
      }
      return WebhookReceipt()
    }
  }

  private func receive(_ notification: ProviderNotification, _ provider: PaymentProviderName, _ call: Call) async throws
  {
    let order = try await database.write { tx -> OrderID? in
      guard try Self.isNew(notification.id, of: provider, in: tx) else { return nil }
      switch notification.content {
      case .payment(let id, let reference, let amount, let outcome):
        let named = try id.flatMap { try payments.find($0, in: tx) }
        guard let payment = try payments.find(provider, reference, in: tx) ?? named else {
          // It may come before the answer to the call that made the payment: the provider tells it again.
          throw Problem(.unavailable, detail: "The payment is not known yet.", retryAfter: 5)
        }
        guard payment.amount == amount else { throw Problem(.webhookInvalid, detail: "The amount is another one.") }
        try steps.paid(payment, outcome, in: tx)
        try settlement.schedule(payment.orderID, in: tx)
        return payment.orderID
      case .subscription(let subscription):
        try plans.note(subscription, provider, in: tx)
        return nil
      case .other: return nil
      }
    }
    guard let order else { return }
    // The effect is kept; what follows from it may also be done later.
    do { try await settlement.advance(order) } catch {
      call.logger.warning("an order waits", metadata: ["order": "\(order)", "error": "\(type(of: error))"])
    }
  }

  /// Notes a notification by its name.
  /// - Returns: `false` for a repetition.
  static func isNew(_ id: String, of provider: PaymentProviderName, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO webhook_events (provider, id, received_at) VALUES (\(provider.rawValue), \(id), \(tx.now))
      ON CONFLICT DO NOTHING
      """
    ) == 1
  }
}
