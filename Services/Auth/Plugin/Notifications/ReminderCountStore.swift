import Contracts
import Persistence

/// How many notifications a user was sent on the latest local day.
enum ReminderCountStore {
  /// Counts a notification.
  /// - Returns: `false` when the day's maximum is reached or the user has no device; nothing is counted then.
  static func take(_ kind: NotificationKind, of user: UserID, on day: CalendarDate, in tx: Transaction) throws -> Bool {
    if kind == .security { return true }
    guard try tx.exists("SELECT 1 FROM devices WHERE user_id = \(user) LIMIT 1") else { return false }
    let today = day.description
    let counts = try tx.all(
      "SELECT kind, count FROM notification_counts WHERE user_id = \(user) AND day = \(today)"
    ) { row -> (kind: String, count: Int) in (try row["kind"], try row["count"]) }
    let ofKind = counts.first { $0.kind == kind.rawValue }?.count ?? 0
    guard ofKind < ReminderDelivery.maxPerDay(of: kind),
      counts.reduce(0, { $0 + $1.count }) < ReminderDelivery.maxPerDay
    else { return false }
    try tx.execute("DELETE FROM notification_counts WHERE user_id = \(user) AND day <> \(today)")
    try tx.execute(
      """
      INSERT INTO notification_counts (user_id, day, kind, count) VALUES (\(user), \(today), \(kind), 1)
      ON CONFLICT (user_id, kind) DO UPDATE SET count = notification_counts.count + 1
      """
    )
    return true
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM notification_counts WHERE user_id = \(user)")
  }
}
