import Contracts
import Persistence

typealias MatchID = ID<RoommateMatch>

/// A match as one of the two sees it.
struct StoredMatch: Sendable {
  let id: MatchID
  let other: UserID
  let at: Timestamp
}

/// Pairs of users who like each other, stored in both directions. A pair that has ended remains, so that it never
/// becomes a match again.
enum MatchStore {
  static func areMatched(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    try find(one, other, in: db) != nil
  }

  /// The users with whom the user has a match.
  static func matched(to user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        """
        SELECT other_id FROM roommate_matches
        WHERE user_id = \(user) AND other_id IN \(list: ids) AND matched_at IS NOT NULL AND ended_at IS NULL
        """))
  }

  static func find(_ user: UserID, _ other: UserID, in db: any Connection) throws -> StoredMatch? {
    try list("other_id = \(other)", of: user, before: nil, limit: 1, in: db).first
  }

  static func list(of user: UserID, before cursor: MatchID?, limit: Int, in db: any Connection) throws
    -> [StoredMatch]
  { try list(nil, of: user, before: cursor, limit: limit, in: db) }

  private static func list(
    _ condition: SQL?, of user: UserID, before cursor: MatchID?, limit: Int, in db: any Connection
  ) throws -> [StoredMatch] {
    let filter = SQL.and("user_id = \(user)", condition, cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT id, other_id, matched_at FROM roommate_matches
      WHERE \(filter) AND matched_at IS NOT NULL AND ended_at IS NULL ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in StoredMatch(id: try row["id"], other: try row["other_id"], at: try row["matched_at"]) }
  }

  /// The users with whom the user has or had a match, or whom they must not see again.
  static func others(of user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values("SELECT other_id FROM roommate_matches WHERE user_id = \(user) AND other_id IN \(list: ids)"))
  }

  /// Such pairs among some users.
  static func pairs(among users: [UserID], in db: any Connection) throws -> [(UserID, UserID)] {
    try db.all(
      """
      SELECT user_id, other_id FROM roommate_matches
      WHERE user_id IN \(list: users) AND other_id IN \(list: users)
      """
    ) { row in (try row["user_id"], try row["other_id"]) }
  }

  static func hasEnded(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM roommate_matches WHERE user_id = \(one) AND other_id = \(other) AND ended_at IS NOT NULL
      """)
  }

  /// Makes two users a match.
  static func insert(_ id: MatchID, _ one: UserID, _ other: UserID, in tx: Transaction) throws {
    for (user, partner) in [(one, other), (other, one)] {
      try tx.execute(
        """
        INSERT INTO roommate_matches (user_id, other_id, id, matched_at)
        VALUES (\(user), \(partner), \(id), \(tx.now))
        """)
    }
  }

  /// Ends a match when one of the users blocks the other. Neither is shown to the other again.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws {
    let changed = try tx.execute(
      """
      UPDATE roommate_matches SET ended_at = \(tx.now)
      WHERE ((user_id = \(one) AND other_id = \(other)) OR (user_id = \(other) AND other_id = \(one)))
        AND ended_at IS NULL
      """)
    guard changed == 0, try !hasEnded(one, other, in: tx), try RoommateProfileStore.isVisible(one, in: tx),
      try RoommateProfileStore.isVisible(other, in: tx)
    else { return }
    for (user, partner) in [(one, other), (other, one)] {
      // The id only orders lists of matches, in which this row never is.
      try tx.execute(
        """
        INSERT INTO roommate_matches (user_id, other_id, id, ended_at)
        VALUES (\(user), \(partner), \(""), \(tx.now))
        """)
    }
  }

  /// Deletes the matches of someone who deletes their profile. Pairs that have ended remain.
  /// - Returns: The other users of the matches.
  static func deleteMatches(of user: UserID, in tx: Transaction) throws -> [UserID] {
    let others = try tx.values(
      "SELECT other_id FROM roommate_matches WHERE user_id = \(user) AND matched_at IS NOT NULL AND ended_at IS NULL",
      as: UserID.self)
    try tx.execute("DELETE FROM roommate_matches WHERE user_id = \(user) AND ended_at IS NULL")
    try tx.execute("DELETE FROM roommate_matches WHERE other_id = \(user) AND ended_at IS NULL")
    return others
  }

  static func deleteAll(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_matches WHERE user_id = \(user)")
    try tx.execute("DELETE FROM roommate_matches WHERE other_id = \(user)")
  }
}
