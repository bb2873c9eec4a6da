import Contracts
import Persistence

/// Distributes the money of an order to its recipients, and collects it again for refunds.
struct SalePostings: Sendable {
  /// The platform's fee on sold licenses, in basis points (hundredths of a percent).
  let feeBasisPoints: Int

  /// Distributes the payment of a placed order to the shop, the sellers and the taxes.
  ///
  /// - Parameter id: Distinguishes the transfers of an order that is sold again after a reversed refund.
  func sell(_ order: StoredOrder, _ lines: [StoredLine], by id: String? = nil, in tx: Transaction) throws {
    var parts: [(LedgerAccount, Int64)] = [(.tax, order.totals.tax), (.shipping, order.totals.shipping)]
    for stored in lines {
      let net = stored.line.net.amount
      guard stored.line.listingID != nil else {
        parts.append((.sales, net))
        continue
      }
      let fee = stored.sellerID == nil ? net : Rounding.halfEven(Int128(net) * Int128(feeBasisPoints), over: 10_000)
      parts.append((.fees, fee))
      if let seller = stored.sellerID { parts.append((.earnings(seller), net - fee)) }
    }
    try LedgerStore.post(
      parts.enumerated().map { index, part in
        Transfer(
          id: "\(id ?? order.id.rawValue):sale:\(index)",
          from: .order(order.id),
          to: part.0,
          amount: Money(part.1, order.currency),
          code: "sale",
          order: order.id
        )
      },
      in: tx
    )
  }

  /// Posts a refund: all recipients of the order return their share in proportion, and the buyer receives it by the
  /// original payment method or as store credit.
  func refund(_ refund: StoredRefund, of order: StoredOrder, _ payments: [StoredPayment], in tx: Transaction) throws {
    if !refund.isSurplus {
      let holders = try LedgerStore.holders(of: order.id, in: tx)
      let shares = Rounding.allocate(refund.amount.amount, over: holders.map(\.amount))
      try LedgerStore.post(
        zip(holders, shares).enumerated().map { index, item in
          Transfer(
            id: "\(refund.id):return:\(index)",
            from: item.0.account,
            to: .order(order.id),
            amount: Money(item.1, order.currency),
            code: "return",
            order: order.id
          )
        },
        in: tx
      )
    }
    let payment = payments.first { $0.id == refund.payment }
    let destination: LedgerAccount? = payment.map { .provider($0.provider) } ?? order.userID.map { .credit($0) }
    guard let destination else { return }
    let transfer = Transfer(
      id: "\(refund.id):refund",
      from: .order(order.id),
      to: destination,
      amount: refund.amount,
      code: "refund",
      order: order.id
    )
    try LedgerStore.post([transfer], in: tx)
  }
}
