import Contracts
import Persistence

/// The blocks between users, as reported by the service that stores them.
enum BlockStore {
  /// Whether a user has blocked another.
  static func exists(by blocker: UserID, of blocked: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM blocks WHERE blocker_id = \(blocker) AND blocked_id = \(blocked)")
  }

  /// The users who have blocked another one.
  static func blockers(of blocked: UserID, among users: [UserID], in db: any Connection) throws -> Set<UserID> {
    guard !users.isEmpty else { return [] }
    return Set(
      try db.values("SELECT blocker_id FROM blocks WHERE blocker_id IN \(list: users) AND blocked_id = \(blocked)"))
  }

  /// A subquery of everyone who has blocked the user or is blocked by them.
  static func others(of user: UserID) -> SQL {
    """
    (SELECT blocked_id FROM blocks WHERE blocker_id = \(user)
     UNION ALL SELECT blocker_id FROM blocks WHERE blocked_id = \(user))
    """
  }

  /// The users whom a user has blocked.
  static func list(of blocker: UserID, in db: any Connection) throws -> [UserID] {
    try db.values("SELECT blocked_id FROM blocks WHERE blocker_id = \(blocker) ORDER BY blocked_id")
  }

  /// Has no effect when one of the users is unknown or already deleted.
  static func insert(by blocker: UserID, of blocked: UserID, in tx: Transaction) throws {
    let known = try tx.values("SELECT id FROM users WHERE id IN \(list: [blocker, blocked])", as: UserID.self)
    guard known.count == 2 else { return }
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
