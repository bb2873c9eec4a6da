import Contracts
import Persistence

/// To whom the owner of a set has offered it; no one becomes an owner without accepting.
enum OwnershipOfferStore {
  static func find(_ set: StudySetID, in db: any Connection) throws -> UserID? {
    try db.value("SELECT user_id FROM set_ownership_offers WHERE set_id = \(set)")
  }

  static func list(to user: UserID, in db: any Connection) throws -> [StudySetID] {
    try db.values("SELECT set_id FROM set_ownership_offers WHERE user_id = \(user) ORDER BY set_id")
  }

  static func put(_ user: UserID, of set: StudySetID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO set_ownership_offers (set_id, user_id) VALUES (\(set), \(user))
      ON CONFLICT (set_id) DO UPDATE SET user_id = excluded.user_id
      """
    )
  }

  static func delete(to user: UserID, of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_ownership_offers WHERE set_id = \(set) AND user_id = \(user)")
  }

  static func delete(of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_ownership_offers WHERE set_id = \(set)")
  }

  static func delete(to user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_ownership_offers WHERE user_id = \(user)")
  }
}
