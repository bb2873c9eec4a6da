import Contracts
import Persistence
import ServiceKit

/// The transitions of an order, one transaction each. Each of them first checks that the order is still in the expected
/// state, so that a transition that is repeated or comes too late changes nothing.
struct OrderTransitions: Sendable {
  let orders: OrderStore
  let payments: PaymentStore
  let carts: CartStore
  let licenses: LicenseStore
  let postings: SalePostings
  let auctions: AuctionTransitions
  let ids: IDGenerator

  static let actor = "service:orders"

  // MARK: stock

  func stockReserved(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    order.stock = .held
    try orders.update(&order, by: Self.actor, in: tx)
    if let cart = order.cartID { try carts.finish(cart, of: order.userID, in: tx) }
  }

  /// Insufficient stock: deletes the order and unlocks the cart.
  func reject(_ id: OrderID, in tx: Transaction) throws {
    guard let order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    try ExclusiveRights.release(id, in: tx)
    try LedgerStore.voidHold(LedgerStore.creditHold(of: id), in: tx)
    if let cart = order.cartID { try carts.unlock(cart, in: tx) }
    let lines = try orders.lines(of: [order], in: tx)[id] ?? []
    try OrderMedia.ended(id, lines, version: order.version + 1, in: tx)
    try orders.delete(id, in: tx)
  }

  // MARK: payment

  /// Applies the provider's result of a payment.
  func paid(_ payment: StoredPayment, _ outcome: PaymentOutcome, in tx: Transaction) throws {
    let known = try payments.list(of: payment.orderID, in: tx).first { $0.id == payment.id }
    // A success after a failure counts, because buyers retry with the same intent. A success is final.
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
    try LedgerStore.post([transfer], in: tx)
    guard order.status == .pendingPayment, order.paymentStatus != .paid, payment.amount.amount == order.due,
      payment.amount.currency == order.currency, try markPaid(&order, in: tx)
    else {
      // The order has ended, or is already paid: the payment is refunded automatically.
      let refund = StoredRefund(
        id: ids.make(),
        orderID: order.id,
        payment: payment.id,
        amount: payment.amount,
        isSurplus: true,
        reason: "the order had already ended or been paid"
      )
      return try RefundStore.insert(refund, in: tx)
    }
  }

  /// Marks an order with no amount due as paid.
  func settleFree(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.due == 0,
      order.paymentStatus == .unpaid
    else { return }
    if try !markPaid(&order, in: tx) { try cancel(id, by: Self.actor, reason: "insufficient store credit", in: tx) }
  }

  /// - Returns: `false` when the store credit held for the order is no longer available; the order is then not paid.
  private func markPaid(_ order: inout StoredOrder, in tx: Transaction) throws -> Bool {
    if order.credit > 0 {
      let hold = LedgerStore.creditHold(of: order.id)
      guard try LedgerStore.postHold(hold, to: .order(order.id), code: "payment", order: order.id, in: tx) else {
        return false
      }
    }
    order.paymentStatus = .paid
    try orders.update(&order, by: Self.actor, in: tx)
    return true
  }

  // MARK: final states

  /// Places an order that is paid and in stock: grants its licenses and distributes its money.
  func place(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus == .paid else {
      return
    }
    let lines = try orders.lines(of: [order], in: tx)[id] ?? []
    order.status = .placed
    order.placedAt = tx.now
    order.payBy = nil
    if order.stock == .held { order.stock = .committed }
    // Granting a license delivers it.
    order.fulfillmentStatus = lines.contains { $0.line.product != nil } ? .processing : .delivered
    try orders.update(&order, by: Self.actor, in: tx)
    try postings.sell(order, lines, in: tx)
    for line in lines where line.terms?.kind == .exclusive {
      if let listing = line.line.listingID { try ExclusiveRights.endOthers(listing, in: tx) }
    }
    try licenses.grant(order, lines, in: tx)
    // Surplus payments may still have to be refunded.
    if try !RefundStore.list(of: id, in: tx).contains(where: { $0.status == .pending }) {
      try OrderWorkflow.Queue.cancel(id, in: tx)
    }
    try notify(order, "order.placed", in: tx)
    for seller in Set(lines.compactMap(\.sellerID)) {
      try tx.record(RealtimeEvent(to: seller, "license.sold", ["order": .string(id.rawValue)]))
    }
  }

  /// Expires an order that was not paid in time.
  func expire(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus != .paid,
      let payBy = order.payBy, tx.now >= payBy
    else { return }
    order.status = .expired
    try abandon(&order, wasPaid: false, reason: "not paid in time", by: Self.actor, in: tx)
  }

