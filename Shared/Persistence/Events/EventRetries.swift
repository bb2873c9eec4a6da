import Contracts

/// The events that a subscriber has rejected, and the later ones of their subjects (table `event_retries`).
///
/// Of each subject, only the first one is due at a time; the others are due ``behind`` it. So what is due is found by an
/// index, however many events wait.
enum EventRetries {
  static let order = SubjectOrder(table: "event_retries", owner: "subscriber", position: "sequence")
  private static let behind = SubjectOrder.behind

  /// The first event of a subject.
  struct Head: Sendable {
    var eventID: String
    var subject: String
    var attempts: Int
  }

  // MARK: add

  /// The subjects of which events are set aside.
  static func waiting(of subscriber: String, _ subjects: Set<String>, in db: any Connection) throws -> Set<String> {
    guard !subjects.isEmpty,
      try db.exists("SELECT 1 FROM event_retries WHERE subscriber = \(subscriber) AND is_dead = 0 LIMIT 1")
    else { return [] }
    return Set(
      try db.values(
        """
        SELECT DISTINCT subject FROM event_retries
        WHERE subscriber = \(subscriber) AND is_dead = 0 AND subject IN \(list: subjects.sorted())
        """,
        as: String.self))
  }

  static func add(_ deferred: [LaneProgress.DeferredEvent], of subscriber: String, in tx: Transaction) throws {
    for item in deferred {
      let event = item.event
      var (attempts, isDead) = (0, false)
      var (dueAt, failure): (Timestamp, String?) = (behind, nil)
      switch item.outcome {
      case .retry(let time, let reason): (attempts, dueAt, failure) = (1, time, reason)
      case .dead(let reason): (attempts, isDead, failure) = (1, true, reason)
      case .delivered, .postponed, nil: break
      }
      try tx.execute(
        """
        INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead, failure)
        VALUES (\(subscriber), \(event.id), \(event.subject), \(event.sequence), \(attempts), \(dueAt), \(isDead),
          \(failure))
        ON CONFLICT (subscriber, event_id) DO NOTHING
        """
      )
    }
    try order.lineUp(Set(deferred.map(\.event.subject)), of: subscriber, in: tx)
  }

  // MARK: deliver

  static func nextDue(of subscriber: String, in db: any Connection) throws -> Timestamp? {
    try db.value(
      """
      SELECT due_at FROM event_retries WHERE subscriber = \(subscriber) AND is_dead = 0 AND due_at < \(behind)
      ORDER BY due_at LIMIT 1
      """
    )
  }

  static func claim(of subscriber: String, limit: Int, in tx: Transaction) throws -> [Head] {
    let lock: SQL = tx.dialect == .postgresql ? "FOR UPDATE SKIP LOCKED" : ""
    let heads = try tx.all(
      """
      SELECT event_id, subject, attempts FROM event_retries
      WHERE subscriber = \(subscriber) AND is_dead = 0 AND due_at <= \(tx.now)
      ORDER BY due_at, sequence, event_id LIMIT \(limit) \(lock)
      """
    ) { row in Head(eventID: try row["event_id"], subject: try row["subject"], attempts: try row["attempts"]) }
    guard !heads.isEmpty else { return [] }
    try tx.execute(
      """
      UPDATE event_retries SET due_at = \(tx.now.advanced(bySeconds: Outbox.claimSeconds))
      WHERE subscriber = \(subscriber) AND event_id IN \(list: heads.map(\.eventID))
      """
    )
    return heads
  }

  /// The claimed events, each with the next ones of its subject unless it has been rejected before.
  static func events(
    of subscriber: String, heads: [Head], limit: Int, in db: any Connection
  ) throws -> [StoredEvent] {
    var ids: [String] = []
    for head in heads {
      ids.append(head.eventID)
      let room = limit - heads.count - ids.count
      guard head.attempts == 0, room > 0 else { continue }
      ids += try db.values(
        """
        SELECT event_id FROM event_retries
        WHERE subscriber = \(subscriber) AND subject = \(head.subject) AND is_dead = 0 AND due_at = \(behind)
        ORDER BY sequence, event_id LIMIT \(room)
        """,
        as: String.self)
    }
    return try db.all(
      """
      SELECT o.id, o.type, o.subject, o.sequence, o.lane, o.position, o.data, o.traceparent,
        o.recorded_at, r.attempts
      FROM event_retries r JOIN outbox o ON o.id = r.event_id
      WHERE r.subscriber = \(subscriber) AND r.event_id IN \(list: ids) AND r.is_dead = 0
      ORDER BY r.sequence, r.event_id
      """
    ) { row in try StoredEvent(row) }
  }

  static func settle(_ settled: SettledBatch, in tx: Transaction) throws {
    let subscriber = settled.batch.subscriber
    var subjects: Set<String> = []
    for (event, outcome) in zip(settled.batch.events, settled.outcomes) {
      let isFirst = subjects.insert(event.subject).inserted
      let isIt: SQL = "subscriber = \(subscriber) AND event_id = \(event.id)"
      switch outcome {
      case .delivered: try tx.execute("DELETE FROM event_retries WHERE \(isIt)")
      case .retry(let time, let failure):
        try tx.execute(
          "UPDATE event_retries SET attempts = attempts + 1, due_at = \(time), failure = \(failure) WHERE \(isIt)")
      case .dead(let failure):
        try tx.execute(
          "UPDATE event_retries SET attempts = attempts + 1, is_dead = 1, failure = \(failure) WHERE \(isIt)")
      case .postponed(let time):
        if isFirst { try tx.execute("UPDATE event_retries SET due_at = \(time) WHERE \(isIt)") }
      }
    }
    try order.lineUp(subjects, of: subscriber, in: tx)
  }

  static func releaseClaims(in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE event_retries SET due_at = \(tx.now) WHERE is_dead = 0 AND due_at > \(tx.now) AND due_at < \(behind)
      """
    )
  }

  /// See ``SubjectOrder/revive(_:in:locking:)``.
  static func revive(_ selection: DeadLetterSelection, in database: any Database) async throws -> Int {
    try await order.revive(isChosen(selection), in: database) { letters, subscriber, tx in
      tx.wakeRelay()
      guard tx.dialect == .postgresql else { return }
      let lanes = Set(letters.map { EventLane.of($0.subject) })
      _ = try tx.all(
        """
        SELECT lane FROM event_cursors WHERE subscriber = \(subscriber) AND lane IN \(list: lanes.sorted())
        ORDER BY lane FOR UPDATE
        """
      ) { _ in }
    }
  }

  static func isChosen(_ selection: DeadLetterSelection) -> SQL {
    switch selection {
    case .all: "1 = 1"
    case .type(let type):
      "EXISTS (SELECT 1 FROM outbox o WHERE o.id = event_retries.event_id AND o.type = \(type))"
    case .event(let id): "event_id = \(id)"
    }
  }
}
