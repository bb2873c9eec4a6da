import Contracts
import Persistence
import ServiceKit

/// Cancellation, of a whole order until it is placed, and line by line afterwards.
extension OrderTransitions {
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
      if isPaid { try refundUnplaced(&order, reason: reason, in: tx) }
      return
    }
    var sale = try sale(order, in: tx)
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
    _ = try refund(parts, of: &sale, toCredit: false, reason: reason, in: tx)
    try close(&sale, by: actor, reason: reason, in: tx)
  }

  private func cancelable(_ sale: Sale, _ positions: [Int]?, _ withLicenses: Bool) throws -> [Int] {
    func isCancelable(_ line: StoredLine) -> Bool {
      line.isGoods ? line.fulfillmentStatus.successors.contains(.canceled) : withLicenses
    }
    let wanted = try positions?.map { try sale.line($0) } ?? sale.lines
    let open = wanted.filter { $0.fulfillmentStatus != .canceled }
    let chosen = open.filter(isCancelable)
    if chosen.isEmpty && !open.isEmpty || positions.map({ _ in chosen.count < open.count }) ?? false {
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
    let before = try orders.lines(of: [sale.order], in: tx)[sale.order.id] ?? []
    if before.map(\.restocked) != sale.lines.map(\.restocked) {
      sale.order.stock = goods.allSatisfy { $0.restocked == $0.line.quantity } ? .releasing : .reducing
    }
    try store(&sale, by: actor, reason: reason, in: tx)
    guard isEnded else { return }
    try OrderMedia.ended(sale.order.id, sale.lines, version: sale.order.version, in: tx)
    try notify(sale.order, "order.canceled", in: tx)
  }
}

extension Sale {
  /// - Throws: ``Problem`` when the order has no such line.
  func line(_ position: Int) throws(Problem) -> StoredLine {
    guard lines.indices.contains(position) else {
      throw Problem(.lineNotFound, detail: "The order has no line \(position).")
    }
    return lines[position]
  }
}
