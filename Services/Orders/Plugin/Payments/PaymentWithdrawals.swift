import Contracts
import Persistence

/// Withdraws attempts to pay, so that no order that has ended, or is paid, is paid by them.
struct PaymentWithdrawals: Sendable {
  let payments: PaymentStore
  let cancellations: PaymentCancellations.Queue

  /// Ends an attempt, at its provider as well.
  func withdraw(_ payment: StoredPayment, in tx: Transaction) throws {
    var payment = payment
    // The app can still repeat one that failed.
    if payment.status != .failed { payment.status = .canceled }
    try payments.update(payment, in: tx)
    try cancellations.schedule(payment, in: tx)
  }

  /// Ends all attempts to pay an order.
  func withdrawAll(of order: OrderID, in tx: Transaction) throws {
    for payment in try payments.list(of: order, in: tx) where payment.status != .succeeded {
      try withdraw(payment, in: tx)
    }
  }
}
