import Contracts
import Persistence
import ServiceKit

/// The transitions of an order, one transaction each. Each of them first checks that the order is still in the expected
/// state, so that a transition that is repeated or comes too late changes nothing.
struct OrderTransitions: Sendable {
  let orders: OrderStore
  let carts: CartStore
  let attempts: PaymentAttempts
  let payments: PaymentStore
  let withdrawals: PaymentWithdrawals
  let licenses: LicenseTransitions
  let postings: SalePostings
  let auctions: AuctionTransitions
  let refunds: RefundTransitions
  let cancellation: OrderCancellation

  // MARK: stock

  func stockReserved(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    order.stock = .held
    try orders.update(&order, by: OrderStore.service, in: tx)
    if let cart = order.cartID { try carts.finish(cart, of: order.userID, in: tx) }
  }

  /// Insufficient stock: deletes the order and unlocks the cart.
  func reject(_ id: OrderID, in tx: Transaction) throws {
    guard let order = try orders.find(id, in: tx), order.stock == .reserving else { return }
    try ExclusiveRights.release(id, in: tx)
    try LedgerStore.voidHold(LedgerStore.creditHold(of: id), in: tx)
    if let cart = order.cartID { try carts.unlock(cart, in: tx) }
    let lines = try orders.lines(of: order, in: tx)
    try OrderMedia.ended(id, lines, version: order.version + 1, in: tx)
    if let user = order.userID, try !payments.list(of: id, in: tx).isEmpty {
      try attempts.forget(by: user, in: tx)
    }
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
    case .pending(let reference, let clientSecret), .requiresAction(let reference, let clientSecret):
      payment.reference = reference
      // The order may have ended, or been paid otherwise, before the provider answered.
      guard payment.status != .canceled, order.status == .pendingPayment, order.paymentStatus != .paid else {
        return try withdrawals.withdraw(payment, in: tx)
      }
      // The app may repeat an attempt that failed.
      if case .requiresAction = outcome { payment.status = .requiresAction } else { payment.status = .pending }
      payment.failure = nil
      try payments.update(payment, clientSecret: clientSecret, in: tx)
    case .declined(let reference, let reason):
      guard payment.isOpen else { return }
      payment.status = .failed
      payment.reference = reference ?? payment.reference
      payment.failure = reason
      try payments.update(payment, in: tx)
      guard order.status == .pendingPayment, order.paymentStatus == .unpaid else { return }
      order.paymentStatus = .failed
      try orders.update(&order, by: OrderStore.service, reason: reason, in: tx)
    case .succeeded(let reference):
      payment.status = .succeeded
      payment.reference = reference
      payment.failure = nil
      try payments.update(payment, in: tx)
      if let user = order.userID { try attempts.forget(by: user, in: tx) }
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
    guard order.status == .pendingPayment, order.paymentStatus != .paid,
      payment.amount == Money(order.due, order.currency)
    else {
      // The order has ended, is already paid, or has another price by now: the payment is refunded automatically.
      return try refunds.refundSurplus(payment, of: order, in: tx)
    }
    guard try areLicensesPayable(of: order, in: tx) else {
      try cancellation.supersede(order.id, in: tx)
      return try refunds.refundSurplus(payment, of: orders.get(order.id, in: tx), in: tx)
    }
    if try !markPaid(&order, in: tx) { try refunds.refundSurplus(payment, of: order, in: tx) }
  }

  /// Marks an order with no amount due as paid.
  func settleFree(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.due == 0,
      order.paymentStatus == .unpaid
    else { return }
    guard try areLicensesPayable(of: order, in: tx) else { return try cancellation.supersede(id, in: tx) }
    guard try !markPaid(&order, in: tx) else { return }
    try cancellation.cancel(id, by: OrderStore.service, reason: "insufficient store credit", in: tx)
  }

  /// Whether an order's licenses can be granted if it is paid now.
  private func areLicensesPayable(of order: StoredOrder, in tx: Transaction) throws -> Bool {
    try ExclusiveRights.arePayable(orders.lines(of: order, in: tx), of: order, in: tx)
  }

