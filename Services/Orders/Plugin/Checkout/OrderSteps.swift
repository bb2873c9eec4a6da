import Contracts
import Persistence
import ServiceKit

/// What happens to an order in one transaction each. All of them look first whether the order still is where the step
/// leads from, so that a step that comes again, or too late, changes nothing.
struct OrderSteps: Sendable {
  let orders: OrderStore
  let payments: PaymentStore
  let carts: CartStore
  let licences: LicenceStore
  let books: SaleBooks
  let auctions: AuctionStore
  let ids: IDGenerator

  static let actor = "service:orders"

  // MARK: stock

  func reserved(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    order.stock = .held
    try orders.update(&order, by: Self.actor, in: tx)
    if let cart = order.cartID { try carts.finish(cart, of: order.userID, in: tx) }
  }

  /// There is no stock: the order has never been, and the cart is its owner's again.
  func reject(_ id: OrderID, in tx: Transaction) throws {
    guard let order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    try Claims.release(id, in: tx)
    try Ledger.voidHold(Settlement.creditHold(of: id), in: tx)
    if let cart = order.cartID { try carts.unlock(cart, in: tx) }
    try orders.delete(id, in: tx)
  }

  // MARK: payment

  /// Notes what the provider said of a payment.
  func paid(_ payment: StoredPayment, _ outcome: PaymentOutcome, in tx: Transaction) throws {
    let known = try payments.all(of: payment.orderID, in: tx).first { $0.id == payment.id }
    // A success after a failure counts: buyers try again with the same intent. Nothing undoes a success.
    guard var payment = known, payment.status != .succeeded,
      var order = try orders.find(payment.orderID, in: tx)
    else { return }
    switch outcome {
    case .pending(let reference, let clientSecret):
      guard payment.isOpen else { return }
      payment.status = .pending
      payment.reference = reference
      try payments.update(payment, clientSecret: clientSecret, in: tx)
    case .declined(let reference, let reason):
      guard payment.isOpen else { return }
      payment.status = .failed
      payment.reference = reference ?? payment.reference
      payment.failure = reason
      try payments.update(payment, in: tx)
      guard order.status == .pendingPayment, order.paymentStatus == .unpaid else { return }
      order.paymentStatus = .failed
      try orders.update(&order, by: Self.actor, reason: reason, in: tx)
    case .succeeded(let reference):
      payment.status = .succeeded
      payment.reference = reference
      payment.failure = nil
      try payments.update(payment, in: tx)
      try succeeded(payment, &order, in: tx)
    }
  }

  private func succeeded(_ payment: StoredPayment, _ order: inout StoredOrder, in tx: Transaction) throws {
    let transfer = Transfer(
      id: "\(payment.id):payment",
      from: .provider(payment.provider),
      to: .order(order.id),
      amount: payment.amount,
      code: "payment",
      order: order.id
    )
    try Ledger.post([transfer], in: tx)
    guard order.status == .pendingPayment, order.paymentStatus != .paid, payment.amount.amount == order.due,
      payment.amount.currency == order.currency, try markPaid(&order, in: tx)
    else {
      // The order is over, or paid already: the money goes back by itself.
      let refund = StoredRefund(
        id: ids.make(),
        orderID: order.id,
        payment: payment.id,
        amount: payment.amount,
        isSurplus: true,
        reason: "the order was over"
      )
      return try Refunds.insert(refund, in: tx)
    }
  }

  /// An order that costs nothing more is paid when it is made.
  func settleFree(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.due == 0,
      order.paymentStatus == .unpaid
    else { return }
    if try !markPaid(&order, in: tx) { try cancel(id, by: Self.actor, reason: "the store credit is gone", in: tx) }
  }

  /// - Returns: `false` when the store credit that was kept for it is gone; then it is not paid.
  private func markPaid(_ order: inout StoredOrder, in tx: Transaction) throws -> Bool {
    if order.credit > 0 {
      let hold = Settlement.creditHold(of: order.id)
      guard try Ledger.postHold(hold, to: .order(order.id), code: "payment", order: order.id, in: tx) else {
        return false
      }
    }
    order.paymentStatus = .paid
    try orders.update(&order, by: Self.actor, in: tx)
    return true
  }

  // MARK: the end of the way

  /// Paid and in stock: the order is placed, its licences are granted, its money is whose it is.
  func place(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus == .paid else {
      return
    }
    let lines = try orders.lines(of: [order], in: tx)[id] ?? []
    order.status = .placed
    order.placedAt = tx.now
    order.payBy = nil
    if order.stock == .held { order.stock = .committed }
    // Licences are delivered by being granted.
    order.fulfilmentStatus = lines.contains { $0.line.productID != nil } ? .processing : .delivered
    try orders.update(&order, by: Self.actor, in: tx)
    try books.sell(order, lines, in: tx)
    for line in lines where line.terms?.kind == .exclusive {
      if let listing = line.line.listingID { try Claims.endOthers(listing, in: tx) }
    }
    try licences.grant(order, lines, in: tx)
    // Surplus payments may still have to go back.
    if try !Refunds.all(of: id, in: tx).contains(where: { $0.status == .pending }) { try OrderJobs.cancel(id, in: tx) }
    try tell(order, "order.placed", in: tx)
    for seller in Set(lines.compactMap(\.sellerID)) {
      try tx.record(RealtimeEvent(to: seller, "licence.sold", ["order": .string(id.rawValue)]))
    }
  }