  /// Updates the offer or auction from which an unpaid order resulted.
  private func releaseSource(_ order: StoredOrder, in tx: Transaction) throws {
    switch order.source {
    case .cart: break
    case .offer:
      if let offer = try OfferStore.expirePayment(of: order.id, in: tx) { try Offers.announce(offer, in: tx) }
    case .auction: try auctions.winnerDefaulted(order, in: tx)
    }
  }

  /// Cancels an order that has not shipped: what was paid is refunded, and its stock is released.
  func cancel(_ id: OrderID, by actor: String, reason: String?, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx) else { throw Problem(.orderNotFound) }
    guard order.status != .canceled else { return }
    let wasPaid = order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded
    order.status = .canceled
    if order.fulfillmentStatus != nil { order.fulfillmentStatus = .canceled }
    try abandon(&order, wasPaid: wasPaid, reason: reason, by: actor, in: tx)
    guard wasPaid else { return }
    let left = order.totals.total - (try Refunds.promised(of: id, in: tx))
    _ = try Refunds.add(left, of: order, payments.list(of: id, in: tx), toCredit: false, reason: reason, ids, in: tx)
  }

  private func abandon(
    _ order: inout StoredOrder, wasPaid: Bool, reason: String?, by actor: String, in tx: Transaction
  ) throws {
    if order.stock == .held || order.stock == .committed { order.stock = .releasing }
    order.payBy = nil
    try orders.update(&order, by: actor, reason: reason, in: tx)
    for var payment in try payments.list(of: order.id, in: tx) where payment.isOpen {
      payment.status = .canceled
      try payments.update(payment, in: tx)
    }
    try LedgerStore.voidHold(LedgerStore.creditHold(of: order.id), in: tx)
    try licenses.revoke(order.id, in: tx)
    try ExclusiveRights.release(order.id, in: tx)
    try notify(order, "order.\(order.status.rawValue)", in: tx)
    if !wasPaid { try releaseSource(order, in: tx) }
    // Afterwards, because the next bidder may be offered the recording.
    let lines = try orders.lines(of: [order], in: tx)[order.id] ?? []
    try OrderMedia.ended(order.id, lines, version: order.version, in: tx)
  }

  /// Applies the provider's result of a refund.
  func refunded(_ refund: StoredRefund, _ outcome: RefundOutcome, in tx: Transaction) throws {
    guard try RefundStore.isPending(refund.id, in: tx), var order = try orders.find(refund.orderID, in: tx) else {
      return
    }
    guard case .succeeded = outcome else { return try RefundStore.end(refund.id, as: .failed, in: tx) }
    try RefundStore.end(refund.id, as: .succeeded, in: tx)
    try postings.refund(refund, of: order, payments.list(of: order.id, in: tx), in: tx)
    // A surplus payment was never part of the amount paid for the order.
    guard !refund.isSurplus, order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded else { return }
    order.refunded += refund.amount.amount
    order.paymentStatus = order.refunded >= order.totals.total ? .refunded : .partiallyRefunded
    try orders.update(&order, by: Self.actor, reason: refund.reason, in: tx)
    if order.paymentStatus == .refunded {
      try licenses.revoke(order.id, in: tx)
      try ExclusiveRights.release(order.id, in: tx)
    }
    try notify(order, "order.refunded", in: tx)
  }

  // MARK: refunds and reversals by Apple

  /// Records a refund that Apple has already made.
  func recordAppleRefund(_ order: inout StoredOrder, _ id: RefundID, in tx: Transaction) throws {
    let payment = try payments.list(of: order.id, in: tx).first { $0.provider == .storekit && $0.status == .succeeded }
    guard let payment else { return }
    let refund = StoredRefund(
      id: id,
      orderID: order.id,
      payment: payment.id,
      amount: payment.amount,
      reason: "refunded by Apple"
    )
    try RefundStore.insert(refund, in: tx)
    try refunded(refund, .succeeded, in: tx)
  }

  /// Restores an order after Apple has reversed its refund.
  func recordAppleReversal(_ order: inout StoredOrder, _ id: String, in tx: Transaction) throws {
    guard let payment = try payments.list(of: order.id, in: tx).first(where: { $0.provider == .storekit }) else {
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
    try LedgerStore.post([transfer], in: tx)
    try postings.sell(order, try orders.lines(of: [order], in: tx)[order.id] ?? [], by: id, in: tx)
    order.refunded = 0
    order.paymentStatus = .paid
    try orders.update(&order, by: Self.actor, reason: "refund reversed by Apple", in: tx)
    try licenses.restore(order.id, in: tx)
    try notify(order, "order.restored", in: tx)
  }

  private func notify(_ order: StoredOrder, _ name: String, in tx: Transaction) throws {
    guard let user = order.userID else { return }
    try tx.record(
      RealtimeEvent(to: user, name, ["order": .string(order.id.rawValue), "version": .integer(Int64(order.version))])
    )
  }
}
