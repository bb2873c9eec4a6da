import Contracts
import Persistence
import ServiceKit

/// How orders end: a whole one until it is placed, line by line afterwards. What was paid is refunded, and what was
/// reserved is released.
struct OrderCancellation: Sendable {
  let orders: OrderStore
  let withdrawals: PaymentWithdrawals
  let refunds: RefundTransitions
  let auctions: AuctionTransitions
  let queue: OrderQueue

  /// Cancels an order that is not placed, or the lines of a placed order that can be canceled: goods that have not
  /// shipped. What was paid for them is refunded, and their stock is released; shipping is refunded with the last goods.
  ///
  /// - Parameters:
  ///   - positions: The lines of a placed order; by default all that can be canceled.
  ///   - withLicenses: Whether granted licenses are taken back as well.
  /// - Throws: ``Problem`` `invalid-transition` when a line cannot be canceled, or none can.
  func cancel(
    _ id: OrderID, by actor: String, reason: String?, positions: [Int]? = nil, withLicenses: Bool = false,
    in tx: Transaction
  ) throws {
    guard var order = try orders.find(id, in: tx) else { throw Problem(.orderNotFound) }
    guard order.status != .canceled else { return }
    guard order.status == .placed else {
      let isPaid = order.paymentStatus == .paid
      order.status = .canceled
      try abandon(&order, isPaid: isPaid, reason: reason, by: actor, in: tx)
      if isPaid { try refunds.refundUnplaced(&order, reason: reason, in: tx) }
      return
    }
    var sale = try orders.sale(order, in: tx)
    let chosen = try cancelable(sale, positions, withLicenses)
    guard !chosen.isEmpty else { return }
    var parts: [RefundPart] = []
    for index in chosen {
      let rest = sale.rest(of: sale.lines[index])
      parts.append(rest)
      sale.lines[index].fulfillmentStatus = .canceled
      if sale.lines[index].isGoods { sale.lines[index].restocked += rest.quantity }
    }
    if sale.isWithoutGoods { parts += sale.restOfShipping }
    _ = try refunds.refund(parts, of: &sale, toCredit: false, reason: reason, in: tx)
    try close(&sale, by: actor, reason: reason, in: tx)
  }

  private func cancelable(_ sale: Sale, _ positions: [Int]?, _ withLicenses: Bool) throws -> [Int] {
    func isCancelable(_ line: StoredLine) -> Bool {
      line.isGoods ? line.fulfillmentStatus.successors.contains(.canceled) : withLicenses
    }
    let wanted = try positions?.map { try sale.line($0) } ?? sale.lines
    let open = wanted.filter { $0.fulfillmentStatus != .canceled }
    let chosen = open.filter(isCancelable)
    if chosen.isEmpty && !open.isEmpty || positions != nil && chosen.count < open.count {
      throw Problem(
        .invalidTransition, detail: "What has been delivered or shipped cannot be canceled.",
        errors: open.filter { !isCancelable($0) }.map {
          .init(location: "lines.\($0.position)", message: "is \($0.fulfillmentStatus.rawValue)")
        }
      )
    }
    return Set(chosen.map(\.position)).sorted()
  }

  /// Stores a placed order of which lines have been refunded or canceled: it is canceled itself when all its lines are,
  /// and stock that has been given up is returned.
  func close(_ sale: inout Sale, by actor: String, reason: String?, in tx: Transaction) throws {
    sale.order.fulfillmentStatus = sale.fulfillmentStatus
    let isEnded = sale.order.status == .placed && sale.fulfillmentStatus == .canceled
    if isEnded { sale.order.status = .canceled }
    let goods = sale.lines.filter(\.isGoods)
    let before = try orders.lines(of: sale.order, in: tx)
    if before.map(\.restocked) != sale.lines.map(\.restocked) {
      sale.order.stock = goods.allSatisfy { $0.restocked == $0.line.quantity } ? .releasing : .reducing
    }
    try refunds.store(&sale, by: actor, reason: reason, in: tx)
    guard isEnded else { return }
    try OrderMedia.ended(sale.order.id, sale.lines, version: sale.order.version, in: tx)
    try OrderEvents.changed(sale.order, "order.canceled", in: tx)
  }

  /// Ends an order that was not placed.
  func abandon(
    _ order: inout StoredOrder, isPaid: Bool, reason: String?, by actor: String, in tx: Transaction
  ) throws {
    if order.stock == .held { order.stock = .releasing }
    order.payBy = nil
    try orders.update(&order, by: actor, reason: reason, in: tx)
    try withdrawals.withdrawAll(of: order.id, in: tx)
    try LedgerStore.voidHold(LedgerStore.creditHold(of: order.id), in: tx)
    try ExclusiveRights.release(order.id, in: tx)
    try OrderEvents.changed(order, "order.\(order.status.rawValue)", in: tx)
    if !isPaid { try releaseSource(order, in: tx) }
    // Afterwards, because the next bidder may be offered the recording.
    try OrderMedia.ended(order.id, orders.lines(of: order, in: tx), version: order.version, in: tx)
  }

  /// Updates the offer or auction from which an unpaid order resulted.
  private func releaseSource(_ order: StoredOrder, in tx: Transaction) throws {
    switch order.source {
    case .cart: break
    case .offer:
      try OfferTransitions.endPayment(of: order.id, as: .paymentExpired, in: tx)
      try auctions.offerDefaulted(order, in: tx)
    case .auction: try auctions.winnerDefaulted(order, in: tx)
    }
  }

  // MARK: orders whose licenses can no longer be granted

  /// Ends the unpaid orders of a listing whose exclusive license is sold. An order that is not visible yet because its
  /// stock is being reserved, or that is paid but not placed, ends when it is paid or placed.
  func endUnpaidOrders(of listing: ListingID, in tx: Transaction) throws {
    for order in try OrderStore.unpaid(of: listing, in: tx) { try supersede(order, in: tx) }
  }

  /// Cancels an order when one of its listings has been sold exclusively to another buyer, or has lost its seller; what
  /// was paid for it is refunded.
  func supersede(_ id: OrderID, in tx: Transaction) throws {
    try OfferTransitions.endPayment(of: id, as: .supersededBySale, in: tx)
    try cancel(id, by: OrderStore.service, reason: "the license can no longer be granted", in: tx)
    // Its stock may have to be released, and money refunded.
    try queue.schedule(id, in: tx)
  }
}
