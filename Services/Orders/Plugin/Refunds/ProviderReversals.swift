import Contracts
import Persistence
import ServiceKit

/// Money that a payment provider takes back or returns on its own account: disputes, refunds made in its dashboard, and
/// Apple's refunds. It has already moved when the provider reports it, so it is always booked in full.
extension RefundTransitions {
  /// Records that a provider has taken back an amount of a payment, once per reference.
  ///
  /// It counts first for what failed refunds of the payment owe, then for what is left of the order's lines in
  /// proportion; the shop bears what exceeds both. If nothing of the payment remains, the order's licenses are revoked.
  /// - Throws: ``Problem`` `unavailable` when the order is about to be placed; the provider reports it again.
  func providerTookBack(
    _ order: inout StoredOrder, payment: StoredPayment, amount: Money, reason: String, reference: String,
    in tx: Transaction
  ) throws {
    guard try RefundStore.find(of: payment.id, reference: reference, in: tx) == nil else { return }
    guard payment.status == .succeeded, order.status != .pendingPayment || order.paymentStatus != .paid else {
      throw Problem(.unavailable, detail: "The payment is still being processed.", retryAfter: 5)
    }
    let known = try RefundStore.list(of: order.id, in: tx)
    var refund = StoredRefund(
      id: ids.make(), orderID: order.id, payment: payment.id, amount: amount,
      isSurplus: known.contains { $0.surplus == payment.id }, status: .succeeded, reason: reason,
      reference: reference, isByProvider: true
    )
    let isWhole = refunded(payment.id, known) + amount.amount >= payment.amount.amount
    var left = amount.amount
    var replaced: [(StoredRefund, Int64)] = []
    for failed in known where failed.payment == payment.id && failed.owed > 0 && left > 0 {
      replaced.append((failed, min(failed.owed, left)))
      left -= min(failed.owed, left)
    }
    var sale = try orders.sale(order, in: tx)
    var parts: [RefundPart] = []
    if !refund.isSurplus, order.placedAt != nil {
      parts = sale.parts(min(left, sale.left))
      // Money is taken back, not goods: their units return to stock when they are canceled.
      for index in parts.indices { parts[index].quantity = 0 }
      left -= parts.total
      try take(&parts, from: &sale, by: refund.id, in: tx)
      if isWhole { try revokeAll(of: sale, &parts, in: tx) }
    }
    refund.loss = left
    try RefundStore.insert(refund, parts, in: tx)
    for (failed, amount) in replaced {
      var failed = failed
      try RefundStore.replace(&failed, by: refund.id, amount, in: tx)
    }
    let account = LedgerAccount.order(order.id)
    func transfer(_ name: String, _ from: LedgerAccount, _ to: LedgerAccount, _ amount: Int64) -> Transfer {
      Transfer(
        id: "\(refund.id):\(name)", from: from, to: to, amount: Money(amount, order.currency), code: name,
        order: order.id)
    }
    try LedgerStore.post(
      [
        transfer("loss", .losses, account, left),
        transfer("refund", account, .provider(payment.provider), amount.amount),
      ], in: tx)
    try store(&sale, by: OrderStore.service, reason: reason, in: tx)
    order = sale.order
    try OrderEvents.changed(order, "order.refunded", in: tx)
  }

