import Contracts
import Persistence

/// Distributes the money of an order to its recipients, and collects it again for refunds.
struct SalePostings: Sendable {
  /// The platform's fee on sold licenses, in basis points (hundredths of a percent).
  let feeBasisPoints: Int

  /// The fee on an order line.
  func fee(of stored: StoredLine) -> Int64 {
    guard !stored.isGoods else { return 0 }
    let net = stored.line.net.amount
    return stored.sellerID == nil ? net : Rounding.halfEven(Int128(net) * Int128(feeBasisPoints), over: 10_000)
  }

  /// Distributes the payment of a placed order to the shop, the sellers and the taxes.
  func sell(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    try SalesStore.insert(order, lines, in: tx)
    var parts: [(LedgerAccount, Int64)] = [(.tax, order.totals.tax), (.shipping, order.totals.shipping)]
    for line in lines {
      if !line.isGoods { parts.append((.fees, line.fee)) }
      parts.append((Self.recipient(of: line), line.line.net.amount - line.fee))
    }
    try LedgerStore.post(
      parts.enumerated().map { index, part in
        Transfer(
          id: "\(order.id):sale:\(index)",
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

  /// The recipient of a line's proceeds. What a deleted account has earned was the platform's risk.
  private static func recipient(of line: StoredLine) -> LedgerAccount {
    if line.isGoods { return .sales }
    return line.sellerID.map { .earnings($0) } ?? .fees
  }

  /// Takes parts of a sale back from exactly their recipients.
  func takeBack(_ parts: [RefundPart], of sale: Sale, by refund: RefundID, in tx: Transaction) throws {
    let transfers = Self.transfers(parts, of: sale) { part, number, account, amount in
      Transfer(
        id: "\(refund):return:\(part.position):\(number)", from: account, to: .order(sale.order.id), amount: amount,
        code: "return", order: sale.order.id
      )
    }
    try LedgerStore.post(transfers, in: tx)
    try SalesStore.refund(parts, of: sale, in: tx)
  }

  /// Gives parts that a refund took back to their recipients again.
  func giveBack(_ parts: [RefundPart], of sale: Sale, by refund: RefundID, in tx: Transaction) throws {
    let transfers = Self.transfers(parts, of: sale) { part, number, account, amount in
      Transfer(
        id: "\(refund):sale:\(part.position):\(number)", from: .order(sale.order.id), to: account, amount: amount,
        code: "sale", order: sale.order.id
      )
    }
    try LedgerStore.post(transfers, in: tx)
    try SalesStore.refund(parts, of: sale, sign: -1, in: tx)
  }

  private static func transfers(
    _ parts: [RefundPart], of sale: Sale, _ transfer: (RefundPart, Int, LedgerAccount, Money) -> Transfer
  ) -> [Transfer] {
    parts.flatMap { part in
      let proceeds =
        part.position == RefundPart.shipping ? .shipping : recipient(of: sale.lines[part.position])
      let shares: [(LedgerAccount, Int64)] = [
        (proceeds, part.shares.proceeds), (.fees, part.shares.fee), (.tax, part.shares.tax),
      ]
      return shares.enumerated().map { number, share in
        transfer(part, number, share.0, Money(share.1, sale.order.currency))
      }
    }
  }
}
