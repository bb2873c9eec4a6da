import Contracts
import Persistence

/// A refund as stored.
struct StoredRefund: Sendable, Equatable {
  var id: RefundID
  var orderID: OrderID
  /// The payment that is refunded; `nil` for a refund to store credit.
  var payment: PaymentID?
  var amount: Money
  /// Whether it refunds a payment that was not due, because the order was already paid or had ended.
  var isSurplus = false
  var status = Refund.Status.pending
  var reason: String?
  var createdAt = Timestamp(microseconds: 0)

  var response: Refund {
    Refund(
      id: id, orderID: orderID, amount: amount, toCredit: payment == nil,
      status: status, reason: reason, createdAt: createdAt
    )
  }
}

enum RefundStore {
  static func list(of order: OrderID, in db: any Connection) throws -> [StoredRefund] {
    try db.all(
      """
      SELECT id, payment_id, amount, currency, is_surplus, status, reason, created_at FROM refunds
      WHERE order_id = \(order) ORDER BY id
      """
    ) { row in
      StoredRefund(
        id: try row["id"], orderID: order, payment: try row["payment_id"],
        amount: try row.money("amount", "currency"), isSurplus: try row["is_surplus"],
        status: try row["status"], reason: try row["reason"], createdAt: try row["created_at"]
      )
    }
  }

  static func isPending(_ id: RefundID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM refunds WHERE id = \(id) AND status = 'pending'")
  }

  static func insert(_ refund: StoredRefund, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO refunds (id, order_id, payment_id, amount, currency, is_surplus, status, reason, created_at)
      VALUES (\(refund.id), \(refund.orderID), \(refund.payment), \(refund.amount.amount), \(refund.amount.currency),
              \(refund.isSurplus), \(refund.status), \(refund.reason), \(tx.now))
      """
    )
  }

  static func end(_ id: RefundID, as status: Refund.Status, in tx: Transaction) throws {
    try tx.execute("UPDATE refunds SET status = \(status) WHERE id = \(id)")
  }
}
