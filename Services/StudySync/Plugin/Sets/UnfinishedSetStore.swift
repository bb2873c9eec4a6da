import Contracts
import Persistence

/// Sets that are being filled and have no members yet.
enum UnfinishedSetStore {
  struct Stored: Sendable {
    var set: StudySetID
    var user: UserID
    var touchedAt: Timestamp
    /// The attempt that fills the set; another one after it has failed.
    var attempt: String
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
      """
      SELECT set_id, user_id, touched_at, attempt FROM unfinished_sets
      WHERE \(condition) ORDER BY touched_at LIMIT \(limit)
      """
    ) { row in
      Stored(
        set: try row["set_id"], user: try row["user_id"], touchedAt: try row["touched_at"],
        attempt: try row["attempt"])
    }
  }

  /// Begins an attempt, which replaces one that has ended without a trace.
  static func begin(_ set: StudySetID, of user: UserID, attempt: String, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO unfinished_sets (set_id, user_id, touched_at, attempt)
      VALUES (\(set), \(user), \(tx.now), \(attempt))
      ON CONFLICT (set_id) DO UPDATE SET touched_at = excluded.touched_at, attempt = excluded.attempt
      """
    )
  }

  /// - Returns: Whether the attempt goes on.
  static func touch(_ set: StudySetID, attempt: String, in tx: Transaction) throws -> Bool {
    try tx.execute(
      "UPDATE unfinished_sets SET touched_at = \(tx.now) WHERE set_id = \(set) AND attempt = \(attempt)") == 1
  }

  /// Ends an attempt.
  ///
  /// - Returns: Whether it went on.
  static func delete(_ set: StudySetID, attempt: String, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM unfinished_sets WHERE set_id = \(set) AND attempt = \(attempt)") == 1
  }
}
