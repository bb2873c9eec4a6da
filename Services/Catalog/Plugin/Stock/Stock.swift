import Contracts
import Persistence

/// How many there are of a product or variant, and how many of these are kept for buyers: `0 ≤ reserved ≤ on hand`, which
/// the table itself enforces.
enum Stock {
  /// Sets what is on hand.
  /// - Throws: ``Problem`` when more than that is kept for buyers.
  static func set(_ item: String, onHand: Int, in tx: Transaction) throws {
    let reserved = try tx.first("SELECT reserved FROM stock WHERE item_id = \(item)") { row -> Int in try row[0] }
    guard reserved ?? 0 <= onHand else { throw Problem(.stockReserved) }
    try tx.execute(
      """
      INSERT INTO stock (item_id, on_hand, reserved, version) VALUES (\(item), \(onHand), 0, 1)
      ON CONFLICT (item_id) DO UPDATE SET on_hand = excluded.on_hand, version = stock.version + 1
      """
    )
  }

  /// Keeps so many, if there are so many.
  static func reserve(_ item: String, _ quantity: Int, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE stock SET reserved = reserved + \(quantity)
      WHERE item_id = \(item) AND on_hand - reserved >= \(quantity)
      """
    ) == 1
  }

  /// Keeps them no longer.
  static func free(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE stock SET reserved = reserved - \(quantity) WHERE item_id = \(item)")
  }

  /// What was kept is gone.
  static func sell(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE stock SET reserved = reserved - \(quantity), on_hand = on_hand - \(quantity), version = version + 1
      WHERE item_id = \(item)
      """
    )
  }

  /// What was gone is back.
  static func giveBack(_ item: String, _ quantity: Int, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE stock SET on_hand = on_hand + \(quantity), version = version + 1 WHERE item_id = \(item)"
    )
  }
}