  /// Marks an order as paid whose licenses can be granted, and claims them.
  ///
  /// - Returns: `false` when the store credit held for the order is no longer available; the order is then not paid.
  private func markPaid(_ order: inout StoredOrder, in tx: Transaction) throws -> Bool {
    if order.credit > 0 {
      let hold = LedgerStore.creditHold(of: order.id)
      guard try LedgerStore.postHold(hold, to: .order(order.id), code: "payment", order: order.id, in: tx) else {
        return false
      }
    }
    try ExclusiveRights.secure(orders.lines(of: order, in: tx), for: order, in: tx)
    order.paymentStatus = .paid
    try orders.update(&order, by: OrderStore.service, in: tx)
    try withdrawals.withdrawAll(of: order.id, in: tx)
    try auctions.paid(order, in: tx)
    return true
  }

  /// Lets an expired order of a cart be paid after all, approved by a parent or made offline, if its rights are still
  /// free and its store credit is still there. One that was canceled, or that an auction or an offer has ended with,
  /// stays as it is.
  func reopen(_ order: inout StoredOrder, in tx: Transaction) throws {
    guard order.status == .expired, order.source == .cart, order.userID != nil, order.stock == .none else { return }
    let lines = try orders.lines(of: order, in: tx)
    for line in lines {
      guard let listing = line.line.listingID else { continue }
      guard
        try line.line.license == .exclusive
          ? ExclusiveRights.isFree(listing, in: tx) : ExclusiveClaimStore.isFree(listing, in: tx)
      else { return }
    }
    if order.credit > 0, let user = order.userID {
      let (account, currency) = (LedgerAccount.credit(user), order.currency)
      guard try LedgerStore.available(account, currency, in: tx) >= order.credit else { return }
      try LedgerStore.hold(
        LedgerStore.creditHold(of: order.id), Money(order.credit, currency), on: account,
        until: tx.now.advanced(bySeconds: 86_400), in: tx)
    }
    order.status = .pendingPayment
    try orders.update(&order, by: OrderStore.service, reason: "paid late", in: tx)
    try OrderMedia.began(order, lines, in: tx)
  }

  // MARK: final states

  /// Places an order that is paid and in stock: grants its licenses and distributes its money.
  func place(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus == .paid else {
      return
    }
    var lines = try orders.lines(of: order, in: tx)
    guard try ExclusiveRights.arePayable(lines, of: order, in: tx) else {
      return try cancellation.supersede(id, in: tx)
    }
    for index in lines.indices {
      lines[index].fee = postings.fee(of: lines[index])
      if lines[index].fee > 0 { try orders.update(lines[index], of: id, in: tx) }
    }
    order.status = .placed
    order.placedAt = tx.now
    order.payBy = nil
    if order.stock == .held { order.stock = .committed }
    order.fulfillmentStatus = Sale(order: order, lines: lines).fulfillmentStatus
    try orders.update(&order, by: OrderStore.service, in: tx)
    try postings.sell(order, lines, in: tx)
    for line in lines where line.terms?.kind == .exclusive {
      if let listing = line.line.listingID { try CompetingSales.end(listing, in: tx) }
    }
    try licenses.grant(order, lines, in: tx)
    for line in lines where line.terms?.kind == .exclusive {
      if let listing = line.line.listingID { try cancellation.endUnpaidOrders(of: listing, in: tx) }
    }
    // Surplus payments may still have to be refunded.
    if try !RefundStore.list(of: id, in: tx).contains(where: \.isDue) {
      try OrderQueue.cancel(id, in: tx)
    }
    try OrderEvents.changed(order, "order.placed", in: tx)
    try OrderEvents.sold(id, lines, in: tx)
  }

  /// Expires an order that was not paid in time.
  func expire(_ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .pendingPayment, order.paymentStatus != .paid,
      let payBy = order.payBy, tx.now >= payBy
    else { return }
    order.status = .expired
    try cancellation.abandon(&order, isPaid: false, reason: "not paid in time", by: OrderStore.service, in: tx)
  }
}
