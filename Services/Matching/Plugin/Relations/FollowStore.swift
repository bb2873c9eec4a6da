import Contracts
import Persistence

/// The followers of users.
enum FollowStore {
  /// A follow as a list of one of its users shows it.
  struct Stored: Sendable {
    var id: ID<Stored>
    /// The other user.
    var userID: UserID
    var since: Timestamp
  }

  /// The lists of a user.
  enum Side: Sendable {
    case followers, following
  }

  // MARK: reading

  /// The followers of a user or those whom the user follows, newest first, without those between whom and the viewer
  /// there is a block.
  static func list(
    _ side: Side, of user: UserID, for viewer: UserID, before cursor: ID<Stored>?, limit: Int, in db: any Connection
  ) throws -> [Stored] {
    let (own, other) = columns(side)
    let condition = SQL.and(
      "\(own) = \(user) AND \(other) NOT IN \(BlockStore.others(of: viewer))", cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT id, \(other) AS user_id, followed_at FROM follows WHERE \(condition) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in Stored(id: try row["id"], userID: try row["user_id"], since: try row["followed_at"]) }
  }

  /// The lengths of those lists; users whose list is empty are left out. They are stored, because popular users have too
  /// many followers to be counted; only those who are blocked are counted and left out.
  static func counts(_ side: Side, of users: [UserID], for viewer: UserID, in db: any Connection) throws
    -> [UserID: Int]
  {
    let (own, other) = columns(side)
    let stored: SQL =
      switch side {
      case .followers: "followers"
      case .following: "following"
      }
    let rows = try db.all(
      """
      SELECT c.user_id, c.\(stored) - (SELECT COUNT(*) FROM follows f
        WHERE f.\(own) = c.user_id AND f.\(other) IN \(BlockStore.others(of: viewer))) AS count
      FROM follow_counts c WHERE c.user_id IN \(list: users)
      """
    ) { row -> (user: UserID, count: Int) in (try row["user_id"], try row["count"]) }
    return Dictionary(rows.map { ($0.user, $0.count) }) { first, _ in first }
  }

  /// The users whom the user follows.
  static func followed(by user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT followed_id FROM follows WHERE follower_id = \(user) AND followed_id IN \(list: ids)", as: UserID.self
      )
    )
  }

  /// The users who follow the user.
  static func followers(of user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT follower_id FROM follows WHERE followed_id = \(user) AND follower_id IN \(list: ids)", as: UserID.self
      )
    )
  }

  private static func columns(_ side: Side) -> (own: SQL, other: SQL) {
    switch side {
    case .followers: ("followed_id", "follower_id")
    case .following: ("follower_id", "followed_id")
    }
  }

  // MARK: writing

  /// - Returns: `false` when the user already follows the other.
  static func insert(_ id: ID<Stored>, _ follower: UserID, of followed: UserID, in tx: Transaction) throws -> Bool {
    let added = try tx.execute(
      """
      INSERT INTO follows (follower_id, followed_id, id, followed_at)
      VALUES (\(follower), \(followed), \(id), \(tx.now)) ON CONFLICT DO NOTHING
      """
    )
    guard added > 0 else { return false }
    try tx.execute(
      """
      INSERT INTO follow_counts (user_id, followers, following) VALUES (\(followed), 1, 0), (\(follower), 0, 1)
      ON CONFLICT (user_id) DO UPDATE SET followers = follow_counts.followers + excluded.followers,
        following = follow_counts.following + excluded.following
      """
    )
    return true
  }

  /// - Returns: `false` when the user does not follow the other.
  static func delete(_ follower: UserID, of followed: UserID, in tx: Transaction) throws -> Bool {
    let removed = try tx.execute("DELETE FROM follows WHERE follower_id = \(follower) AND followed_id = \(followed)")
    guard removed > 0 else { return false }
    try tx.execute("UPDATE follow_counts SET followers = followers - 1 WHERE user_id = \(followed)")
    try tx.execute("UPDATE follow_counts SET following = following - 1 WHERE user_id = \(follower)")
    return true
  }

  /// Deletes the follows between two users, in both directions.
  static func delete(between one: UserID, and other: UserID, in tx: Transaction) throws {
    _ = try delete(one, of: other, in: tx)
    _ = try delete(other, of: one, in: tx)
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE follow_counts SET followers = followers - 1
      WHERE user_id IN (SELECT followed_id FROM follows WHERE follower_id = \(user))
      """
    )
    try tx.execute(
      """
      UPDATE follow_counts SET following = following - 1
      WHERE user_id IN (SELECT follower_id FROM follows WHERE followed_id = \(user))
      """
    )
    try tx.execute("DELETE FROM follow_counts WHERE user_id = \(user)")
    try tx.execute("DELETE FROM follows WHERE follower_id = \(user) OR followed_id = \(user)")
  }
}
