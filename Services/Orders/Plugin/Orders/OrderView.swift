import Contracts
import Persistence

/// Orders as shown to their buyers and to those who fulfill them.
struct OrderView: Sendable {
  let orders: OrderStore
  let payments: PaymentStore

  /// - Parameter viewer: If it is the buyer, the order includes the client secret with which the app completes a
  ///   payment.
  func one(_ id: OrderID, for viewer: UserID? = nil, in db: any Connection) throws -> Order {
    let stored = try orders.get(id, in: db)
    guard var order = try several([stored], in: db).first else { throw Problem(.orderNotFound) }
    order.changes = try orders.changes(of: id, in: db)
    if let viewer, viewer == order.ownerID, let payment = try payments.last(of: [id], in: db)[id] {
      order.payment?.clientSecret = try payments.secret(of: payment)
    }
    return order
  }

  func several(_ stored: [StoredOrder], in db: any Connection) throws -> [Order] {
    let lines = try orders.lines(of: stored, in: db)
    let last = try payments.last(of: stored.map(\.id), in: db)
    let open = try RefundStore.open(of: stored.map(\.id), in: db)
    return try stored.map { order in
      let totals = order.totals
      func money(_ amount: Int64) -> Money { Money(amount, totals.currency) }
      var visible = Order(
        id: order.id,
        ownerID: order.userID,
        status: order.status,
        paymentStatus: order.paymentStatus,
        fulfillmentStatus: order.fulfillmentStatus,
        lines: (lines[order.id] ?? []).map { stored in
          OrderLine(
            stored.line, position: stored.position,
            fulfillmentStatus: order.fulfillmentStatus.map { _ in stored.fulfillmentStatus },
            returned: money(stored.returned.total)
          )
        },
        subtotal: money(totals.subtotal),
        tax: money(totals.tax),
        shipping: money(totals.shipping),
        total: money(totals.total),
        credit: money(order.credit),
        refunded: money(order.refunded),
        refundPending: open[order.id]?.pending.map(money),
        refundFailed: open[order.id]?.failed.map(money),
        shippingAddress: try orders.address(of: order),
        carrier: order.carrier,
        tracking: order.tracking,
        payBy: order.status == .pendingPayment ? order.payBy : nil,
        payment: last[order.id].map { payments.response($0) },
        createdAt: order.createdAt,
        placedAt: order.placedAt,
        changes: nil,
        version: order.version
      )
      visible.region = order.region
      return visible
    }
  }
}