  /// Not paid in time.
  func expire(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus != .paid,
      let payBy = order.payBy, tx.now >= payBy
    else { return }
    order.status = .expired
    try abandon(&order, reason: "not paid in time", by: Self.actor, in: tx)
    try fellThrough(order, in: tx)
  }

  /// What an unpaid order came from learns that it came to nothing.
  private func fellThrough(_ order: StoredOrder, in tx: Transaction) throws {
    switch order.source {
    case .cart: break
    case .offer:
      try tx.execute("UPDATE offers SET status = 'paymentExpired' WHERE order_id = \(order.id) AND status = 'accepted'")
    case .auction: try auctions.winnerDefaulted(order, in: tx)
    }
  }

  /// Cancels an order that has not left the house: what was paid goes back, and the stock with it.
  func cancel(_ id: OrderID, by actor: String, reason: String?, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx) else { throw Problem(.orderNotFound) }
    guard order.status != .canceled else { return }
    let wasPaid = order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded
    order.status = .canceled
    if order.fulfilmentStatus != nil { order.fulfilmentStatus = .canceled }
    try abandon(&order, reason: reason, by: actor, in: tx)
    guard wasPaid else { return try fellThrough(order, in: tx) }
    let left = order.total - (try Refunds.promised(of: id, in: tx))
    _ = try Refunds.add(left, of: order, payments.all(of: id, in: tx), toCredit: false, reason: reason, ids, in: tx)
  }

  private func abandon(_ order: inout StoredOrder, reason: String?, by actor: String, in tx: Transaction) throws {
    if order.stock == .held || order.stock == .committed { order.stock = .releasing }
    order.payBy = nil
    try orders.update(&order, by: actor, reason: reason, in: tx)
    for var payment in try payments.all(of: order.id, in: tx) where payment.isOpen {
      payment.status = .canceled
      try payments.update(payment, in: tx)
    }
    try Ledger.voidHold(Settlement.creditHold(of: order.id), in: tx)
    try licences.revoke(order.id, in: tx)
    try Claims.release(order.id, in: tx)
    try tell(order, "order.\(order.status.rawValue)", in: tx)
  }

  /// Notes what became of a refund.
  func refunded(_ refund: StoredRefund, _ outcome: RefundOutcome, in tx: Transaction) throws {
    guard try Refunds.isPending(refund.id, in: tx), var order = try orders.find(refund.orderID, in: tx) else { return }
    guard case .succeeded = outcome else { return try Refunds.end(refund.id, as: .failed, in: tx) }
    try Refunds.end(refund.id, as: .succeeded, in: tx)
    try books.giveBack(refund, of: order, payments.all(of: order.id, in: tx), in: tx)
    // Money for an order that was over when it came has never been the order's.
    guard !refund.isSurplus, order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded else { return }
    order.refunded += refund.amount.amount
    order.paymentStatus = order.refunded >= order.total ? .refunded : .partiallyRefunded
    try orders.update(&order, by: Self.actor, reason: refund.reason, in: tx)
    if order.paymentStatus == .refunded {
      try licences.revoke(order.id, in: tx)
      try Claims.release(order.id, in: tx)
    }
    try tell(order, "order.refunded", in: tx)
  }

  // MARK: Apple takes back and gives again

  /// Apple has given the buyer's money back: no refund is to be made, only noted.
  func takeBack(_ order: inout StoredOrder, _ id: RefundID, in tx: Transaction) throws {
    let payment = try payments.all(of: order.id, in: tx).first { $0.provider == .storekit && $0.status == .succeeded }
    guard let payment else { return }
    let refund = StoredRefund(
      id: id,
      orderID: order.id,
      payment: payment.id,
      amount: payment.amount,
      reason: "by Apple"
    )
    try Refunds.insert(refund, in: tx)
    try refunded(refund, .succeeded, in: tx)
  }

  /// Apple has taken the money again: the refund never was.
  func restore(_ order: inout StoredOrder, _ id: String, in tx: Transaction) throws {
    guard let payment = try payments.all(of: order.id, in: tx).first(where: { $0.provider == .storekit }) else {
      return
    }
    let transfer = Transfer(
      id: "\(id):payment",
      from: .provider(.storekit),
      to: .order(order.id),
      amount: payment.amount,
      code: "payment",
      order: order.id
    )
    try Ledger.post([transfer], in: tx)
    try books.sell(order, try orders.lines(of: [order], in: tx)[order.id] ?? [], by: id, in: tx)
    order.refunded = 0
    order.paymentStatus = .paid
    try orders.update(&order, by: Self.actor, reason: "by Apple", in: tx)
    try licences.restore(order.id, in: tx)
    try tell(order, "order.restored", in: tx)
  }

  private func tell(_ order: StoredOrder, _ name: String, in tx: Transaction) throws {
    guard let user = order.userID else { return }
    try tx.record(
      RealtimeEvent(to: user, name, ["order": .string(order.id.rawValue), "version": .integer(Int64(order.version))])
    )
  }
}
