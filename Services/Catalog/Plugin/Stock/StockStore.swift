import Contracts
import Persistence

/// Stock of a product or variant: the quantity on hand, and how much of it is reserved for buyers. A table constraint
/// enforces `0 ≤ reserved ≤ on hand`.
enum StockStore {
  static func find(_ item: String, in db: any Connection) throws -> (onHand: Int, reserved: Int, version: Int)? {
    try db.first("SELECT on_hand, reserved, version FROM stock WHERE item_id = \(item)") { row in
      (try row["on_hand"], try row["reserved"], try row["version"])
    }
  }

  /// Sets the quantity on hand.
  /// - Throws: ``Problem`` when a larger quantity is reserved for buyers.
  static func set(_ item: String, onHand: Int, in tx: Transaction) throws {
    let count = try tx.execute(
      """
      INSERT INTO stock (item_id, on_hand, reserved, version) VALUES (\(item), \(onHand), 0, 1)
      ON CONFLICT (item_id) DO UPDATE SET on_hand = excluded.on_hand, version = stock.version + 1
      WHERE stock.reserved <= excluded.on_hand
      """
    )
    guard count == 1 else { throw Problem(.stockReserved) }
  }

  /// Reserves the quantity.
  /// - Returns: `false` when it is not available.
  static func reserve(_ item: String, _ quantity: Int, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE stock SET reserved = reserved + \(quantity)
      WHERE item_id = \(item) AND on_hand - reserved >= \(quantity)
      """
    ) == 1
  }

  /// Releases a reserved quantity.
  static func free(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE stock SET reserved = reserved - \(quantity) WHERE item_id = \(item)")
  }

  /// Removes a reserved quantity that was sold.
  static func sell(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE stock SET reserved = reserved - \(quantity), on_hand = on_hand - \(quantity), version = version + 1
      WHERE item_id = \(item)
      """
    )
  }

  /// Returns a sold quantity to stock.
  static func restock(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE stock SET on_hand = on_hand + \(quantity), version = version + 1 WHERE item_id = \(item)"
    )
  }
}
