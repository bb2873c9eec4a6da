import Contracts

/// The next action for an order, decided from its stored state alone.
enum OrderNextAction: Sendable, Equatable {
  case reserveStock
  /// No amount is due.
  case settleFree
  case pay(StoredPayment)
  /// Commit the reserved stock, then place the order.
  case commitStock
  case place
  case expire
  case releaseStock
  /// Return the stock of canceled lines.
  case reduceStock
  case refund(StoredRefund)
  /// Nothing before this time.
  case wait(until: Timestamp)
  case none

  init(for order: StoredOrder, _ payments: [StoredPayment], _ refunds: [StoredRefund], at now: Timestamp) {
    self = Self.next(order, payments, refunds, at: now)
  }

  private static func next(
    _ order: StoredOrder, _ payments: [StoredPayment], _ refunds: [StoredRefund], at now: Timestamp
  ) -> Self {
    if order.stock == .reserving { return .reserveStock }
    if order.stock == .releasing { return .releaseStock }
    if order.stock == .reducing { return .reduceStock }
    if let refund = refunds.first(where: \.isDue) { return .refund(refund) }
    guard order.status == .pendingPayment else { return .none }
    if order.paymentStatus == .paid { return order.stock == .held ? .commitStock : .place }
    // After the deadline, a provider that has not responded is not called again; a notification reports its result.
    if let payBy = order.payBy, now >= payBy { return .expire }
    if order.due == 0 { return .settleFree }
    if let payment = payments.first(where: { $0.status == .created }) { return .pay(payment) }
    return order.payBy.map { .wait(until: $0) } ?? .none
  }
}
