import Contracts
import Persistence

/// The log of events. Numbers come from one row that each transaction increments, and locks until it has committed: they
/// are in commit order, and no reader that asks for those after the last known one misses any. Transactions that write it
/// read what is committed, so that they wait for the row instead of being repeated.
enum EventLogStore {
  /// A topic keeps at least this many of its events, and twice as many at most.
  static let keptPerTopic = 256
  /// The log has as many changes of a stream as a session may make in a minute; gateways read it within seconds.
  static let changesPerStream = 30
  private static let purged = 1000

  /// The range of numbers that the log holds.
  struct Range: Sendable, Equatable {
    /// The number of the latest event.
    var last: Int64
    /// Events up to this number may have been deleted for their age.
    var floor: Int64
  }

  // MARK: writing

  static func insert(_ event: RealtimeEvent, in tx: Transaction) throws {
    try LoggedEvent.check(event.name, at: "body.data.name")
    let number = try nextNumber(in: tx)
    try insert(.user(event.userID), number, event.name, event.data, in: tx)
  }

  /// Stores one entry for the topic, and one for each of the users.
  static func insert(_ event: TopicEvent, in tx: Transaction) throws {
    try LoggedEvent.check(event.name, at: "body.data.name")
    let number = try nextNumber(in: tx)
    let subject = LoggedEvent.Subject.topic(event.topic)
    try insert(subject, number, event.name, event.data, in: tx)
    for user in Set(event.users) { try insert(.user(user), number, event.name, event.data, in: tx) }
    try tx.execute(
      """
      INSERT INTO realtime_topics (subject, kept, dropped_through, last_at) VALUES (\(subject.text), 1, 0, \(tx.now))
      ON CONFLICT (subject) DO UPDATE SET kept = realtime_topics.kept + 1, last_at = excluded.last_at
      """
    )
    try trim(subject.text, in: tx)
  }

  static func insert(_ ended: TopicAccessEnded, in tx: Transaction) throws {
    guard !ended.topics.isEmpty else { return }
    let number = try nextNumber(in: tx)
    try insert(.access, number, "access", JSONValue(ended), in: tx)
    try TopicEndStore.insert(ended, at: number, in: tx)
  }

  static func insert(_ change: TopicsChange, of stream: StreamID, in tx: Transaction) throws {
    // The changes before it stay for gateways that have not read them: events between two changes belong to what the
    // first one says.
    let subject = LoggedEvent.Subject.stream(stream)
    try insert(subject, nextNumber(in: tx), "topics", JSONValue(change), in: tx)
    try tx.execute(
      """
      DELETE FROM realtime_log WHERE subject = \(subject.text) AND number <=
        (SELECT number FROM realtime_log WHERE subject = \(subject.text)
         ORDER BY number DESC LIMIT 1 OFFSET \(changesPerStream))
      """
    )
  }

  /// Deletes what streams shall follow that have closed.
  static func delete(of streams: [StreamID], in tx: Transaction) throws {
    let subjects = streams.map { LoggedEvent.Subject.stream($0).text }
    try tx.execute("DELETE FROM realtime_log WHERE subject IN \(list: subjects)")
  }

  private static func nextNumber(in tx: Transaction) throws -> Int64 {
    try tx.value("UPDATE realtime_state SET last = last + 1 WHERE id = 1 RETURNING last", as: Int64.self) ?? 0
  }

  private static func insert(
    _ subject: LoggedEvent.Subject, _ number: Int64, _ name: String, _ data: JSONValue, in tx: Transaction
  ) throws {
    try tx.executeLater(
      """
      INSERT INTO realtime_log (number, subject, name, data, created_at)
      VALUES (\(number), \(subject.text), \(name), \(json: data), \(tx.now))
      """
    )
  }

  /// Deletes the oldest events of a topic that has too many.
  private static func trim(_ subject: String, in tx: Transaction) throws {
    let kept = try tx.count("SELECT kept FROM realtime_topics WHERE subject = \(subject)")
    guard kept > 2 * keptPerTopic else { return }
    let last: Int64? = try tx.value(
      "SELECT number FROM realtime_log WHERE subject = \(subject) ORDER BY number DESC LIMIT 1 OFFSET \(keptPerTopic)"
    )
    // There may be fewer, because old events have been deleted for their age.
    guard let last else {
      try tx.execute(
        """
        UPDATE realtime_topics SET kept = (SELECT COUNT(*) FROM realtime_log l WHERE l.subject = realtime_topics.subject)
        WHERE subject = \(subject)
        """
      )
      return
    }
    try tx.execute("DELETE FROM realtime_log WHERE subject = \(subject) AND number <= \(last)")
    try tx.execute(
      "UPDATE realtime_topics SET kept = \(keptPerTopic), dropped_through = \(last) WHERE subject = \(subject)"
    )
  }

