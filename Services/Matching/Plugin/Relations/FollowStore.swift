import Contracts
import Persistence

/// Who follows whom.
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

  /// The lengths of those lists; users whose list is empty are left out.
  static func counts(_ side: Side, of users: [UserID], for viewer: UserID, in db: any Connection) throws
    -> [UserID: Int]
  {
    let (own, other) = columns(side)
    let rows = try db.all(
      """
      SELECT \(own) AS user_id, COUNT(*) AS count FROM follows
      WHERE \(own) IN \(list: users) AND \(other) NOT IN \(BlockStore.others(of: viewer)) GROUP BY \(own)
      """
    ) { row -> (user: UserID, count: Int) in (try row["user_id"], try row["count"]) }
    return Dictionary(rows.map { ($0.user, $0.count) }) { first, _ in first }
  }

  /// Those of the users whom the user follows.
  static func followed(by user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT followed_id FROM follows WHERE follower_id = \(user) AND followed_id IN \(list: ids)", as: UserID.self
      )
    )
  }

  /// Those of the users who follow the user.
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
    try tx.execute(
      """
      INSERT INTO follows (follower_id, followed_id, id, followed_at)
      VALUES (\(follower), \(followed), \(id), \(tx.now)) ON CONFLICT DO NOTHING
      """
    ) > 0
  }

  /// - Returns: `false` when the user does not follow the other.
  static func delete(_ follower: UserID, of followed: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM follows WHERE follower_id = \(follower) AND followed_id = \(followed)") > 0
  }

  /// Deletes the follows between two users, in both directions.
  static func delete(between one: UserID, and other: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM follows
      WHERE follower_id = \(one) AND followed_id = \(other) OR follower_id = \(other) AND followed_id = \(one)
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM follows WHERE follower_id = \(user) OR followed_id = \(user)")
  }
}
