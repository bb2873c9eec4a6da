import Contracts
import Persistence

/// Reservations of stock with their lines. The lines of a reservation that was released by a call are deleted.
enum ReservationStore {
  // MARK: reading

  static func find(_ id: ReservationID, in db: any Connection) throws -> StockReservation? {
    try db.first("SELECT status, expires_at FROM reservations WHERE id = \(id)") { row in
      StockReservation(
        id: id, status: try row["status"], expiresAt: try row["expires_at"]
      )
    }
  }

  static func lines(of id: ReservationID, in db: any Connection) throws -> [(item: String, quantity: Int)] {
    try db.all(
      "SELECT item_id, quantity FROM reservation_lines WHERE reservation_id = \(id) ORDER BY item_id"
    ) { row in (try row["item_id"], try row["quantity"]) }
  }

  /// Reservations whose buyers have not paid in time.
  static func expired(limit: Int, in tx: Transaction) throws -> [ReservationID] {
    try tx.values(
      "SELECT id FROM reservations WHERE status = 'held' AND expires_at <= \(tx.now) ORDER BY expires_at LIMIT \(limit)"
    )
  }

  /// Whether reservations have expired, or ended before `old`.
  static func isDue(at now: Timestamp, old: Timestamp, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM reservations WHERE status = 'held' AND expires_at <= \(now) OR expires_at < \(old) LIMIT 1
      """
    )
  }

  // MARK: writing

  static func insert(_ reservation: StockReservation, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO reservations (id, status, expires_at)
      VALUES (\(reservation.id), \(reservation.status), \(reservation.expiresAt))
      """
    )
  }

  static func insertLine(_ item: String, _ quantity: Int, of id: ReservationID, in tx: Transaction) throws {
    try tx.execute(
      "INSERT INTO reservation_lines (reservation_id, item_id, quantity) VALUES (\(id), \(item), \(quantity))"
    )
  }

  /// A line of 0 units stays, so that the reservation still shows what it was for.
  static func setLine(_ item: String, _ quantity: Int, of id: ReservationID, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE reservation_lines SET quantity = \(quantity) WHERE reservation_id = \(id) AND item_id = \(item)"
    )
  }

  static func end(_ id: ReservationID, as status: StockReservation.Status, in tx: Transaction) throws {
    try tx.execute("UPDATE reservations SET status = \(status) WHERE id = \(id)")
  }

  static func deleteLines(of id: ReservationID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM reservation_lines WHERE reservation_id = \(id)")
  }

  static func delete(endedBefore old: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM reservation_lines
      WHERE reservation_id IN (SELECT id FROM reservations WHERE status <> 'held' AND expires_at < \(old))
      """
    )
    try tx.execute("DELETE FROM reservations WHERE status <> 'held' AND expires_at < \(old)")
  }
}
