import Contracts
import Persistence

/// When users opened or studied their sets last.
enum SetVisitStore {
  /// Keeps the latest time.
  static func record(_ set: StudySetID, by user: UserID, at time: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO set_visits (user_id, set_id, opened_at) VALUES (\(user), \(set), \(time))
      ON CONFLICT (user_id, set_id) DO UPDATE SET opened_at = excluded.opened_at
        WHERE excluded.opened_at > set_visits.opened_at
      """
    )
  }

  static func list(of user: UserID, in db: any Connection) throws -> [(set: StudySetID, at: Timestamp)] {
    try db.all("SELECT set_id, opened_at FROM set_visits WHERE user_id = \(user) ORDER BY set_id") { row in
      (try row["set_id"], try row["opened_at"])
    }
  }

  /// Whether a user has ever opened a set of an owner.
  static func hasOpened(setsOf owner: UserID, by user: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM set_visits v JOIN space_grants g ON g.space_id = v.set_id
      WHERE v.user_id = \(user) AND g.user_id = \(owner) AND g.source = \(SetMembers.owner) LIMIT 1
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_visits WHERE user_id = \(user)")
  }
}

/// Studying a set opens it.
struct SetVisitObserver: StudyObserver {
  func entriesAppended(_ entries: [LogEntry], by user: UserID, in tx: Transaction) throws {
    var latest: [StudySetID: Timestamp] = [:]
    for entry in entries {
      guard let set = entry.set else { continue }
      // A device's clock may be wrong.
      latest[set] = max(latest[set] ?? Timestamp(microseconds: 0), min(entry.at, tx.now))
    }
    // Entries may name any id.
    let known = try VisibleSets.known(Set(latest.keys), to: user, in: tx)
    for (set, time) in latest.filter({ known.contains($0.key) }).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try SetVisitStore.record(set, by: user, at: time, in: tx)
    }
  }
}
