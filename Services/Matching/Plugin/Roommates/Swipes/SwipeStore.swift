import Contracts
import Persistence

typealias SwipeID = ID<RoommateSwipe>

/// A swipe as stored; an undone dislike remains as a row, so that caches of seen users are updated.
struct StoredSwipe: Sendable {
  enum Decision: String { case like, dislike, undone }

  let target: UserID
  let sequence: Int64
  let decision: Decision
}

/// A like in a list.
struct StoredLike: Sendable {
  let id: SwipeID
  let other: UserID
  let at: Timestamp
}

/// Stores one swipe for each pair of swiper and target. Every change has the next number of its swiper.
enum SwipeStore {
  static func decision(of user: UserID, on target: UserID, in db: any Connection) throws -> RoommateDecision? {
    let stored = try db.first(
      "SELECT decision FROM roommate_swipes WHERE user_id = \(user) AND target_id = \(target)"
    ) { row -> StoredSwipe.Decision in try row["decision"] }
    return stored.flatMap { RoommateDecision(rawValue: $0.rawValue) }
  }

  /// The swipes of a user after a number, in order.
  static func list(of user: UserID, after sequence: Int64, in db: any Connection) throws -> [StoredSwipe] {
    try db.all(
      """
      SELECT target_id, seq, decision FROM roommate_swipes WHERE user_id = \(user) AND seq > \(sequence) ORDER BY seq
      """
    ) { row in StoredSwipe(target: try row["target_id"], sequence: try row["seq"], decision: try row["decision"]) }
  }

  /// The targets on whom the user has swiped.
  static func seen(by user: UserID, among targets: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        """
        SELECT target_id FROM roommate_swipes
        WHERE user_id = \(user) AND target_id IN \(list: targets) AND decision <> 'undone'
        """))
  }

  /// Pairs of swiper and target among some users.
  static func pairs(among users: [UserID], in db: any Connection) throws -> [(UserID, UserID)] {
    try db.all(
      """
      SELECT user_id, target_id FROM roommate_swipes
      WHERE user_id IN \(list: users) AND target_id IN \(list: users) AND decision <> 'undone'
      """
    ) { row in (try row["user_id"], try row["target_id"]) }
  }

  static func save(
    _ decision: RoommateDecision, _ id: SwipeID, of user: UserID, on target: UserID, in tx: Transaction
  ) throws {
    let sequence = try nextNumber(of: user, in: tx)
    try tx.execute(
      """
      INSERT INTO roommate_swipes (user_id, target_id, seq, id, decision, is_answered, swiped_at)
      VALUES (\(user), \(target), \(sequence), \(id), \(decision),
        (SELECT COUNT(*) FROM roommate_swipes AS other
         WHERE other.user_id = \(target) AND other.target_id = \(user) AND other.decision <> 'undone'), \(tx.now))
      ON CONFLICT (user_id, target_id) DO UPDATE SET seq = excluded.seq, id = excluded.id,
        decision = excluded.decision, swiped_at = excluded.swiped_at
      """)
    try setAnswered(true, "user_id = \(target) AND target_id = \(user)", in: tx)
  }

  /// Whether the targets of swipes have swiped as well: those who are popular have answered too many to look for it.
  private static func setAnswered(_ isAnswered: Bool, _ condition: SQL, in tx: Transaction) throws {
    try tx.execute("UPDATE roommate_swipes SET is_answered = \(isAnswered) WHERE \(condition)")
  }

  /// Undoes the latest dislike.
  /// - Returns: Whom it was about; `nil` without a dislike.
  static func undoDislike(of user: UserID, in tx: Transaction) throws -> UserID? {
    let latest: UserID? = try tx.value(
      """
      SELECT target_id FROM roommate_swipes WHERE user_id = \(user) AND decision = 'dislike' ORDER BY id DESC LIMIT 1
      """)
    guard let latest else { return nil }
    let sequence = try nextNumber(of: user, in: tx)
    try tx.execute(
      """
      UPDATE roommate_swipes SET decision = 'undone', seq = \(sequence)
      WHERE user_id = \(user) AND target_id = \(latest)
      """)
    try setAnswered(false, "user_id = \(latest) AND target_id = \(user)", in: tx)
    return latest
  }

  private static func nextNumber(of user: UserID, in tx: Transaction) throws -> Int64 {
    try tx.execute(
      """
      INSERT INTO roommate_swipers (user_id, seq) VALUES (\(user), 1)
      ON CONFLICT (user_id) DO UPDATE SET seq = roommate_swipers.seq + 1
      """)
    return try tx.value("SELECT seq FROM roommate_swipers WHERE user_id = \(user)") ?? 1
  }

  /// Likes that are neither a match nor were one. Those received are by people on whom the user has not swiped.
  static func likes(
    _ direction: LikeDirection, of user: UserID, before cursor: SwipeID?, limit: Int, in db: any Connection
  ) throws -> [StoredLike] {
    let filter: SQL =
      switch direction {
      case .received:
        "likes.target_id = \(user) AND likes.decision = 'like' AND likes.is_answered = 0"
      case .given: "likes.user_id = \(user) AND likes.decision = 'like'"
      }
    let other: SQL = direction == .received ? "likes.user_id" : "likes.target_id"
    let condition = SQL.and(filter, cursor.map { "likes.id < \($0)" })
    return try db.all(
      """
      SELECT likes.id AS id, \(other) AS other_id, likes.swiped_at AS swiped_at FROM roommate_swipes AS likes
      WHERE \(condition) AND NOT EXISTS (
          SELECT 1 FROM roommate_matches WHERE roommate_matches.user_id = \(user)
            AND roommate_matches.other_id = \(other))
        AND EXISTS (
          SELECT 1 FROM roommate_profiles
          WHERE roommate_profiles.user_id = \(other) AND roommate_profiles.is_complete = 1)
      ORDER BY likes.id DESC LIMIT \(limit)
      """
    ) { row in StoredLike(id: try row["id"], other: try row["other_id"], at: try row["swiped_at"]) }
  }

  /// Everything that a user has decided, for the export.
  static func all(of user: UserID, in db: any Connection) throws -> [(target: UserID, decision: String, at: Timestamp)]
  {
    try db.all(
      """
      SELECT target_id, decision, swiped_at FROM roommate_swipes WHERE user_id = \(user) ORDER BY seq
      """
    ) { row in (try row["target_id"], try row["decision"], try row["swiped_at"]) }
  }

  /// Deletes what a user has decided.
  static func deleteGiven(by user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_swipes WHERE user_id = \(user)")
    try setAnswered(false, "target_id = \(user)", in: tx)
    try tx.execute("DELETE FROM roommate_swipers WHERE user_id = \(user)")
  }

  /// Deletes what others have decided about a user.
  static func deleteReceived(by user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_swipes WHERE target_id = \(user)")
  }
}
