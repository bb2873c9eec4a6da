import Contracts

/// A part of a refund: what is taken back of one line, or of shipping.
struct RefundPart: Sendable, Equatable {
  /// The position that stands for shipping.
  static let shipping = -1

  var position: Int
  var shares: Shares
  /// Units of the line.
  var quantity = 0
  /// Whether it has revoked the line's license.
  var revokes = false
}

/// A placed order with its lines: what has been taken back of it, and what can still be.
struct Sale: Sendable, Equatable {
  var order: StoredOrder
  var lines: [StoredLine]

  /// - Throws: ``Problem`` when the order has no such line.
  func line(_ position: Int) throws(Problem) -> StoredLine {
    guard lines.indices.contains(position) else {
      throw Problem(.lineNotFound, detail: "The order has no line \(position).")
    }
    return lines[position]
  }

  /// The shipping that is not refunded.
  var shippingLeft: Shares {
    let tax = order.totals.tax - lines.reduce(0) { $0 + $1.line.tax.amount }
    return Shares(proceeds: order.totals.shipping, tax: tax) - order.returnedShipping
  }

  /// The amount of the whole order that is not refunded.
  var left: Int64 { lines.reduce(shippingLeft.total) { $0 + $1.left.total } }

  /// All that is left of a line.
  func rest(of line: StoredLine) -> RefundPart {
    RefundPart(position: line.position, shares: line.left, quantity: line.line.quantity - line.returnedQuantity)
  }

  var restOfShipping: [RefundPart] {
    shippingLeft.total > 0 ? [RefundPart(position: RefundPart.shipping, shares: shippingLeft)] : []
  }

  /// All that is left of the order.
  var rest: [RefundPart] {
    lines.map { rest(of: $0) }.filter { $0.shares.total > 0 || $0.quantity > 0 } + restOfShipping
  }

  /// An amount of a line, at most what is left of it.
  func part(_ amount: Int64, of line: StoredLine) -> RefundPart {
    amount == line.left.total
      ? rest(of: line) : RefundPart(position: line.position, shares: line.left.part(amount))
  }

  /// Some of a line's units that are left, with their share of what is left of its price.
  func part(units: Int, of line: StoredLine) -> RefundPart {
    let rest = rest(of: line)
    guard units < rest.quantity else { return rest }
    let amount = Rounding.halfEven(Int128(rest.shares.total) * Int128(units), over: Int128(rest.quantity))
    return RefundPart(position: line.position, shares: rest.shares.part(amount), quantity: units)
  }

  /// An amount of the whole order, at most what is left of it, from all lines and shipping in proportion. Lines that
  /// cost nothing are taken only with all that is left.
  func parts(_ amount: Int64) -> [RefundPart] {
    guard amount != left else { return rest }
    let rest = rest.filter { $0.shares.total > 0 }
    let amounts = Rounding.allocate(amount, over: rest.map(\.shares.total))
    return zip(rest, amounts).compactMap { part, amount in
      if amount == part.shares.total { return part }
      return amount == 0 ? nil : RefundPart(position: part.position, shares: part.shares.part(amount))
    }
  }

  mutating func take(_ part: RefundPart) { change(part, by: 1) }

  mutating func giveBack(_ part: RefundPart) { change(part, by: -1) }

  private mutating func change(_ part: RefundPart, by sign: Int) {
    func changed(_ shares: Shares) -> Shares { sign > 0 ? shares + part.shares : shares - part.shares }
    order.returned += part.shares.total * Int64(sign)
    guard part.position != RefundPart.shipping else {
      order.returnedShipping = changed(order.returnedShipping)
      return
    }
    lines[part.position].returned = changed(lines[part.position].returned)
    lines[part.position].returnedQuantity += part.quantity * sign
  }

  // MARK: fulfillment

  /// Whether all goods are canceled, so that shipping is not due; also when there never were any.
  var isWithoutGoods: Bool { !lines.contains { $0.isGoods && $0.fulfillmentStatus != .canceled } }

  /// The fulfillment status of the order: that of the least advanced goods; licenses are delivered when granted.
  var fulfillmentStatus: FulfillmentStatus {
    let open = lines.filter { $0.fulfillmentStatus != .canceled }
    let goods = open.filter(\.isGoods).map(\.fulfillmentStatus)
    if let first = [FulfillmentStatus.processing, .processed, .shipped].first(where: goods.contains) { return first }
    return open.isEmpty ? .canceled : .delivered
  }
}

extension [RefundPart] {
  var total: Int64 { reduce(0) { $0 + $1.shares.total } }

  /// Divides parts into those that add up to an amount, and the others. A part that is divided counts its units in the
  /// second half.
  func split(at amount: Int64) -> (first: [RefundPart], second: [RefundPart]) {
    var (first, second): ([RefundPart], [RefundPart]) = ([], [])
    for part in self {
      let left = amount - first.total
      if part.shares.total <= left {
        first.append(part)
      } else if left > 0 {
        var (taken, other) = (part, part)
        taken.shares = part.shares.part(left)
        taken.quantity = 0
        other.shares = part.shares - taken.shares
        first.append(taken)
        second.append(other)
      } else {
        second.append(part)
      }
    }
    return (first, second)
  }
}
