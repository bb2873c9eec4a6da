import Contracts
import Persistence

/// Operations that have taken effect, so that they do so once.
enum OperationStore {
  /// The user's operations that have taken effect.
  static func known(_ ids: [String], of user: UserID, in db: any Connection) throws -> Set<String> {
    guard !ids.isEmpty else { return [] }
    return Set(
      try db.values(
        "SELECT id FROM sync_operations WHERE user_id = \(user) AND id IN \(list: ids)", as: String.self))
  }

  /// Deletes some of a user's operations.
  ///
  /// - Returns: How many.
  static func delete(of user: UserID, limit: Int, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      DELETE FROM sync_operations WHERE user_id = \(user) AND id IN
        (SELECT id FROM sync_operations WHERE user_id = \(user) ORDER BY id LIMIT \(limit))
      """
    )
  }

  /// Deletes some of the operations that were applied before a time.
  ///
  /// - Returns: How many.
  static func delete(before time: Timestamp, limit: Int, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      DELETE FROM sync_operations WHERE (user_id, id) IN
        (SELECT user_id, id FROM sync_operations WHERE applied_at < \(time) ORDER BY applied_at LIMIT \(limit))
      """
    )
  }

  static func insert(_ id: String, on record: RecordID, by user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO sync_operations (user_id, id, record_id, applied_at)
      VALUES (\(user), \(id), \(record), \(tx.now)) ON CONFLICT (user_id, id) DO NOTHING
      """
    )
  }
}
