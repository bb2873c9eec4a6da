import Contracts
import Persistence

/// When and how much users have studied their sets.
enum SetActivityStore {
  typealias Activity = (set: StudySetID, total: StudyTotals.SetTotal)

  /// The most recently studied first.
  static func list(of user: UserID, limit: Int, in db: any Connection) throws -> [Activity] {
    try db.all(
      """
      SELECT set_id, last_at, milliseconds, entries, reviews FROM set_activity
      WHERE user_id = \(user) ORDER BY last_at DESC, set_id LIMIT \(limit)
      """
    ) { row in
      let set: StudySetID = try row["set_id"]
      return (
        set,
        StudyTotals.SetTotal(
          lastAt: try row["last_at"], milliseconds: try row["milliseconds"], entries: try row["entries"],
          reviews: try row["reviews"])
      )
    }
  }

  static func list(of users: [UserID], in sets: [StudySetID], _ db: any Connection) throws
    -> [(user: UserID, set: StudySetID, total: StudyTotals.SetTotal)]
  {
    guard !users.isEmpty, !sets.isEmpty else { return [] }
    return try db.all(
      """
      SELECT user_id, set_id, last_at, milliseconds, entries, reviews FROM set_activity
      WHERE user_id IN \(list: users) AND set_id IN \(list: sets)
      """
    ) { row in
      let (user, set): (UserID, StudySetID) = (try row["user_id"], try row["set_id"])
      return (
        user, set,
        StudyTotals.SetTotal(
          lastAt: try row["last_at"], milliseconds: try row["milliseconds"], entries: try row["entries"],
          reviews: try row["reviews"])
      )
    }
  }

  /// Adds totals to those that are stored.
  static func add(_ totals: StudyTotals, of user: UserID, in tx: Transaction) throws {
    let rows = totals.sets.sorted { $0.key.rawValue < $1.key.rawValue }.map { set, total -> [SQLValue] in
      [
        user.sqlValue, set.sqlValue, total.lastAt.sqlValue, total.milliseconds.sqlValue, total.entries.sqlValue,
        total.reviews.sqlValue,
      ]
    }
    try tx.execute(
      "INSERT INTO set_activity (user_id, set_id, last_at, milliseconds, entries, reviews) VALUES", rows: rows,
      """
      ON CONFLICT (user_id, set_id) DO UPDATE SET
        last_at = CASE WHEN excluded.last_at > set_activity.last_at
          THEN excluded.last_at ELSE set_activity.last_at END,
        milliseconds = set_activity.milliseconds + excluded.milliseconds,
        entries = set_activity.entries + excluded.entries, reviews = set_activity.reviews + excluded.reviews
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_activity WHERE user_id = \(user)")
  }
}
