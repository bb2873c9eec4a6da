import Contracts
import Persistence

/// The events sent to each user in the last 24 hours, numbered per user in commit order.
enum EventStore {
  private static let batch = 100

  struct Entry: Sendable, Equatable {
    var sequence: Int64
    var name: String
    /// JSON.
    var data: String
  }

  /// Numbers and stores an event, in the transaction that records its receipt.
  static func insert(_ event: RealtimeEvent, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO realtime_users (user_id, last) VALUES (\(event.userID), 1)
      ON CONFLICT (user_id) DO UPDATE SET last = realtime_users.last + 1
      """
    )
    try tx.execute(
      """
      INSERT INTO realtime_events (user_id, sequence, name, data, created_at)
      SELECT user_id, last, \(event.name), \(json: event.data), \(tx.now) FROM realtime_users WHERE user_id = \(event.userID)
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_events WHERE user_id = \(user)")
    try tx.execute("DELETE FROM realtime_users WHERE user_id = \(user)")
  }

  /// The first entries after a sequence number.
  static func list(of user: UserID, after sequence: Int64, in db: any Connection) throws -> [Entry] {
    try db.all(
      """
      SELECT sequence, name, data FROM realtime_events WHERE user_id = \(user) AND sequence > \(sequence)
      ORDER BY sequence LIMIT \(batch)
      """
    ) { row in Entry(sequence: try row["sequence"], name: try row["name"], data: try row["data"]) }
  }

  /// The number of the user's last event, and that of the oldest one that is still stored.
  static func range(of user: UserID, in db: any Connection) throws -> (last: Int64, oldest: Int64?) {
    let last = try db.value("SELECT last FROM realtime_users WHERE user_id = \(user)", as: Int64.self)
    let oldest = try db.value(
      "SELECT sequence FROM realtime_events WHERE user_id = \(user) ORDER BY sequence LIMIT 1",
      as: Int64.self
    )
    return (last ?? 0, oldest)
  }

  /// The user's events in the log, for the data export.
  static func export(_ user: UserID, in db: any Connection) throws -> JSONValue {
    .array(
      try db.all(
        """
        SELECT sequence, name, data, created_at FROM realtime_events WHERE user_id = \(user) ORDER BY sequence LIMIT 10000
        """
      ) { row -> JSONValue in
        let at: Timestamp = try row["created_at"]
        return [
          "id": .integer(try row["sequence"]), "event": .string(try row["name"]),
          "data": try row[json: "data"], "at": .string(at.description),
        ]
      }
    )
  }

  static func delete(before moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_events WHERE created_at < \(moment)")
  }
}