  /// Records that a provider has returned what it took back under a reference: exactly that is given back to its
  /// recipients. What the buyer cannot get any more is refunded; the caller schedules the order's job. If the provider
  /// reports this first, the reference has no effect later.
  func providerGaveBack(
    _ order: inout StoredOrder, payment: StoredPayment, amount: Money, reason: String, reference: String,
    in tx: Transaction
  ) throws {
    guard var refund = try RefundStore.find(of: payment.id, reference: reference, in: tx) else {
      let unknown = StoredRefund(
        id: ids.make(), orderID: order.id, payment: payment.id, amount: amount, status: .reversed, reason: reason,
        reference: reference, isByProvider: true
      )
      return try RefundStore.insert(unknown, in: tx)
    }
    guard refund.status == .succeeded else { return }
    let parts = try RefundStore.parts(of: [refund.id], in: tx)[refund.id] ?? []
    let account = LedgerAccount.order(order.id)
    var transfers = [
      Transfer(
        id: "\(refund.id):reversal", from: .provider(payment.provider), to: account, amount: refund.amount,
        code: "reversal", order: order.id)
    ]
    transfers.append(
      Transfer(
        id: "\(refund.id):recovery", from: account, to: .losses, amount: Money(refund.loss, order.currency),
        code: "loss", order: order.id))
    try LedgerStore.post(transfers, in: tx)
    var sale = try orders.sale(order, in: tx)
    try postings.giveBack(parts, of: sale, by: refund.id, in: tx)
    for part in parts { sale.giveBack(part) }
    for replaced in try RefundStore.replacements(of: refund.id, in: tx) {
      try RefundStore.unreplace(replaced.id, replaced.amount, in: tx)
    }
    refund.status = .reversed
    try RefundStore.update(refund, in: tx)
    let lost = try undeliverable(parts, of: sale, in: tx)
    _ = try self.refund(lost, of: &sale, toCredit: false, reason: reason, in: tx)
    try store(&sale, by: OrderStore.service, reason: reason, in: tx)
    order = sale.order
    try OrderEvents.changed(order, "order.restored", in: tx)
  }

  /// A refund that has failed makes up for what the shop has lost by the provider's own refunds of the payment.
  func coverLosses(of order: StoredOrder, with failed: inout StoredRefund, in tx: Transaction) throws {
    for var refund in try RefundStore.list(of: order.id, in: tx)
    where refund.isByProvider && refund.status == .succeeded && refund.payment == failed.payment {
      let amount = min(refund.loss, failed.owed)
      guard amount > 0 else { continue }
      refund.loss -= amount
      try RefundStore.update(refund, in: tx)
      try RefundStore.replace(&failed, by: refund.id, amount, in: tx)
      let transfer = Transfer(
        id: "\(failed.id):loss:\(refund.id)", from: .order(order.id), to: .losses,
        amount: Money(amount, order.currency),
        code: "loss", order: order.id
      )
      try LedgerStore.post([transfer], in: tx)
    }
  }

  /// Revokes the licenses of which a part is left.
  private func revokeAll(of sale: Sale, _ parts: inout [RefundPart], in tx: Transaction) throws {
    for line in sale.lines where try revoke(line, of: sale.order, in: tx) {
      if let index = parts.firstIndex(where: { $0.position == line.position }) {
        parts[index].revokes = true
      } else {
        parts.append(RefundPart(position: line.position, shares: Shares(), revokes: true))
      }
    }
  }

  /// Restores the licenses that a take-back revoked.
  /// - Returns: What is left of the lines that were canceled meanwhile, or whose license cannot be restored, and of
  ///   shipping if no goods are shipped any more.
  private func undeliverable(_ returned: [RefundPart], of sale: Sale, in tx: Transaction) throws -> [RefundPart] {
    var lost: [RefundPart] = []
    for part in returned where part.position != RefundPart.shipping {
      let line = sale.lines[part.position]
      let isRestored = try !part.revokes || restore(line, of: sale.order, in: tx)
      if line.fulfillmentStatus == .canceled || !isRestored { lost.append(sale.rest(of: line)) }
    }
    if sale.isWithoutGoods, returned.contains(where: { $0.position == RefundPart.shipping }) {
      lost += sale.restOfShipping
    }
    return lost.filter { $0.shares.total > 0 }
  }

  /// Restores the license of a line, unless it is refunded or canceled otherwise; an exclusive right only if it is still
  /// free.
  /// - Returns: Whether it is restored.
  private func restore(_ line: StoredLine, of order: StoredOrder, in tx: Transaction) throws -> Bool {
    guard line.fulfillmentStatus != .canceled, line.left.total > 0 || line.line.gross.amount == 0,
      let listing = line.line.listingID, let kind = line.line.license
    else { return false }
    if kind == .exclusive {
      guard try ExclusiveRights.isFree(listing, in: tx) else { return false }
      try ExclusiveClaimStore.insert(listing, order.id, in: tx)
    }
    try LicenseStore.restore(listing, kind, of: order.id, in: tx)
    if kind == .exclusive { try CompetingSales.end(listing, in: tx) }
    return true
  }
}
