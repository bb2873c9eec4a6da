import Contracts
import Persistence

/// From whom the owner of a set has taken it, or the right to edit it: links do not give it back.
enum SetRemovalStore {
  static func contains(_ user: UserID, of set: StudySetID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM set_removals WHERE set_id = \(set) AND user_id = \(user)")
  }

  static func list(of user: UserID, in db: any Connection) throws -> [StudySetID] {
    try db.values("SELECT set_id FROM set_removals WHERE user_id = \(user) ORDER BY set_id")
  }

  static func insert(_ user: UserID, from set: StudySetID, in tx: Transaction) throws {
    try tx.execute("INSERT INTO set_removals (set_id, user_id) VALUES (\(set), \(user)) ON CONFLICT DO NOTHING")
  }

  static func delete(_ user: UserID, from set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_removals WHERE set_id = \(set) AND user_id = \(user)")
  }

  static func delete(from set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_removals WHERE set_id = \(set)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_removals WHERE user_id = \(user)")
  }
}
