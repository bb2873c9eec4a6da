import Contracts
import Persistence

/// The events sent to each user in the last 24 hours, numbered per user in commit order.
struct EventLog: Sendable {
  let database: any Database

  static let keptSeconds = 86_400.0
  private static let batch = 100

  struct Entry: Sendable, Equatable {
    var sequence: Int64
    var name: String
    /// JSON.
    var data: String
  }

  /// Numbers and stores an event, in the transaction that records its receipt.
  static func append(_ event: RealtimeEvent, in tx: Transaction) throws {
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

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_events WHERE user_id = \(user)")
    try tx.execute("DELETE FROM realtime_users WHERE user_id = \(user)")
  }

  /// The first entries after a sequence number.
  func entries(of user: UserID, after sequence: Int64) async throws -> [Entry] {
    try await database.read { db in
      try db.all(
        """
        SELECT sequence, name, data FROM realtime_events WHERE user_id = \(user) AND sequence > \(sequence)
        ORDER BY sequence LIMIT \(Self.batch)
        """
      ) { row in Entry(sequence: try row["sequence"], name: try row["name"], data: try row["data"]) }
    }
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

  /// Where a stream starts.
  enum Start: Equatable, Sendable {
    case after(Int64)
    /// Missed events are no longer stored: the app must reload its data, and the stream continues after this number.
    case resync(Int64)
  }

  /// - Parameter lastSeen: The number of the last event that the app has seen; `nil` for a new stream.
  func start(of user: UserID, lastSeen: Int64?) async throws -> Start {
    try await database.read { db in
      let last = try db.value("SELECT last FROM realtime_users WHERE user_id = \(user)", as: Int64.self)
      let oldest = try db.value(
        "SELECT sequence FROM realtime_events WHERE user_id = \(user) ORDER BY sequence LIMIT 1",
        as: Int64.self
      )
      return Self.start(lastSeen: lastSeen, last: last ?? 0, oldest: oldest)
    }
  }

  static func start(lastSeen: Int64?, last: Int64, oldest: Int64?) -> Start {
    guard let lastSeen else { return .after(last) }
    if lastSeen == last { return .after(last) }
    let isKept = lastSeen < last && oldest.map { lastSeen >= $0 - 1 } ?? false
    return isKept ? .after(lastSeen) : .resync(last)
  }

  func purge() async throws {
    try await database.write { tx in
      try tx.execute(
        "DELETE FROM realtime_events WHERE created_at < \(tx.now.advanced(bySeconds: -Self.keptSeconds))"
      )
    }
  }
}
