import Contracts

/// The parts of an order that a request wants to be refunded.
struct RefundChoice: Sendable {
  private let request: OrdersAPI.RefundOrder

  init(_ request: OrdersAPI.RefundOrder) { self.request = request }

  /// - Throws: ``Problem`` when the order has no such lines, or when not as much is left of them.
  func parts(of sale: Sale) throws(Problem) -> [RefundPart] {
    let currency = sale.order.currency
    for money in [request.amount, request.shipping?.money] + (request.lines ?? []).map({ $0.amount?.money }) {
      if let money, money.currency != currency { throw Problem(.currencyMismatch) }
    }
    guard let lines = request.lines else {
      if let amount = request.amount { return try parts(amount.amount, of: sale) }
      return try request.shipping.map { (shipping) throws(Problem) in try [self.shipping(shipping, of: sale)] }
        ?? sale.rest
    }
    guard request.amount == nil else { throw Self.invalid("amount", "must be absent when lines are given") }
    guard Set(lines.map(\.position)).count == lines.count else { throw Self.invalid("lines", "must differ") }
    var parts: [RefundPart] = []
    for line in lines { parts.append(try part(line, of: sale)) }
    if let shipping = request.shipping { parts.append(try self.shipping(shipping, of: sale)) }
    return parts
  }

  private func part(_ wanted: RefundedLine, of sale: Sale) throws(Problem) -> RefundPart {
    let line = try sale.line(wanted.position.value)
    let location = "lines.\(line.position)"
    if request.restock == true, line.isGoods, !line.fulfillmentStatus.successors.contains(.canceled) {
      throw Problem(.invalidTransition, errors: [.init(location: location, message: "has shipped")])
    }
    if let units = wanted.quantity?.value {
      guard wanted.amount == nil else { throw Self.invalid(location, "must have a quantity or an amount") }
      guard units <= line.line.quantity - line.returnedQuantity else { throw Self.tooLarge(sale, at: location) }
      return sale.part(units: units, of: line)
    }
    guard let amount = wanted.amount?.money.amount else { return sale.rest(of: line) }
    guard amount <= line.left.total else { throw Self.tooLarge(sale, at: location) }
    return sale.part(amount, of: line)
  }

  private func shipping(_ amount: Price, of sale: Sale) throws(Problem) -> RefundPart {
    let (amount, left) = (amount.money.amount, sale.shippingLeft)
    guard amount <= left.total else { throw Self.tooLarge(sale, at: "shipping") }
    return RefundPart(position: RefundPart.shipping, shares: left.part(amount))
  }

  /// An amount without lines says from whom to take it only where there is one line; shipping comes last.
  private func parts(_ amount: Int64, of sale: Sale) throws(Problem) -> [RefundPart] {
    guard sale.lines.count == 1, let line = sale.lines.first else {
      throw Self.invalid("lines", "is required for an order with several lines")
    }
    guard request.shipping == nil else { throw Self.invalid("shipping", "must be absent when an amount is given") }
    guard amount > 0, amount <= sale.left else { throw Self.tooLarge(sale) }
    let ofLine = min(amount, line.left.total)
    let parts = ofLine > 0 ? [sale.part(ofLine, of: line)] : []
    guard amount > ofLine else { return parts }
    return parts + [RefundPart(position: RefundPart.shipping, shares: sale.shippingLeft.part(amount - ofLine))]
  }

  static func tooLarge(_ sale: Sale, at location: String? = nil) -> Problem {
    let detail = "The refundable amount of the order is \(Money(sale.left, sale.order.currency))."
    return Problem(
      .refundTooLarge, detail: detail,
      errors: location.map { [.init(location: "body.\($0)", message: "exceeds what is left")] } ?? []
    )
  }

  private static func invalid(_ location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.\(location)", message: message)])
  }
}

extension Sale {
  /// Goods that are refunded before they ship are not shipped; their units return to stock if wanted.
  mutating func cancelRefunded(_ parts: [RefundPart], restock: Bool) {
    for part in parts where part.position != RefundPart.shipping {
      let line = lines[part.position]
      guard line.isGoods, line.fulfillmentStatus.successors.contains(.canceled) else { continue }
      if restock { lines[part.position].restocked += part.quantity }
      if line.returnedQuantity == line.line.quantity, line.left.total == 0 {
        lines[part.position].fulfillmentStatus = .canceled
      }
    }
  }
}
