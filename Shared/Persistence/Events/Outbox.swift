public import Contracts

/// A subscriber of a service's events.
public struct EventSubscription: Sendable, Equatable {
  /// The consuming service's name.
  public var subscriber: String
  /// The base URL of its `/events` endpoint; `local:` when it runs in this process.
  public var url: String
  public var types: [String]

  public init(subscriber: String, url: String, types: [String]) {
    self.subscriber = subscriber
    self.url = url
    self.types = types
  }
}

/// The delivery of one event to one subscriber.
public struct Delivery: Sendable, Equatable {
  public var subscriber: String
  public var url: String
  public var eventID: String
  public var type: String
  public var subject: String
  public var data: String
  public var traceparent: String?
  public var recordedAt: Timestamp
  /// The number of previous attempts.
  public var attempts: Int
}

/// The outcome of a delivery attempt, decided by the relay and recorded by the outbox.
public enum DeliveryOutcome: Sendable, Equatable {
  case delivered
  case retry(at: Timestamp, failure: String)
  /// Moved to the dead-letter queue.
  case dead(failure: String)
}

/// A transactional outbox: the pending event deliveries of each subscriber. Each row carries its own state because
/// neither ids nor sequence numbers follow the commit order.
public struct Outbox: Sendable {
  private let database: any Database

  /// How long a claimed delivery is reserved, in seconds; longer than an attempt can take.
  public static let claimSeconds = 30.0
  /// How long delivered events are retained for future subscribers, in seconds.
  public static let retentionSeconds = 7 * 24.0 * 3600
  /// How long after its last subscription request a subscriber is removed, in seconds.
  public static let departureSeconds = 90 * 24.0 * 3600

  public init(database: any Database) { self.database = database }

  /// Adds or updates a subscriber. A new subscriber also receives the retained events.
  public func subscribe(_ subscription: EventSubscription) async throws {
    try await database.write { tx in
      let isNew =
        try !tx.exists("SELECT 1 FROM event_subscriptions WHERE subscriber = \(subscription.subscriber)")
      try tx.execute(
        """
        INSERT INTO event_subscriptions (subscriber, url, types, updated_at)
        VALUES (\(subscription.subscriber), \(subscription.url), \(json: subscription.types), \(tx.now))
        ON CONFLICT (subscriber) DO UPDATE SET url = excluded.url, types = excluded.types, updated_at = excluded.updated_at
        """
      )
      if isNew {
        try tx.execute(
          """
          INSERT INTO outbox_deliveries (subscriber, event_id, subject, attempts, due_at, is_dead)
          SELECT \(subscription.subscriber), id, subject, 0, \(tx.now), 0 FROM outbox
          WHERE is_distributed = 1 AND type IN \(list: subscription.types)
          """
        )
        tx.wakeRelay()
      }
    }
  }

  /// Releases the claims of a terminated process; only valid when no other process shares the database.
  public func releaseClaims() async throws {
    try await database.write { tx in
      try tx.execute("UPDATE outbox_deliveries SET due_at = \(tx.now) WHERE is_dead = 0 AND due_at > \(tx.now)")
    }
  }

  /// Performs one round of the relay in one transaction: records the outcomes of the last deliveries, distributes new
  /// events to their subscribers, and claims due deliveries, only the oldest of each subscriber and subject.
  public func exchange(_ outcomes: [(delivery: Delivery, outcome: DeliveryOutcome)], limit: Int) async throws
    -> [Delivery]
  {
    let settled = outcomes.map {
      Settled(subscriber: $0.delivery.subscriber, eventID: $0.delivery.eventID, outcome: $0.outcome)
    }
    return try await database.write { tx in
      for item in settled { try item.write(to: tx) }
      try Self.distribute(tx)
      return try Self.claim(tx, limit: limit)
    }
  }

  private struct Settled: Sendable {
    let subscriber: String
    let eventID: String
    let outcome: DeliveryOutcome