  /// Deletes some of the events before a moment.
  /// - Returns: Whether there may be more.
  static func purge(before moment: Timestamp, in tx: Transaction) throws -> Bool {
    let oldest = try tx.all("SELECT number, created_at FROM realtime_log ORDER BY number LIMIT \(purged)") {
      row -> (number: Int64, at: Timestamp) in (try row["number"], try row["created_at"])
    }
    let old = oldest.prefix { $0.at < moment }
    guard let last = old.last?.number else {
      try tx.execute("DELETE FROM realtime_topics WHERE last_at < \(moment)")
      try TopicEndStore.delete(before: moment, in: tx)
      return false
    }
    try tx.execute("DELETE FROM realtime_log WHERE number <= \(last)")
    try tx.execute("UPDATE realtime_state SET floor = \(last) WHERE id = 1 AND floor < \(last)")
    return old.count == purged
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_log WHERE subject = \(LoggedEvent.Subject.user(user).text)")
  }

  // MARK: reading

  static func range(in db: any Connection) throws -> Range {
    let range = try db.first("SELECT last, floor FROM realtime_state WHERE id = 1") { row in
      Range(last: try row["last"], floor: try row["floor"])
    }
    return range ?? Range(last: 0, floor: 0)
  }

  /// All entries with numbers after one and up to another, in order.
  static func list(after: Int64, through: Int64, in db: any Connection) throws -> [LoggedEvent] {
    try db.all(
      """
      SELECT number, subject, name, data FROM realtime_log WHERE number > \(after) AND number <= \(through)
      ORDER BY number, subject DESC
      """, decode
    ).compactMap(\.self)
  }

  /// The first entries of some subjects. Sorted by an expression, because the databases would otherwise read the log in
  /// the order of numbers and skip what is of other subjects.
  static func list(
    of subjects: [LoggedEvent.Subject], after: Int64, through: Int64, limit: Int, in db: any Connection
  ) throws -> [LoggedEvent] {
    try db.all(
      """
      SELECT number, subject, name, data FROM realtime_log
      WHERE subject IN \(list: subjects.map(\.text)) AND number > \(after) AND number <= \(through)
      ORDER BY number + 0, subject DESC LIMIT \(limit)
      """, decode
    ).compactMap(\.self)
  }

  /// Entries of users come before those of topics with the same number.
  private static func decode(_ row: Row) throws -> LoggedEvent? {
    let subject: String = try row["subject"]
    // A later version may have other subjects.
    guard let subject = LoggedEvent.Subject(subject) else { return nil }
    return LoggedEvent(number: try row["number"], subject: subject, name: try row["name"], data: try row["data"])
  }

  /// The topics of which events after a number have been deleted because there were too many.
  static func trimmed(_ topics: Set<Topic>, after number: Int64, in db: any Connection) throws -> Set<Topic> {
    guard !topics.isEmpty else { return [] }
    let subjects = topics.map { LoggedEvent.Subject.topic($0).text }
    return try trimmed("subject IN \(list: subjects) AND dropped_through > \(number)", in: db)
  }

  /// All such topics.
  static func trimmed(after number: Int64, in db: any Connection) throws -> Set<Topic> {
    try trimmed("dropped_through > \(number)", in: db)
  }

  private static func trimmed(_ condition: SQL, in db: any Connection) throws -> Set<Topic> {
    let subjects = try db.values("SELECT subject FROM realtime_topics WHERE \(condition)", as: String.self)
    return Set(
      subjects.compactMap { text in
        if case .topic(let topic)? = LoggedEvent.Subject(text) { topic } else { nil }
      }
    )
  }

  /// The user's events in the log, for the data export.
  static func export(_ user: UserID, in db: any Connection) throws -> JSONValue {
    .array(
      try db.all(
        """
        SELECT number, name, data, created_at FROM realtime_log WHERE subject = \(LoggedEvent.Subject.user(user).text)
        ORDER BY number + 0 LIMIT 10000
        """
      ) { row -> JSONValue in
        let at: Timestamp = try row["created_at"]
        return [
          "id": .integer(try row["number"]), "event": .string(try row["name"]),
          "data": try row[json: "data"], "at": .string(at.description),
        ]
      }
    )
  }
}
