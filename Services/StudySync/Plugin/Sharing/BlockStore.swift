import Contracts
import Persistence

/// Who has blocked whom, as reported by the service that stores it.
enum BlockStore {
  /// Whether one of the two users has blocked the other.
  static func exists(between one: UserID, and other: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM blocks
      WHERE blocker_id = \(one) AND blocked_id = \(other) OR blocker_id = \(other) AND blocked_id = \(one) LIMIT 1
      """
    )
  }

  /// The users whom a user has blocked.
  static func list(of blocker: UserID, in db: any Connection) throws -> [UserID] {
    try db.values("SELECT blocked_id FROM blocks WHERE blocker_id = \(blocker) ORDER BY blocked_id")
  }

  static func insert(by blocker: UserID, of blocked: UserID, in tx: Transaction) throws {
    try tx.execute(
      "INSERT INTO blocks (blocker_id, blocked_id) VALUES (\(blocker), \(blocked)) ON CONFLICT DO NOTHING"
    )
  }

  static func delete(by blocker: UserID, of blocked: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM blocks WHERE blocker_id = \(blocker) AND blocked_id = \(blocked)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM blocks WHERE blocker_id = \(user) OR blocked_id = \(user)")
  }
}