    func write(to tx: Transaction) throws {
      switch outcome {
      case .delivered:
        try tx.execute("DELETE FROM outbox_deliveries WHERE subscriber = \(subscriber) AND event_id = \(eventID)")
      case .retry(let time, let failure):
        try tx.execute(
          """
          UPDATE outbox_deliveries SET attempts = attempts + 1, due_at = \(time), failure = \(failure)
          WHERE subscriber = \(subscriber) AND event_id = \(eventID)
          """
        )
      case .dead(let failure):
        try tx.execute(
          """
          UPDATE outbox_deliveries SET attempts = attempts + 1, is_dead = 1, failure = \(failure)
          WHERE subscriber = \(subscriber) AND event_id = \(eventID)
          """
        )
      }
    }
  }

  private static func distribute(_ tx: Transaction) throws {
    let waiting = try tx.values("SELECT id FROM outbox WHERE is_distributed = 0 ORDER BY id LIMIT 500", as: String.self)
    guard let last = waiting.last else { return }
    for subscription in try subscriptions(tx) {
      try tx.execute(
        """
        INSERT INTO outbox_deliveries (subscriber, event_id, subject, attempts, due_at, is_dead)
        SELECT \(subscription.subscriber), id, subject, 0, \(tx.now), 0 FROM outbox
        WHERE is_distributed = 0 AND id <= \(last) AND type IN \(list: subscription.types)
        ON CONFLICT DO NOTHING
        """
      )
    }
    try tx.execute("UPDATE outbox SET is_distributed = 1 WHERE is_distributed = 0 AND id <= \(last)")
  }

  private static func subscriptions(_ connection: any Connection) throws -> [EventSubscription] {
    try connection.all("SELECT subscriber, url, types FROM event_subscriptions ORDER BY subscriber") { row in
      return EventSubscription(
        subscriber: try row["subscriber"],
        url: try row["url"],
        types: try row[json: "types"]
      )
    }
  }

  private static func claim(_ tx: Transaction, limit: Int) throws -> [Delivery] {
    let due = try tx.all(
      """
      SELECT d.subscriber, s.url, d.event_id, o.type, d.subject, o.data, o.traceparent, o.recorded_at, d.attempts
      FROM outbox_deliveries d
      JOIN outbox o ON o.id = d.event_id
      JOIN event_subscriptions s ON s.subscriber = d.subscriber
      WHERE d.due_at <= \(tx.now) AND \(Self.isFirst)
      ORDER BY d.event_id LIMIT \(limit)
      """
    ) { row in
      Delivery(
        subscriber: try row["subscriber"],
        url: try row["url"],
        eventID: try row["event_id"],
        type: try row["type"],
        subject: try row["subject"],
        data: try row["data"],
        traceparent: try row["traceparent"],
        recordedAt: try row["recorded_at"],
        attempts: try row["attempts"]
      )
    }
    let until = tx.now.advanced(bySeconds: claimSeconds)
    for (subscriber, deliveries) in Dictionary(grouping: due, by: \.subscriber) {
      try tx.execute(
        """
        UPDATE outbox_deliveries SET due_at = \(until)
        WHERE subscriber = \(subscriber) AND event_id IN \(list: deliveries.map(\.eventID))
        """
      )
    }
    return due
  }

  /// Returns the subscribers to an event type.
  public func subscribers(of type: String) async throws -> [(name: String, url: String)] {
    try await database.read { db in
      try Self.subscriptions(db).filter { $0.types.contains(type) }.map { ($0.subscriber, $0.url) }
    }
  }

  /// Returns every subscriber.
  public func subscribers() async throws -> [(name: String, url: String)] {
    try await database.read { db in try Self.subscriptions(db).map { ($0.subscriber, $0.url) } }
  }

  /// When the next eligible delivery is due; `nil` when none is pending.
  public func nextDue() async throws -> Timestamp? {
    try await database.read { db in
      try db.value(
        "SELECT d.due_at FROM outbox_deliveries d WHERE \(Self.isFirst) ORDER BY d.due_at LIMIT 1",
        as: Timestamp.self
      )
    }
  }

