import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Notifications from payment providers: verified first, recorded with their effect in one transaction, and answered
/// immediately.
struct Webhooks: Feature {
  let database: any Database
  let payments: PaymentStore
  let providers: Providers
  let transitions: OrderTransitions
  let workflow: OrderWorkflow
  let storeKit: StoreKit
  let plans: Plans
  let logger: Logger

  init(_ core: OrdersCore, storeKit: StoreKit, plans: Plans) {
    (database, payments, providers) = (core.database, core.payments, core.providers)
    (transitions, workflow) = (core.transitions, core.workflow)
    (self.storeKit, self.plans, logger) = (storeKit, plans, core.logger)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ReceiveWebhook.self) { request, call in
      if request.provider == .storekit {
        try await storeKit.receive(request.body, call)
      } else {
        let notification = try providers[request.provider].notification(call.headers, request.body.bytes)
        try await receive(notification, request.provider, call)
      }
      return WebhookReceipt()
    }
  }

  private func receive(_ notification: ProviderNotification, _ provider: PaymentProviderName, _ call: Call) async throws
  {
    let order = try await database.write { tx -> OrderID? in
      guard try WebhookStore.insert(notification.id, of: provider, in: tx) else { return nil }
      switch notification.content {
      case .payment(let id, let reference, let amount, let outcome):
        let named = try id.flatMap { try payments.find($0, in: tx) }
        guard let payment = try payments.find(provider, reference, in: tx) ?? named else {
          // It may arrive before the response to the request that created the payment: the provider sends it again.
          throw Problem(.unavailable, detail: "The payment does not exist yet.", retryAfter: 5)
        }
        guard payment.amount == amount else { throw Problem(.webhookInvalid, detail: "The amount does not match.") }
        try transitions.paid(payment, outcome, in: tx)
        try workflow.schedule(payment.orderID, in: tx)
        return payment.orderID
      case .subscription(let subscription):
        try plans.record(subscription, provider, in: tx)
        return nil
      case .other: return nil
      }
    }
    guard let order else { return }
    // The effect is committed; the steps that follow from it can also run later.
    do { try await workflow.advance(order) } catch {
      call.logger.warning("order processing failed", metadata: ["order": "\(order)", "error": "\(type(of: error))"])
    }
  }

  var workers: [any Service] {
    // Providers repeat a notification for days, not weeks.
    [
      PeriodicTask("webhooks.purge", every: .seconds(3600), logger: logger) {
        try await database.write { tx in
          try WebhookStore.delete(before: tx.now.advanced(bySeconds: -30 * 86_400), in: tx)
        }
      }
    ]
  }
}
