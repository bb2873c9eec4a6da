import Contracts
import Persistence
import ServiceKit

/// Refunds. A decision to refund takes the money back from its recipients at once, and revokes the rights it paid for;
/// until it is with the buyer, it is in the order's account. A refund that fails leaves it there, owed to the buyer,
/// until it is made another way.
struct RefundTransitions: Sendable {
  let orders: OrderStore
  let payments: PaymentStore
  let postings: SalePostings
  let ids: IDGenerator

  /// Refunds parts of a placed order: to the original payment as far as possible, the rest as store credit.
  ///
  /// The order is not yet stored; call ``store(_:by:reason:in:)`` afterwards.
  /// - Returns: The first of the refunds; `nil` when the parts cost nothing.
  func refund(_ parts: [RefundPart], of sale: inout Sale, toCredit: Bool, reason: String?, in tx: Transaction) throws
    -> RefundID?
  {
    var rest = parts
    var first: RefundID?
    for refund in try refunds(of: parts.total, of: sale.order, toCredit: toCredit, reason: reason, in: tx) {
      var mine: [RefundPart]
      (mine, rest) = rest.split(at: refund.amount.amount)
      try take(&mine, from: &sale, by: refund.id, in: tx)
      try RefundStore.insert(refund, mine, in: tx)
      if refund.payment == nil { try settle(refund, of: sale.order, in: tx) }
      first = first ?? refund.id
    }
    // The parts that cost nothing.
    try take(&rest, from: &sale, by: ids.make(), in: tx)
    return first
  }

  /// Refunds everything that was paid for an order that was not placed.
  func refundUnplaced(_ order: inout StoredOrder, reason: String?, in tx: Transaction) throws {
    for refund in try refunds(of: order.totals.total, of: order, toCredit: false, reason: reason, in: tx) {
      try RefundStore.insert(refund, in: tx)
      if refund.payment == nil { try settle(refund, of: order, in: tx) }
    }
    try store(&order, by: OrderStore.service, reason: reason, in: tx)
  }

  /// Refunds a payment that was not due.
  func refundSurplus(_ payment: StoredPayment, of order: StoredOrder, in tx: Transaction) throws {
    // Only Apple refunds its payments, so the buyer gets store credit, if there still is an account.
    let isCredited = payment.provider == .storekit && order.userID != nil
    let refund = StoredRefund(
      id: ids.make(),
      orderID: order.id,
      payment: isCredited ? nil : payment.id,
      amount: payment.amount,
      isSurplus: true,
      surplusPayment: payment.id,
      reason: "the order had already ended or been paid"
    )
    try RefundStore.insert(refund, in: tx)
    if isCredited { try settle(refund, of: order, in: tx) }
  }

  /// How to give an amount back.
  private func refunds(
    of amount: Int64, of order: StoredOrder, toCredit: Bool, reason: String?, in tx: Transaction
  ) throws -> [StoredRefund] {
    let capacity = toCredit ? nil : try refundable(order, in: tx)
    let byPayment = min(amount, capacity?.left ?? 0)
    return [(byPayment, capacity?.payment), (amount - byPayment, nil)].filter { $0.0 > 0 }.map { part, payment in
      StoredRefund(
        id: ids.make(), orderID: order.id, payment: payment, amount: Money(part, order.currency), reason: reason
      )
    }
  }

  /// The payment of an order that can be refunded, and how much of it; `nil` if store credit paid, or Apple.
  func refundable(_ order: StoredOrder, in db: any Connection) throws -> (payment: PaymentID, left: Int64)? {
    let known = try RefundStore.list(of: order.id, in: db)
    let surplus = Set(known.compactMap(\.surplus))
    let payment = try payments.list(of: order.id, in: db).first {
      $0.status == .succeeded && $0.provider != .storekit && !surplus.contains($0.id)
    }
    return payment.map { ($0.id, max(0, $0.amount.amount - refunded($0.id, known))) }
  }

  /// The amount of a payment that is refunded, or on its way.
  func refunded(_ payment: PaymentID, _ known: [StoredRefund]) -> Int64 {
    known.filter { $0.payment == payment && [.pending, .succeeded].contains($0.status) }
      .reduce(0) { $0 + $1.amount.amount }
  }

  // MARK: taking back

  /// Takes parts back from their recipients. A license of which nothing is left is revoked, and its exclusive right
  /// is released.
  func take(_ parts: inout [RefundPart], from sale: inout Sale, by refund: RefundID, in tx: Transaction) throws {
    try postings.takeBack(parts, of: sale, by: refund, in: tx)
    for index in parts.indices {
      sale.take(parts[index])
      guard parts[index].position != RefundPart.shipping else { continue }
      let line = sale.lines[parts[index].position]
      if line.left.total == 0 { parts[index].revokes = try revoke(line, of: sale.order, in: tx) }
    }
  }

