import Contracts

/// A subscriber of a service's events.
public struct EventSubscription: Sendable, Equatable {
  /// The consuming service's name.
  public var subscriber: String
  /// The base URL of its `/events` endpoint; `local:` when it runs in this process.
  public var url: String
  /// The types that it receives; every type when it is ``everything``.
  public var types: [String]

  /// The types of a subscriber that passes all events on, such as a message broker.
  public static let everything = ["*"]

  public init(subscriber: String, url: String, types: [String]) {
    self.subscriber = subscriber
    self.url = url
    self.types = types
  }

  /// Whether it receives a type.
  public func receives(_ type: String) -> Bool { types == Self.everything || types.contains(type) }
}

/// A transactional outbox, which a relay delivers to subscribers.
///
/// A transaction that emits an event numbers it within its subject (``OutboxWriter``). When it has committed, the
/// sequencer gives the event a position in the lane of its subject (``assignPositions()``): without gaps, in the order of
/// the subject's numbers, whatever else is still uncommitted. So no reader of a lane can pass an event that appears later
/// below what it has read. A subscriber has a cursor in each lane (``exchange(_:with:claim:limit:)``); an event that it
/// rejects moves aside (``EventRetries``), and the lane goes on.
public struct Outbox: Sendable {
  let database: any Database

  /// How long a claim is valid, in seconds; longer than an attempt can take.
  public static let claimSeconds = 30.0
  /// The most data of an event, in bytes. A larger one is refused in the transaction that emits it, because a transport
  /// may not be able to send it: NATS has a limit of 1 MiB by default.
  public static let maxEventBytes = 512 * 1024
  /// How long after its last subscription request a subscriber is removed, in seconds.
  public static let departureSeconds = 90 * 24.0 * 3600

  public init(database: any Database) { self.database = database }

  /// Runs a transaction of which each statement sees what is committed by then. Relays wait for each other's rows, or
  /// skip them, where serializable transactions would be repeated.
  @discardableResult
  func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value {
    try await database.write(.readCommitted, body)
  }

  // MARK: subscribers

  /// Adds or updates a subscriber. A new subscriber also receives the retained events.
  public func subscribe(_ subscription: EventSubscription) async throws {
    try await write { tx in
      try tx.execute(
        """
        INSERT INTO event_subscriptions (subscriber, url, types, updated_at)
        VALUES (\(subscription.subscriber), \(subscription.url), \(json: subscription.types), \(tx.now))
        ON CONFLICT (subscriber) DO UPDATE SET url = excluded.url, types = excluded.types, updated_at = excluded.updated_at
        """
      )
      let added = try tx.execute(
        """
        INSERT INTO event_cursors (subscriber, lane, position, claimed_until)
        SELECT \(subscription.subscriber), l.lane,
          COALESCE((SELECT MIN(o.position) - 1 FROM outbox o WHERE o.lane = l.lane), l.head), 0
        FROM event_lanes l
        WHERE \(subscription.subscriber) = \(Self.bus.subscriber)
          OR NOT EXISTS (SELECT 1 FROM event_subscriptions b WHERE b.subscriber = \(Self.bus.subscriber))
        ON CONFLICT (subscriber, lane) DO NOTHING
        """
      )
      if added > 0 { tx.wakeRelay() }
    }
  }

  /// Every subscriber.
  public func subscriptions() async throws -> [EventSubscription] {
    try await database.read { db in
      try db.all("SELECT subscriber, url, types FROM event_subscriptions ORDER BY subscriber") { row in
        EventSubscription(subscriber: try row["subscriber"], url: try row["url"], types: try row[json: "types"])
      }
    }
  }

  /// Returns the subscribers to an event type.
  public func subscribers(of type: String) async throws -> [(name: String, url: String)] {
    try await subscriptions().filter { $0.receives(type) }.map { ($0.subscriber, $0.url) }
  }

  /// Returns every subscriber.
  public func subscribers() async throws -> [(name: String, url: String)] {
    try await subscriptions().map { ($0.subscriber, $0.url) }
  }

  // MARK: positions

  /// How many positions one transaction assigns.
  private static let positionBatch = 1000

  /// Gives the next committed events their positions. Runs once at a time per database.
  ///
  /// - Returns: The types of the events, and whether more may be waiting.
  public func assignPositions() async throws -> (types: Set<String>, isMoreWaiting: Bool) {
    let isAnyWaiting = try await database.read { db in
      try db.exists("SELECT 1 FROM outbox WHERE position IS NULL LIMIT 1")
    }
    guard isAnyWaiting else { return ([], false) }
    let types = try await write { tx in
      // Two sequencers take turns; the next statement sees what the previous one has assigned.
      if tx.dialect == .postgresql { _ = try tx.all("SELECT lane FROM event_lanes WHERE lane = 0 FOR UPDATE") { _ in } }
      // An event whose predecessor in its subject is uncommitted is itself uncommitted: both update the subject's row.
      let types = try tx.values(
        """
        UPDATE outbox SET position = n.position
        FROM (
          SELECT w.id, l.head + ROW_NUMBER() OVER (PARTITION BY w.lane ORDER BY w.sequence, w.id) AS position
          FROM (SELECT id, lane, sequence FROM outbox WHERE position IS NULL
                ORDER BY sequence, id LIMIT \(Self.positionBatch)) w
          JOIN event_lanes l ON l.lane = w.lane
        ) n
        WHERE outbox.id = n.id
        RETURNING type
        """,
        as: String.self)
      try tx.execute(
        """
        UPDATE event_lanes SET head = (SELECT MAX(o.position) FROM outbox o WHERE o.lane = event_lanes.lane)
        WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.lane = event_lanes.lane AND o.position > event_lanes.head)
        """
      )
      return types
    }
    return (Set(types), types.count == Self.positionBatch)
  }
}
