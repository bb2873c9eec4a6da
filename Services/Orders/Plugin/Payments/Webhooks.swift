import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Notifications from payment providers: verified first, recorded with their effect in one transaction, and answered
/// immediately.
struct Webhooks: Feature {
  let core: OrdersCore
  let storeKit: StoreKit
  let plans: Plans
  let methods: PaymentMethods

  /// How long after an id was made its row may be missing, in seconds.
  private static let commitSeconds = 3600.0

  init(_ core: OrdersCore, storeKit: StoreKit, plans: Plans, methods: PaymentMethods) {
    self.core = core
    self.storeKit = storeKit
    self.plans = plans
    self.methods = methods
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ReceiveWebhook.self) { request, call in
      if request.provider == .storekit {
        try await storeKit.receive(request.body, call)
      } else {
        let notification = try core.providers[request.provider].notification(call.headers, request.body.bytes)
        try await receive(concerned(notification, request.provider), request.provider, call)
      }
      return WebhookReceipt()
    }
  }

  /// Refunds and disputes of payments that no order has may concern a plan.
  private func concerned(_ notification: ProviderNotification, _ provider: PaymentProviderName) async throws
    -> ProviderNotification
  {
    let contested: String? =
      switch notification.content {
      case .refund(let refund): refund.payment
      case .refunds(let payment): payment
      case .dispute(let dispute): dispute.payment
      default: nil
      }
    guard provider == .stripe, let contested,
      try await !core.database.read({ db in try core.payments.find(provider, contested, in: db) != nil }),
      let notice = try await plans.notice(ofContested: contested)
    else { return notification }
    return ProviderNotification(id: notification.id, content: .subscription(notice))
  }

  private func receive(_ notification: ProviderNotification, _ provider: PaymentProviderName, _ call: Call) async throws
  {
    let isKnown = try await knowsReturnedPayment(notification.content, provider)
    let refunds: [ProviderRefund]
    switch notification.content {
    case .refund(let refund): refunds = [refund]
    case .refunds(let payment): refunds = isKnown ? try await reported(payment, provider) : []
    default: refunds = []
    }
    let order = try await core.database.write { [refunds] tx -> OrderID? in
      guard try WebhookStore.insert(notification.id, of: provider, in: tx) else { return nil }
      switch notification.content {
      case .payment(let id, let reference, let amount, let outcome):
        let named = try id.flatMap { try core.payments.find($0, in: tx) }
        guard let payment = try core.payments.find(provider, reference, in: tx) ?? named else {
          try requireOthers(id, at: tx.now)
          return nil
        }
        guard payment.amount == amount else { throw Problem(.webhookInvalid, detail: "The amount does not match.") }
        try core.transitions.paid(payment, outcome, in: tx)
        try core.queue.schedule(payment.orderID, in: tx)
        return payment.orderID
      case .refund, .refunds: return try scheduled(core.refunds.apply(refunds, from: provider, in: tx), in: tx)
      case .dispute(let dispute): return try scheduled(core.refunds.apply(dispute, from: provider, in: tx), in: tx)
      case .method(let change):
        try methods.apply(change, in: tx)
        return nil
      case .subscription(let subscription):
        try plans.receive(subscription, provider, in: tx)
        return nil
      case .other: return nil
      }
    }
    if case .subscription(let notice) = notification.content { try await plans.follow(notice, provider) }
    guard let order else { return }
    // The effect is committed; the steps that follow from it can also run later.
    do { try await core.workflow.advance(order) } catch {
      call.logger.warning("order processing failed", metadata: ["order": "\(order)", "error": "\(type(of: error))"])
    }
  }

  /// Whether a refund or a dispute is about a payment of an order. The payment has succeeded, whether or not its own
  /// notification was lost.
  private func knowsReturnedPayment(_ content: ProviderNotification.Content, _ provider: PaymentProviderName)
    async throws -> Bool
  {
    let reference: String
    switch content {
    case .refund(let refund): reference = refund.payment
    case .refunds(let payment): reference = payment
    case .dispute(let dispute): reference = dispute.payment
    default: return false
    }
    let payment = try await core.database.read { db in try core.payments.find(provider, reference, in: db) }
    guard let payment else { return false }
    if payment.status != .succeeded { _ = try await core.workflow.ask(payment) }
    return true
  }

  private func reported(_ payment: String, _ provider: PaymentProviderName) async throws -> [ProviderRefund] {
    do { return try await core.providers[provider].refunds(of: payment) } catch {
      // The provider sends the notification again.
      throw Problem(.unavailable, detail: "The payment provider is not responding.", retryAfter: 5)
    }
  }

  /// A payment without a row here is that of another program, of an invoice or of another installation with the same
  /// account, and a provider that is answered with errors again and again stops sending notifications. Only an id made
  /// a moment ago may be ours, with a row that this database does not show yet: the provider sends the notification
  /// again.
  private func requireOthers(_ id: PaymentID?, at now: Timestamp) throws(Problem) {
    guard let madeAt = id?.madeAt, abs(now.seconds(since: madeAt)) < Self.commitSeconds else { return }
    throw Problem(.unavailable, detail: "The payment does not exist yet.", retryAfter: 5)
  }

  /// Schedules an order: a payment that a provider returns may have to be refunded.
  private func scheduled(_ order: OrderID?, in tx: Transaction) throws -> OrderID? {
    if let order { try core.queue.schedule(order, in: tx) }
    return order
  }

  var workers: [any Service] {
    // Providers repeat a notification for days, not weeks.
    [
      PeriodicTask("webhooks.purge", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await core.database.write { tx in
          try WebhookStore.delete(before: tx.now.advanced(bySeconds: -30 * 86_400), in: tx)
        }
      }
    ]
  }
}
