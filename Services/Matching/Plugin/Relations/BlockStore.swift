import Contracts
import Persistence

/// The blocks between users. A block ends all interaction between the two users.
enum BlockStore {
  /// A block as its blocker lists it.
  struct Stored: Sendable {
    var id: ID<Stored>
    var blocked: UserID
    /// Whether the blocked user has blocked the blocker as well.
    var isMutual: Bool
    var since: Timestamp
  }

  // MARK: reading

  /// Whether one of the two users has blocked the other.
  static func exists(between one: UserID, and other: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM blocks
      WHERE blocker_id = \(one) AND blocked_id = \(other) OR blocker_id = \(other) AND blocked_id = \(one) LIMIT 1
      """
    )
  }

  /// The users who have blocked the user or are blocked by them.
  static func others(of user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        """
        SELECT blocked_id FROM blocks WHERE blocker_id = \(user) AND blocked_id IN \(list: ids)
        UNION SELECT blocker_id FROM blocks WHERE blocked_id = \(user) AND blocker_id IN \(list: ids)
        """,
        as: UserID.self
      )
    )
  }

  /// The pairs among some users of which one has blocked the other.
  static func pairs(among users: [UserID], in db: any Connection) throws -> [(UserID, UserID)] {
    try db.all(
      "SELECT blocker_id, blocked_id FROM blocks WHERE blocker_id IN \(list: users) AND blocked_id IN \(list: users)"
    ) { row in (try row["blocker_id"], try row["blocked_id"]) }
  }

  /// The users whom the user has blocked.
  static func blocked(by user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT blocked_id FROM blocks WHERE blocker_id = \(user) AND blocked_id IN \(list: ids)", as: UserID.self
      )
    )
  }

  /// A subquery of everyone who has blocked the user or is blocked by them.
  static func others(of user: UserID) -> SQL {
    """
    (SELECT blocked_id FROM blocks WHERE blocker_id = \(user)
     UNION ALL SELECT blocker_id FROM blocks WHERE blocked_id = \(user))
    """
  }

  /// The users whom a user has blocked, most recent first.
  static func list(of blocker: UserID, before cursor: ID<Stored>?, limit: Int, in db: any Connection) throws -> [Stored]
  {
    let condition = SQL.and("b.blocker_id = \(blocker)", cursor.map { "b.id < \($0)" })
    return try db.all(
      """
      SELECT b.id, b.blocked_id, b.blocked_at, CASE WHEN EXISTS (SELECT 1 FROM blocks r
        WHERE r.blocker_id = b.blocked_id AND r.blocked_id = b.blocker_id) THEN 1 ELSE 0 END AS is_mutual
      FROM blocks b WHERE \(condition) ORDER BY b.id DESC LIMIT \(limit)
      """
    ) { row in
      Stored(
        id: try row["id"], blocked: try row["blocked_id"], isMutual: try row["is_mutual"], since: try row["blocked_at"])
    }
  }

  // MARK: writing

  /// - Returns: `false` when the user has already blocked the other.
  static func insert(_ id: ID<Stored>, by blocker: UserID, of blocked: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO blocks (blocker_id, blocked_id, id, blocked_at) VALUES (\(blocker), \(blocked), \(id), \(tx.now))
      ON CONFLICT DO NOTHING
      """
    ) > 0
  }

  /// - Returns: `false` when the user has not blocked the other.
  static func delete(by blocker: UserID, of blocked: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM blocks WHERE blocker_id = \(blocker) AND blocked_id = \(blocked)") > 0
  }

  /// Deletes the blocks by and of a user.
  /// - Returns: Them.
  static func delete(of user: UserID, in tx: Transaction) throws -> [(blocker: UserID, blocked: UserID)] {
    let blocks = try tx.all(
      "SELECT blocker_id, blocked_id FROM blocks WHERE blocker_id = \(user) OR blocked_id = \(user)"
    ) { row -> (blocker: UserID, blocked: UserID) in (try row["blocker_id"], try row["blocked_id"]) }
    try tx.execute("DELETE FROM blocks WHERE blocker_id = \(user) OR blocked_id = \(user)")
    return blocks
  }
}
