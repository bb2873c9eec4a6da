import Contracts
import Persistence

/// Sets that are being filled and have no members yet.
enum UnfinishedSetStore {
  struct Stored: Sendable {
    var set: StudySetID
    var user: UserID
    var touchedAt: Timestamp
  }

  static func find(_ set: StudySetID, in db: any Connection) throws -> Stored? {
    try list("set_id = \(set)", limit: 1, in: db).first
  }

  /// Sets that were not touched since a time.
  static func list(untouchedSince time: Timestamp, limit: Int, in db: any Connection) throws -> [Stored] {
    try list("touched_at < \(time)", limit: limit, in: db)
  }

  static func list(of user: UserID, in db: any Connection) throws -> [Stored] {
    try list("user_id = \(user)", limit: 10_000, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [Stored] {
    try db.all(
      "SELECT set_id, user_id, touched_at FROM unfinished_sets WHERE \(condition) ORDER BY touched_at LIMIT \(limit)"
    ) { row in Stored(set: try row["set_id"], user: try row["user_id"], touchedAt: try row["touched_at"]) }
  }

  static func touch(_ set: StudySetID, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO unfinished_sets (set_id, user_id, touched_at) VALUES (\(set), \(user), \(tx.now))
      ON CONFLICT (set_id) DO UPDATE SET touched_at = excluded.touched_at
      """
    )
  }

  /// - Returns: Whether it was there.
  @discardableResult
  static func delete(_ set: StudySetID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM unfinished_sets WHERE set_id = \(set)") == 1
  }
}
