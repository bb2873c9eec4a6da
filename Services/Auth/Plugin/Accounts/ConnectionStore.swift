import Contracts
import Persistence

/// Connections between users, stored in both directions.
enum ConnectionStore {
  static func list(of user: UserID, in db: any Connection) throws -> [UserID] {
    try db.values("SELECT other_id FROM connections WHERE user_id = \(user) ORDER BY other_id")
  }

  /// The users that the viewer is connected to.
  static func connected(to viewer: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT other_id FROM connections WHERE user_id = \(viewer) AND other_id IN \(list: ids)",
        as: UserID.self
      )
    )
  }

  /// Has no effect when one of the users is unknown or already deleted.
  static func insert(_ first: UserID, _ second: UserID, in tx: Transaction) throws {
    let known = try tx.values("SELECT id FROM users WHERE id IN \(list: [first, second])", as: UserID.self)
    guard known.count == 2 else { return }
    for (user, other) in [(first, second), (second, first)] {
      try tx.execute(
        "INSERT INTO connections (user_id, other_id) VALUES (\(user), \(other)) ON CONFLICT DO NOTHING"
      )
    }
  }

  static func delete(_ first: UserID, _ second: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM connections
      WHERE user_id = \(first) AND other_id = \(second) OR user_id = \(second) AND other_id = \(first)
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM connections WHERE user_id = \(user) OR other_id = \(user)")
  }
}
