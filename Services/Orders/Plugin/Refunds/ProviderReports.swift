import Contracts
import Persistence
import ServiceKit

/// The transitions for refunds and disputes that payment providers report.
extension RefundTransitions {
  /// Applies the states of refunds: those of our own end them, others are the provider's own account.
  /// - Returns: The order; `nil` when the payment is not one of an order.
  func apply(_ reports: [ProviderRefund], from provider: PaymentProviderName, in tx: Transaction) throws -> OrderID? {
    var changed: OrderID?
    for report in reports {
      guard let payment = try payments.find(provider, report.payment, in: tx),
        var order = try orders.find(payment.orderID, in: tx)
      else { continue }
      changed = order.id
      if let id = report.id, let refund = try RefundStore.find(id, in: tx), refund.payment == payment.id {
        try refunded(refund, report.outcome, in: tx)
        continue
      }
      try check(report.amount, of: order)
      if case .refused(let reason) = report.outcome {
        try providerGaveBack(
          &order, payment: payment, amount: report.amount, reason: reason, reference: report.reference, in: tx)
      } else {
        try providerTookBack(
          &order, payment: payment, amount: report.amount, reason: "refunded by \(provider.rawValue)",
          reference: report.reference, in: tx)
      }
    }
    return changed
  }

  func apply(_ dispute: ProviderDispute, from provider: PaymentProviderName, in tx: Transaction) throws -> OrderID? {
    guard let payment = try payments.find(provider, dispute.payment, in: tx),
      var order = try orders.find(payment.orderID, in: tx)
    else { return nil }
    try check(dispute.amount, of: order)
    let book = dispute.isTakenBack ? providerTookBack : providerGaveBack
    try book(&order, payment, dispute.amount, dispute.reason, dispute.reference, tx)
    return order.id
  }

  private func check(_ amount: Money, of order: StoredOrder) throws(Problem) {
    guard amount.currency == order.currency, amount.amount > 0 else {
      throw Problem(.webhookInvalid, detail: "The amount does not match.")
    }
  }
}
