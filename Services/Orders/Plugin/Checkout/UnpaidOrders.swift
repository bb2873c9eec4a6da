import Contracts
import Persistence

/// How many carts a buyer may check out without paying: each unpaid order reserves stock that others cannot buy.
enum UnpaidOrders {
  static let maxPending = 3
  /// With those that ended unpaid.
  static let maxPerDay = 10

  /// - Throws: ``Problem`` `too-many-unpaid-orders`.
  static func requireRoom(for buyer: UserID, at now: Timestamp, in db: any Connection) throws {
    let counts = try db.first(
      """
      SELECT COUNT(CASE status WHEN 'pendingPayment' THEN 1 END) AS pending, COUNT(*) AS unpaid FROM orders
      WHERE user_id = \(buyer) AND placed_at IS NULL AND created_at > \(now.advanced(bySeconds: -86_400))
        AND source = 'cart' AND payment_status IN ('unpaid', 'failed')
      """
    ) { row in (pending: try row["pending"] as Int, unpaid: try row["unpaid"] as Int) }
    guard let counts, counts.pending < maxPending, counts.unpaid < maxPerDay else {
      throw Problem(.tooManyUnpaidOrders)
    }
  }
}
