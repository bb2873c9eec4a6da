public import Contracts

extension Outbox {
  /// The capacity of a relay: what it can send to a subscriber next.
  public struct Capacity: Sendable, Equatable {
    /// How many lanes.
    public var lanes: Int
    /// The queues from which it is sending.
    public var except: Set<EventBatch.Queue>
    /// The queues from which it requests a single event.
    public var single: Set<EventBatch.Queue>

    public init(lanes: Int, except: Set<EventBatch.Queue> = [], single: Set<EventBatch.Queue> = []) {
      (self.lanes, self.except, self.single) = (lanes, except, single)
    }

    var exceptLanes: [Int] { except.compactMap { if case .lane(let lane) = $0 { lane } else { nil } }.sorted() }

    func limit(of queue: EventBatch.Queue) -> Int { single.contains(queue) ? 1 : Outbox.batchSize }

    /// Retries take the room of a lane.
    var takesRetries: Bool { lanes > 0 && !except.contains(.retries) }
  }

  /// The most events of a batch, and the size of their data after which it ends, in bytes.
  public static let batchSize = 100
  static let batchBytes = 1 << 20
  /// The most positions that a batch passes.
  private static let stride = 10_000

  private struct LaneClaim: Sendable {
    var lane: Int
    var position: Int
    var head: Int
  }

  /// Performs one round of the relay for a subscriber: records the outcomes of the last batches, and claims the next
  /// ones. The cursor of a lane moves with the outcomes, so a batch costs one row if nothing is rejected.
  ///
  /// - Parameter claim: Identifies the relay.
  /// - Returns: The claimed batches; if there are none, when the next retry is due.
  public func exchange(
    _ settled: [SettledBatch], with subscription: EventSubscription, claim: String, capacity: Capacity,
    at now: Timestamp
  ) async throws -> (batches: [EventBatch], nextRetry: Timestamp?) {
    let name = subscription.subscriber
    if settled.isEmpty {
      let (isAnythingDue, nextRetry) = try await outlook(of: name, at: now)
      guard isAnythingDue else { return ([], nextRetry) }
    }
    let claims = try await write { tx in
      // If the server loses the end of its log, these events are delivered again, which has no further effect.
      if tx.dialect == .postgresql { try tx.executeLater("SET LOCAL synchronous_commit = off") }
      try Self.settle(settled, of: name, in: tx)
      return (
        lanes: try Self.claimLanes(of: name, claim, capacity, in: tx),
        retries: capacity.takesRetries
          ? try EventRetries.claim(of: name, limit: capacity.limit(of: .retries), in: tx) : []
      )
    }
    if claims.lanes.isEmpty, claims.retries.isEmpty { return ([], try await nextRetry(for: name)) }
    let batches = try await database.read { db in
      var batches = try claims.lanes.map { lane in
        try Self.read(lane, claim, capacity.limit(of: .lane(lane.lane)), for: subscription, in: db)
      }
      if !claims.retries.isEmpty {
        let events = try EventRetries.events(
          of: name, heads: claims.retries, limit: capacity.limit(of: .retries), in: db)
        batches.append(EventBatch(subscriber: name, queue: .retries, claim: claim, events: events))
      }
      return batches
    }
    return (batches, nil)
  }

  /// Whether a transaction may find something to claim, and when the next retry is due: one read, which is all that a
  /// relay does while nothing happens.
  private func outlook(
    of subscriber: String, at now: Timestamp
  ) async throws -> (isAnythingDue: Bool, nextRetry: Timestamp?) {
    try await database.read { db in
      let nextRetry = try EventRetries.nextDue(of: subscriber, in: db)
      if let nextRetry, nextRetry <= now { return (true, nextRetry) }
      let isAnyLaneDue = try db.exists(
        """
        SELECT 1 FROM event_cursors c JOIN event_lanes l ON l.lane = c.lane
        WHERE c.subscriber = \(subscriber) AND c.position < l.head AND c.claimed_until <= \(now) LIMIT 1
        """
      )
      return (isAnyLaneDue, nextRetry)
    }
  }

  private static func settle(_ settled: [SettledBatch], of subscriber: String, in tx: Transaction) throws {
    guard !settled.isEmpty else { return }
    // All relays lock lanes in the same order, and change what is set aside of a lane only while they hold its row.
    if tx.dialect == .postgresql {
      let lanes = Set(settled.flatMap { $0.batch.events + $0.batch.behind }.map { EventLane.of($0.subject) })
      _ = try tx.all(
        """
        SELECT lane FROM event_cursors WHERE subscriber = \(subscriber) AND lane IN \(list: lanes.sorted())
        ORDER BY lane FOR UPDATE
        """
      ) { _ in }
    }
    for item in settled {
      guard case .lane(let lane) = item.batch.queue else {
        try EventRetries.settle(item, in: tx)
        continue
      }
      let progress = LaneProgress(item)
      let isOwn = try tx.execute(
        """
        UPDATE event_cursors SET position = \(progress.end), claim = NULL, claimed_until = \(tx.now)
        WHERE subscriber = \(subscriber) AND lane = \(lane) AND claim = \(item.batch.claim)
        """
      )
      // Otherwise the claim has lapsed, and another relay delivers the lane again from where it was.
      if isOwn == 1 { try EventRetries.add(progress.deferred, of: subscriber, in: tx) }
    }
  }

