import Contracts
import Persistence

/// The sold lines of each seller in the order of their sales, and their sums by month: a seller's history may be long,
/// and orders that were never paid are not part of it.
enum SalesStore {
  // MARK: writing

  /// Records the lines of a placed order.
  static func insert(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    guard let soldAt = order.placedAt else { return }
    for line in lines {
      guard let seller = line.sellerID, !line.isGoods else { continue }
      let (price, fee) = (line.line.net.amount, line.fee)
      try tx.execute(
        """
        INSERT INTO sales (seller_id, sold_at, order_id, position)
        VALUES (\(seller), \(soldAt), \(order.id), \(line.position))
        """
      )
      try tx.execute(
        """
        INSERT INTO sales_months (seller_id, month, currency, lines, price, fee, earned, refunded)
        VALUES (\(seller), \(month(of: soldAt)), \(order.currency), 1, \(price), \(fee), \(price - fee), 0)
        ON CONFLICT (seller_id, month, currency) DO UPDATE SET lines = sales_months.lines + 1,
          price = sales_months.price + excluded.price, fee = sales_months.fee + excluded.fee,
          earned = sales_months.earned + excluded.earned
        """
      )
    }
  }

  /// Records what a refund has taken back of the lines' earnings, or given back if `sign` is negative.
  static func refund(_ parts: [RefundPart], of sale: Sale, sign: Int64 = 1, in tx: Transaction) throws {
    guard let soldAt = sale.order.placedAt else { return }
    for part in parts where part.position != RefundPart.shipping && part.shares.proceeds != 0 {
      guard let seller = sale.lines[part.position].sellerID, !sale.lines[part.position].isGoods else { continue }
      try tx.execute(
        """
        UPDATE sales_months SET refunded = refunded + \(sign * part.shares.proceeds)
        WHERE seller_id = \(seller) AND month = \(month(of: soldAt)) AND currency = \(sale.order.currency)
        """
      )
    }
  }

  static func delete(of seller: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sales WHERE seller_id = \(seller)")
    try tx.execute("DELETE FROM sales_months WHERE seller_id = \(seller)")
  }

  private static func month(of moment: Timestamp) -> String { String(CalendarDate(moment).description.prefix(7)) }

  // MARK: reading

  /// The sold lines of a seller, newest first.
  static func list(of seller: UserID, before cursor: Cursor?, limit: Int, in db: any Connection) throws -> [SoldLine] {
    let filter = SQL.and(
      "s.seller_id = \(seller)",
      cursor.map { "(s.sold_at, s.order_id, s.position) < (\($0.soldAt), \($0.order), \($0.position))" }
    )
    return try db.all(
      """
      SELECT s.order_id, s.position, s.sold_at, o.user_id, o.currency, l.listing_id, l.license, l.title, l.net, l.fee,
        l.returned_proceeds
      FROM (SELECT s.order_id, s.position, s.sold_at FROM sales s WHERE \(filter)
            ORDER BY s.sold_at DESC, s.order_id DESC, s.position DESC LIMIT \(limit)) s
      JOIN orders o ON o.id = s.order_id JOIN order_lines l ON l.order_id = s.order_id AND l.position = s.position
      ORDER BY s.sold_at DESC, s.order_id DESC, s.position DESC
      """
    ) { row in
      let (currency, price, fee): (Currency, Int64, Int64) = (try row["currency"], try row["net"], try row["fee"])
      return SoldLine(
        orderID: try row["order_id"], position: try row["position"], listingID: try row["listing_id"],
        license: try row["license"], title: try row["title"], buyerID: try row["user_id"],
        price: Money(price, currency), fee: Money(fee, currency), earned: Money(price - fee, currency),
        refunded: Money(try row["returned_proceeds"], currency), soldAt: try row["sold_at"]
      )
    }
  }

  /// The sums of a seller's sales, newest month first.
  static func months(of seller: UserID, in db: any Connection) throws -> [SalesMonth] {
    try db.all(
      """
      SELECT month, currency, lines, price, fee, earned, refunded FROM sales_months WHERE seller_id = \(seller)
      ORDER BY month DESC, currency
      """
    ) { row in
      SalesMonth(
        month: try row["month"], count: try row["lines"], price: try row.money("price", "currency"),
        fee: try row.money("fee", "currency"), earned: try row.money("earned", "currency"),
        refunded: try row.money("refunded", "currency")
      )
    }
  }

  /// A position in the list of sales.
  struct Cursor: PageCursor {
    var soldAt: Int64
    var order: OrderID
    var position: Int

    init(_ line: SoldLine) {
      (soldAt, order, position) = (line.soldAt.microseconds, line.orderID, line.position)
    }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_")
      guard parts.count == 3, let soldAt = Int64(parts[0]), let order = OrderID(String(parts[1])),
        let position = Int(parts[2])
      else { return nil }
      (self.soldAt, self.order, self.position) = (soldAt, order, position)
    }

    var cursor: String { "\(soldAt)_\(order)_\(position)" }
  }
}
