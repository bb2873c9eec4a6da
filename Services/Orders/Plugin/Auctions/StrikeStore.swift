import Contracts
import Persistence

/// Auctions that bidders have won, and offers that were accepted, and not paid for.
enum StrikeStore {
  /// Stores a strike, once per order.
  static func insert(
    _ id: AuctionStrikeID, of user: UserID, _ auction: AuctionID?, _ order: OrderID, in tx: Transaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO auction_strikes (id, user_id, auction_id, order_id, at)
      VALUES (\(id), \(user), \(auction), \(order), \(tx.now)) ON CONFLICT (order_id) DO NOTHING
      """
    )
  }

  /// - Returns: Whether there is such a strike.
  static func lift(_ id: AuctionStrikeID, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE auction_strikes SET lifted_at = COALESCE(lifted_at, \(tx.now)) WHERE id = \(id)") == 1
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_strikes WHERE user_id = \(user)")
  }

  /// The users who have at least so many unpaid obligations: strikes that have not been lifted, and orders of auctions,
  /// second chances and other offers that they can still pay.
  static func suspended(_ users: [UserID], from limit: Int, in db: any Connection) throws -> Set<UserID> {
    let suspended: [UserID] = try db.values(
      """
      SELECT user_id FROM
        (SELECT user_id FROM auction_strikes WHERE user_id IN \(list: users) AND lifted_at IS NULL
         UNION ALL SELECT user_id FROM orders WHERE user_id IN \(list: users) AND \(owed)) AS obligations
      GROUP BY user_id HAVING COUNT(*) >= \(limit)
      """
    )
    return Set(suspended)
  }

  /// The number of a user's unpaid obligations, as an expression.
  /// - Parameter user: The column with the user.
  static func obligations(of user: SQL) -> SQL {
    """
    ((SELECT COUNT(*) FROM auction_strikes s WHERE s.user_id = \(user) AND s.lifted_at IS NULL)
     + (SELECT COUNT(*) FROM orders WHERE user_id = \(user) AND \(owed)))
    """
  }

  /// The condition of the index `orders_owed`.
  private static let owed: SQL = "status = 'pendingPayment' AND payment_status <> 'paid' AND source <> 'cart'"

  static func list(of user: UserID?, before cursor: AuctionStrikeID?, limit: Int, in db: any Connection) throws
    -> [AuctionStrike]
  {
    try db.all(
      """
      SELECT id, user_id, auction_id, order_id, at, lifted_at FROM auction_strikes
      WHERE \(SQL.and(user.map { "user_id = \($0)" }, cursor.map { "id < \($0)" })) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in
      AuctionStrike(
        id: try row["id"], userID: try row["user_id"], auctionID: try row["auction_id"], orderID: try row["order_id"],
        at: try row["at"], liftedAt: try row["lifted_at"]
      )
    }
  }
}