  /// Only the oldest delivery of each subscriber and subject is eligible, which preserves the order of events.
  private static let isFirst: SQL = """
    d.is_dead = 0 AND NOT EXISTS
      (SELECT 1 FROM outbox_deliveries e
       WHERE e.subscriber = d.subscriber AND e.subject = d.subject AND e.is_dead = 0 AND e.event_id < d.event_id)
    """

  /// The number of pending and of dead-lettered deliveries, and when the oldest pending event was recorded.
  public func counts() async throws -> (waiting: Int, dead: Int, oldest: Timestamp?) {
    try await database.read { db in
      let rows = try db.all(
        """
        SELECT d.is_dead, COUNT(*) AS count, MIN(o.recorded_at) AS oldest FROM outbox_deliveries d JOIN outbox o ON o.id = d.event_id
        GROUP BY d.is_dead
        """
      ) { row -> (isDead: Bool, count: Int, oldest: Timestamp?) in
        (try row["is_dead"], try row["count"], try row["oldest"])
      }
      let waiting = rows.first { !$0.isDead }
      return (waiting?.count ?? 0, rows.first { $0.isDead }?.count ?? 0, waiting?.oldest)
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
  }

  /// Deliveries in the dead-letter queue, oldest first.
  public func deadLetters(limit: Int = 100) async throws -> [DeadLetter] {
    try await database.read { db in
      try db.all(
        """
        SELECT d.subscriber, d.event_id, o.type, d.subject, d.attempts, d.failure
        FROM outbox_deliveries d JOIN outbox o ON o.id = d.event_id
        WHERE d.is_dead = 1 ORDER BY d.event_id LIMIT \(limit)
        """
      ) { row in
        DeadLetter(
          subscriber: try row["subscriber"],
          eventID: try row["event_id"],
          type: try row["type"],
          subject: try row["subject"],
          attempts: try row["attempts"],
          failure: try row["failure"]
        )
      }
    }
  }

  /// Schedules every dead-lettered delivery again; returns their number.
  @discardableResult
  public func reviveDeadLetters() async throws -> Int {
    try await database.write { tx in
      tx.wakeRelay()
      return try tx.execute(
        "UPDATE outbox_deliveries SET is_dead = 0, attempts = 0, due_at = \(tx.now) WHERE is_dead = 1"
      )
    }
  }

  /// Deletes expired records: events without pending deliveries, inactive subscribers, idempotency keys, and inbox
  /// entries that no retry can match any longer.
  public func purge() async throws {
    try await database.write { tx in
      let oldest = tx.now.advanced(bySeconds: -Self.retentionSeconds)
      try tx.execute(
        """
        DELETE FROM outbox WHERE recorded_at < \(oldest) AND is_distributed = 1
          AND NOT EXISTS (SELECT 1 FROM outbox_deliveries d WHERE d.event_id = outbox.id)
        """
      )
      // An active subscriber subscribes every minute; one absent for less than this period misses no event.
      let departed = tx.now.advanced(bySeconds: -Self.departureSeconds)
      try tx.execute(
        """
        DELETE FROM outbox_deliveries WHERE subscriber IN
          (SELECT subscriber FROM event_subscriptions WHERE updated_at < \(departed))
        """
      )
      try tx.execute("DELETE FROM event_subscriptions WHERE updated_at < \(departed)")
      let forgotten = tx.now.advanced(bySeconds: -Transaction.idempotencyKeyLifetime)
      try tx.execute("DELETE FROM idempotency_keys WHERE created_at < \(forgotten)")
      try tx.execute("DELETE FROM inbox WHERE received_at < \(tx.now.advanced(bySeconds: -2 * Self.retentionSeconds))")
    }
  }
}

extension Transaction {
  /// Records that an event was received; `false` when it was received before and must not be applied again.
  public func receive(source: String, id: String) throws -> Bool {
    try execute(
      "INSERT INTO inbox (source, id, received_at) VALUES (\(source), \(id), \(now)) ON CONFLICT DO NOTHING"
    ) == 1
  }
}
