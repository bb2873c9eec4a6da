public import Contracts

/// The operations for operators.
extension Outbox {
  /// The number of pending and of dead-lettered events of all subscribers, and when the oldest pending one was recorded.
  /// An event of a type that a subscriber does not receive counts until the relay has passed it, some seconds.
  public func counts() async throws -> (waiting: Int, dead: Int, oldest: Timestamp?) {
    try await database.read { db in
      let lanes = try db.count(
        """
        SELECT COALESCE(SUM(l.head - c.position), 0) FROM event_cursors c JOIN event_lanes l ON l.lane = c.lane
        WHERE c.position < l.head
        """
      )
      let new = try db.count(
        """
        SELECT COUNT(*) FROM outbox WHERE position IS NULL
          AND EXISTS (SELECT 1 FROM event_subscriptions s WHERE s.types LIKE '%"' || outbox.type || '"%')
        """
      )
      let deferred = try db.count("SELECT COUNT(*) FROM event_retries WHERE is_dead = 0")
      let dead = try db.count("SELECT COUNT(*) FROM event_retries WHERE is_dead = 1")
      // The first event after each cursor; types are stored as a JSON array of texts.
      let oldest = try db.values(
        """
        SELECT MIN(o.recorded_at) FROM event_cursors c
        JOIN event_subscriptions s ON s.subscriber = c.subscriber
        JOIN outbox o ON o.lane = c.lane AND o.position = c.position + 1
          AND (s.types = '["*"]' OR s.types LIKE '%"' || o.type || '"%')
        UNION ALL
        SELECT MIN(o.recorded_at) FROM event_retries r JOIN outbox o ON o.id = r.event_id WHERE r.is_dead = 0
        """,
        as: Timestamp?.self)
      return (lanes + new + deferred, dead, oldest.compactMap { $0 }.min())
    }
  }

  /// A delivery in the dead-letter queue, for operators.
  public struct DeadLetter: Codable, Sendable {
    public var subscriber: String
    public var eventID: String
    public var type: String
    public var subject: String
    public var attempts: Int
    public var failure: String?
    /// `nil` for an event that has come by a broker.
    public var recordedAt: Timestamp?
  }

  /// How many dead letters there are of each type and subscriber, most first.
  public static func deadLetterCounts(in db: any Connection) throws -> [DeadLetterCount] {
    try db.all(
      """
      SELECT o.type, r.subscriber, COUNT(*) AS letters FROM event_retries r JOIN outbox o ON o.id = r.event_id
      WHERE r.is_dead = 1 GROUP BY o.type, r.subscriber ORDER BY letters DESC, o.type, r.subscriber
      """
    ) { row in DeadLetterCount(type: try row["type"], subscriber: try row["subscriber"], count: try row["letters"]) }
  }

  /// Deliveries in the dead-letter queue, newest first.
  public func deadLetters(limit: Int = 100) async throws -> [DeadLetter] {
    try await database.read { db in
      try db.all(
        """
        SELECT r.subscriber, r.event_id, o.type, r.subject, r.attempts, r.failure, o.recorded_at
        FROM event_retries r JOIN outbox o ON o.id = r.event_id
        WHERE r.is_dead = 1 ORDER BY o.recorded_at DESC, r.event_id DESC LIMIT \(limit)
        """
      ) { row in
        DeadLetter(
          subscriber: try row["subscriber"],
          eventID: try row["event_id"],
          type: try row["type"],
          subject: try row["subject"],
          attempts: try row["attempts"],
          failure: try row["failure"],
          recordedAt: try row["recorded_at"]
        )
      }
    }
  }

  /// Schedules dead-lettered deliveries again; returns their number.
  @discardableResult
  public func reviveDeadLetters(_ selection: DeadLetterSelection = .all) async throws -> Int {
    try await EventRetries.revive(selection, in: database)
  }

  /// Delivers the retained events again that were recorded since a time, for a consumer that has lost what it had
  /// received, such as one restored from a backup. Consumers that remember an event do not apply it again. With a broker,
  /// the broker receives them, for all consumers.
  ///
  /// - Parameter subscriber: Only to this one; to all by default.
  /// - Returns: The number of events that each subscriber passes again, also those of types that it does not receive.
  public func replay(since: Timestamp, to subscriber: String? = nil) async throws -> [(subscriber: String, events: Int)]
  {
    // Before the transaction, because it reads all events since then.
    let starts = try await database.read { db in
      try db.all(
        """
        SELECT lane, MIN(position) AS first FROM outbox
        WHERE recorded_at >= \(since) AND position IS NOT NULL GROUP BY lane ORDER BY lane
        """
      ) { row -> (lane: Int, first: Int) in (try row["lane"], try row["first"]) }
    }
    return try await write { tx in
      var names = Set(try tx.values("SELECT subscriber FROM event_subscriptions", as: String.self))
      if let subscriber, !names.contains(subscriber) { return [] }
      if names.contains(Self.bus.subscriber) {
        names = [Self.bus.subscriber]
      } else if let subscriber {
        names = [subscriber]
      }
      let isWanted: SQL = "subscriber IN \(list: names.sorted())"
      var counts = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
      for (lane, first) in starts {
        let moved = try tx.all(
          """
          SELECT c.subscriber, c.position - \(first) + 1 AS events FROM event_cursors c
          WHERE c.lane = \(lane) AND c.position >= \(first) AND \(isWanted)
          """
        ) { row -> (subscriber: String, events: Int) in (try row["subscriber"], try row["events"]) }
        for (name, events) in moved { counts[name, default: 0] += events }
        // Without its claim, a batch on its way does not move the cursor forward again.
        try tx.execute(
          """
          UPDATE event_cursors SET position = \(first) - 1, claim = NULL, claimed_until = 0
          WHERE lane = \(lane) AND position >= \(first) - 1 AND \(isWanted)
          """
        )
      }
      tx.wakeRelay()
      return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }
}
