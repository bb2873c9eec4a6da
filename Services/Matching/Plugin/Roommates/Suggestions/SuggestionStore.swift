import Contracts
import Persistence

/// Stores who is suggested to whom on a day, in both directions, and for which regions that has been decided.
enum SuggestionStore {
  static func find(of user: UserID, on day: CalendarDate, in db: any Connection) throws -> UserID? {
    try db.value("SELECT other_id FROM roommate_suggestions WHERE day = \(day) AND user_id = \(user)")
  }

  static func isDecided(_ region: String, on day: CalendarDate, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM roommate_suggestion_pools WHERE day = \(day) AND region = \(region)")
  }

  /// The users who already have a suggestion.
  static func suggested(among users: [UserID], on day: CalendarDate, in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT user_id FROM roommate_suggestions WHERE day = \(day) AND user_id IN \(list: users)"))
  }

  /// Stores the pairs of a region, unless they have been decided meanwhile.
  static func save(_ pairs: [(UserID, UserID)], of region: String, on day: CalendarDate, in tx: Transaction) throws {
    let added = try tx.execute(
      "INSERT INTO roommate_suggestion_pools (day, region) VALUES (\(day), \(region)) ON CONFLICT DO NOTHING")
    guard added > 0, !pairs.isEmpty else { return }
    let taken = try suggested(among: pairs.flatMap { [$0, $1] }, on: day, in: tx)
    for (one, other) in pairs where !taken.contains(one) && !taken.contains(other) {
      try tx.execute(
        """
        INSERT INTO roommate_suggestions (day, user_id, other_id)
        VALUES (\(day), \(one), \(other)), (\(day), \(other), \(one))
        """)
    }
  }

  /// Deletes the suggestions to and of a user.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_suggestions WHERE user_id = \(user)")
    try tx.execute("DELETE FROM roommate_suggestions WHERE other_id = \(user)")
  }

  /// Deletes what was decided before a day.
  static func purge(before day: CalendarDate, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_suggestions WHERE day < \(day)")
    try tx.execute("DELETE FROM roommate_suggestion_pools WHERE day < \(day)")
  }
}
