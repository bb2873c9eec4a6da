import Contracts

/// An outbox whose events go to a broker, from which all consumers take them.
extension Outbox {
  /// The subscriber that stands for the broker.
  public static let bus = EventSubscription(subscriber: "bus", url: "nats:", types: EventSubscription.everything)

  /// Delivers to the broker only: what the other subscribers have not received, they take from it. Those remain known,
  /// so that they can be called.
  public func deliverToBus() async throws {
    try await subscribe(Self.bus)
    try await write { tx in
      let isOther: SQL = "subscriber <> \(Self.bus.subscriber)"
      try tx.execute("DELETE FROM event_cursors WHERE \(isOther)")
      try tx.execute("DELETE FROM event_retries WHERE \(isOther) AND is_dead = 0")
    }
  }

  /// Delivers to the subscribers themselves, after a time with a broker; they receive what is retained, and know what
  /// they have received.
  public func deliverDirectly() async throws {
    let wasOnBus = try await database.read { db in
      try db.exists("SELECT 1 FROM event_subscriptions WHERE subscriber = \(Self.bus.subscriber)")
    }
    guard wasOnBus else { return }
    try await write { tx in
      let isBus: SQL = "subscriber = \(Self.bus.subscriber)"
      try tx.execute("DELETE FROM event_cursors WHERE \(isBus)")
      try tx.execute("DELETE FROM event_retries WHERE \(isBus)")
      try tx.execute("DELETE FROM event_subscriptions WHERE \(isBus)")
    }
  }

  /// The positions up to which the broker has stored the lanes.
  public func positionsOnBus() async throws -> [Int: Int] {
    try await database.read { db in
      let rows = try db.all("SELECT lane, position FROM event_cursors WHERE subscriber = \(Self.bus.subscriber)") {
        row -> (lane: Int, position: Int) in (try row["lane"], try row["position"])
      }
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.lane, $0.position) })
    }
  }

  /// Events of a lane that a consumer has missed.
  ///
  /// - Parameters:
  ///   - position: The last one that the consumer has.
  ///   - end: The first one that the consumer has after that.
  ///   - bytes: About how much data at most.
  /// - Returns: The events that are stored, in their order, and the position up to which these are all. An outbox that
  ///   was restored to an earlier state may use positions again: then by other events.
  public func missed(
    lane: Int, after position: Int, before end: Int, bytes: Int
  ) async throws -> (events: [StoredEvent], through: Int) {
    try await database.read { db in
      var events: [StoredEvent] = []
      var size = 0
      let found = try db.all(
        """
        SELECT id, type, subject, sequence, lane, position, data, traceparent, recorded_at, 0 AS attempts FROM outbox
        WHERE lane = \(lane) AND position > \(position) AND position < \(end) ORDER BY position LIMIT \(Self.batchSize)
        """
      ) { row in try StoredEvent(row) }
      for event in found {
        size += event.data.utf8.count
        if size > bytes, !events.isEmpty { break }
        events.append(event)
      }
      let isCut = events.count < found.count || found.count == Self.batchSize
      return (events, isCut ? events.last?.position ?? position : end - 1)
    }
  }
}