  /// - Returns: `false` when the line has no license that was valid.
  func revoke(_ line: StoredLine, of order: StoredOrder, in tx: Transaction) throws -> Bool {
    guard let listing = line.line.listingID, let kind = line.line.license else { return false }
    let wasValid = try LicenseStore.revoke(listing, kind, of: order.id, in: tx)
    if kind == .exclusive { try ExclusiveRights.release(listing, of: order.id, in: tx) }
    return wasValid
  }

  /// Stores an order and its lines after refunds, with the status that follows from them.
  func store(_ sale: inout Sale, by actor: String, reason: String?, in tx: Transaction) throws {
    try orders.update(sale, by: actor, reason: reason, in: tx)
    try store(&sale.order, by: actor, reason: reason, in: tx)
  }

  private func store(_ order: inout StoredOrder, by actor: String, reason: String?, in tx: Transaction) throws {
    if [.paid, .partiallyRefunded, .refunded].contains(order.paymentStatus) {
      order.refunded = try RefundStore.refunded(of: order.id, in: tx)
      order.paymentStatus =
        order.refunded == 0 ? .paid : order.refunded < order.totals.total ? .partiallyRefunded : .refunded
    }
    try orders.update(&order, by: actor, reason: reason, in: tx)
  }

  // MARK: the way to the buyer

  /// Records that the buyer has got a refund.
  private func settle(
    _ refund: StoredRefund, of order: StoredOrder, reference: String? = nil, in tx: Transaction
  ) throws {
    let transfer = Transfer(
      id: "\(refund.id):refund", from: .order(order.id), to: try destination(of: refund, order, in: tx),
      amount: refund.amount, code: "refund", order: order.id
    )
    try LedgerStore.post([transfer], in: tx)
    var refund = refund
    refund.status = .succeeded
    refund.reference = reference ?? refund.reference
    try RefundStore.update(refund, in: tx)
  }

  private func destination(of refund: StoredRefund, _ order: StoredOrder, in db: any Connection) throws
    -> LedgerAccount
  {
    guard let id = refund.payment else { return order.userID.map { .credit($0) } ?? .unclaimed }
    guard let payment = try payments.find(id, in: db) else { throw Problem(.unavailable) }
    return .provider(payment.provider)
  }

  /// Applies the provider's result of a refund. A failure is final; it may come after a success.
  func refunded(_ refund: StoredRefund, _ outcome: RefundOutcome, in tx: Transaction) throws {
    guard var refund = try RefundStore.find(refund.id, in: tx), !refund.isByProvider,
      var order = try orders.find(refund.orderID, in: tx)
    else { return }
    switch (outcome, refund.status) {
    case (.pending(let reference), .pending):
      refund.reference = reference
      return try RefundStore.update(refund, in: tx)
    case (.succeeded(let reference), .pending):
      try settle(refund, of: order, reference: reference, in: tx)
      try store(&order, by: OrderStore.service, reason: refund.reason, in: tx)
      try OrderEvents.changed(order, "order.refunded", in: tx)
    case (.refused(let reason), .pending), (.refused(let reason), .succeeded):
      if refund.status == .succeeded {
        let back = Transfer(
          id: "\(refund.id):failed", from: try destination(of: refund, order, in: tx), to: .order(order.id),
          amount: refund.amount, code: "refund", order: order.id
        )
        try LedgerStore.post([back], in: tx)
      }
      refund.status = .failed
      refund.failure = reason
      try RefundStore.update(refund, in: tx)
      try coverLosses(of: order, with: &refund, in: tx)
      try store(&order, by: OrderStore.service, reason: reason, in: tx)
      try OrderEvents.changed(order, "order.refundFailed", in: tx)
    default: return
    }
  }

  /// Makes what a failed refund owes anew.
  func retry(_ failed: StoredRefund, toCredit: Bool, in tx: Transaction) throws -> RefundID {
    guard failed.owed > 0, var order = try orders.find(failed.orderID, in: tx) else {
      throw Problem(.refundNotFailed)
    }
    if toCredit, order.userID == nil { throw Problem(.creditNotPossible) }
    var failed = failed
    let refund = StoredRefund(
      id: ids.make(), orderID: order.id, payment: toCredit ? nil : failed.payment,
      amount: Money(failed.owed, order.currency), isSurplus: failed.isSurplus,
      surplusPayment: failed.surplus, reason: failed.reason
    )
    try RefundStore.insert(refund, in: tx)
    try RefundStore.replace(&failed, by: refund.id, failed.owed, in: tx)
    guard toCredit else { return refund.id }
    try settle(refund, of: order, in: tx)
    try store(&order, by: OrderStore.service, reason: failed.reason, in: tx)
    try OrderEvents.changed(order, "order.refunded", in: tx)
    return refund.id
  }
}
