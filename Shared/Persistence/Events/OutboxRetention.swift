import Contracts

extension Outbox {
  /// How long a consumer remembers which events it has received, in seconds: twice as long as any event is retained.
  public static let inboxSeconds = 14 * 24.0 * 3600
  /// How long events are retained of types that the service no longer emits, in seconds.
  public static let retentionSeconds = 7 * 24.0 * 3600

  private static let purgeBatch = 1000

  /// Deletes expired records of the platform's tables: events that every subscriber has received, inactive subscribers,
  /// idempotency keys, and inbox entries that no retry can match any longer. In small transactions, between which others
  /// write.
  ///
  /// - Parameter emitted: The types of the service's events with their retention, in seconds.
  public func purge(emitted: [String: Double] = [:]) async throws {
    try await write { tx in
      // An active subscriber subscribes every minute; one absent for less than this period misses no event.
      let departed = tx.now.advanced(bySeconds: -Self.departureSeconds)
      let isGone: SQL = "subscriber IN (SELECT subscriber FROM event_subscriptions WHERE updated_at < \(departed))"
      try tx.execute("DELETE FROM event_retries WHERE \(isGone)")
      try tx.execute("DELETE FROM event_cursors WHERE \(isGone)")
      try tx.execute("DELETE FROM event_subscriptions WHERE updated_at < \(departed)")
    }
    for type in try await storedTypes() {
      let seconds = emitted[type] ?? Self.retentionSeconds
      try await inBatches { tx in try Self.purgeEvents(type, recordedBefore: tx.now.advanced(bySeconds: -seconds), tx) }
    }
    try await inBatches { tx in
      let day = tx.now.advanced(bySeconds: -Self.retentionSeconds).microseconds / 86_400_000_000
      return try tx.execute(
        """
        DELETE FROM event_subjects WHERE subject IN
          (SELECT subject FROM event_subjects WHERE used_on < \(day) LIMIT \(Self.purgeBatch))
        """
      )
    }
    try await inBatches { tx in
      let forgotten = tx.now.advanced(bySeconds: -Transaction.idempotencyKeyLifetime)
      return try tx.execute(
        """
        DELETE FROM idempotency_keys WHERE (caller, key) IN
          (SELECT caller, key FROM idempotency_keys WHERE created_at < \(forgotten) LIMIT \(Self.purgeBatch))
        """
      )
    }
    try await inBatches { tx in
      let forgotten = tx.now.advanced(bySeconds: -Self.inboxSeconds)
      return try tx.execute(
        """
        DELETE FROM inbox WHERE (source, id) IN
          (SELECT source, id FROM inbox WHERE received_at < \(forgotten) LIMIT \(Self.purgeBatch))
        """
      )
    }
  }

  /// Repeats a transaction until it deletes less than a batch.
  private func inBatches(_ body: @escaping @Sendable (Transaction) throws -> Int) async throws {
    while try await write(body) >= Self.purgeBatch { try Task.checkCancellation() }
  }

  /// The types of stored events, each found by one step in the index.
  private func storedTypes() async throws -> [String] {
    try await database.read { db in
      var types: [String] = []
      while let next = try db.value(
        "SELECT MIN(type) FROM outbox WHERE type > \(types.last ?? "")", as: String?.self)
      {
        guard let next else { break }
        types.append(next)
      }
      return types
    }
  }

  private static func purgeEvents(_ type: String, recordedBefore oldest: Timestamp, _ tx: Transaction) throws -> Int {
    // Every cursor has passed them, and none is set aside.
    let ids = try tx.values(
      """
      SELECT o.id FROM outbox o WHERE o.type = \(type) AND o.recorded_at < \(oldest) AND o.position IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM event_cursors c WHERE c.lane = o.lane AND c.position < o.position)
        AND NOT EXISTS (SELECT 1 FROM event_retries r WHERE r.event_id = o.id)
      ORDER BY o.recorded_at LIMIT \(purgeBatch)
      """,
      as: String.self)
    guard !ids.isEmpty else { return 0 }
    return try tx.execute("DELETE FROM outbox WHERE id IN \(list: ids)")
  }
}