  private static func claimLanes(
    of subscriber: String, _ claim: String, _ capacity: Capacity, in tx: Transaction
  ) throws -> [LaneClaim] {
    guard capacity.lanes > 0 else { return [] }
    let lock: SQL = tx.dialect == .postgresql ? "FOR UPDATE OF c SKIP LOCKED" : ""
    let claimed = try tx.all(
      """
      SELECT c.lane, c.position, l.head FROM event_cursors c JOIN event_lanes l ON l.lane = c.lane
      WHERE c.subscriber = \(subscriber) AND c.position < l.head AND c.claimed_until <= \(tx.now)
        AND c.lane NOT IN \(list: capacity.exceptLanes.isEmpty ? [-1] : capacity.exceptLanes)
      ORDER BY c.claimed_until LIMIT \(capacity.lanes) \(lock)
      """
    ) { row in LaneClaim(lane: try row["lane"], position: try row["position"], head: try row["head"]) }
    guard !claimed.isEmpty else { return [] }
    try tx.execute(
      """
      UPDATE event_cursors SET claim = \(claim), claimed_until = \(tx.now.advanced(bySeconds: claimSeconds))
      WHERE subscriber = \(subscriber) AND lane IN \(list: claimed.map(\.lane))
      """
    )
    return claimed
  }

  private static func read(
    _ lane: LaneClaim, _ claim: String, _ limit: Int, for subscription: EventSubscription, in db: any Connection
  ) throws -> EventBatch {
    let end = min(lane.head, lane.position + stride)
    let isOfType: SQL =
      subscription.types == EventSubscription.everything ? "1 = 1" : "type IN \(list: subscription.types)"
    var events = try db.all(
      """
      SELECT id, type, subject, sequence, lane, position, data, traceparent, recorded_at, 0 AS attempts FROM outbox
      WHERE lane = \(lane.lane) AND position > \(lane.position) AND position <= \(end) AND \(isOfType)
      ORDER BY position LIMIT \(limit)
      """
    ) { row in try StoredEvent(row) }
    let isCut = events.count == limit || events.shorten(to: batchBytes)
    let waiting = try EventRetries.waiting(of: subscription.subscriber, Set(events.map(\.subject)), in: db)
    return EventBatch(
      subscriber: subscription.subscriber, queue: .lane(lane.lane), claim: claim,
      events: events.filter { !waiting.contains($0.subject) }, behind: events.filter { waiting.contains($0.subject) },
      end: isCut ? events.last?.position ?? end : end)
  }

  /// When the next retry is due; `nil` when there is none.
  public func nextRetry(for subscriber: String) async throws -> Timestamp? {
    try await database.read { db in try EventRetries.nextDue(of: subscriber, in: db) }
  }

  /// Releases the lanes that a relay has claimed, when it stops.
  public func release(_ claim: String) async throws {
    try await write { tx in
      try tx.execute("UPDATE event_cursors SET claim = NULL, claimed_until = 0 WHERE claim = \(claim)")
    }
  }

  /// Releases the claims of a terminated process; only valid when no other process shares the database.
  public func releaseClaims() async throws {
    try await write { tx in
      try tx.execute("UPDATE event_cursors SET claim = NULL, claimed_until = 0 WHERE claim IS NOT NULL")
      try EventRetries.releaseClaims(in: tx)
    }
  }
}

extension StoredEvent {
  init(_ row: Row) throws {
    self.init(
      id: try row["id"], type: try row["type"], subject: try row["subject"], sequence: try row["sequence"],
      lane: try row["lane"], position: try row["position"], data: try row["data"],
      traceparent: try row["traceparent"], recordedAt: try row["recorded_at"], attempts: try row["attempts"])
  }
}

extension [StoredEvent] {
  /// Keeps the first events, up to a size of their data, and at least one; returns whether events were removed.
  fileprivate mutating func shorten(to bytes: Int) -> Bool {
    var (size, count) = (0, 0)
    for event in self {
      size += event.data.utf8.count
      if size > bytes, count > 0 { break }
      count += 1
    }
    defer { self = Array(prefix(count)) }
    return count < self.count
  }
}
