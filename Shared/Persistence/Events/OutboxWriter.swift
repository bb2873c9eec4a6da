import Contracts

/// Writes the events of a transaction to the outbox, at its end.
struct OutboxWriter: Sendable {
  /// An event that a transaction emits.
  struct Entry {
    let type: String
    let subject: String
    let data: String
    let traceparent: String?

    init<E: Event>(_ event: E, traceparent: String?) throws {
      self.traceparent = traceparent
      (type, subject) = (E.type, event.subject)
      data = String(decoding: try WireJSON.encode(event), as: UTF8.self)
      guard data.utf8.count <= Outbox.maxEventBytes else {
        throw DatabaseError(
          .other, "an event \(type) has \(data.utf8.count) bytes; at most \(Outbox.maxEventBytes) can be delivered")
      }
    }
  }

  let ids: IDGenerator
  var traceparent: String?

  init(ids: IDGenerator) { self.ids = ids }

  func traced(by trace: TraceContext?) -> OutboxWriter {
    var copy = self
    copy.traceparent = trace?.traceparent
    return copy
  }

  /// Numbers and stores events.
  ///
  /// Two transactions that emit events of one subject update the same row, so that the numbers have the order in which
  /// the transactions take effect: with serializable transactions, the second one is repeated. At the end of the
  /// transaction, and by subject, so that the rows are locked for the commit only, and always in the same order.
  func insert(_ entries: [Entry], at now: Timestamp, into connection: any Connection) throws {
    guard !entries.isEmpty else { return }
    var next = try numbers(of: entries, on: now.microseconds / 86_400_000_000, in: connection)
    let rows = entries.map { entry -> [SQLValue] in
      let number = next[entry.subject, default: 1]
      next[entry.subject] = number + 1
      return [
        ids.text().sqlValue, entry.type.sqlValue, entry.subject.sqlValue, number.sqlValue,
        EventLane.of(entry.subject).sqlValue, entry.data.sqlValue, entry.traceparent.sqlValue, now.sqlValue,
      ]
    }
    // One event goes with the commit.
    if rows.count == 1 {
      try connection.executeLater("\(raw: Self.insertion) \(rows: rows)")
    } else {
      try connection.execute(Self.insertion, rows: rows, "")
    }
  }

  private static let insertion: StaticString =
    "INSERT INTO outbox (id, type, subject, sequence, lane, data, traceparent, recorded_at) VALUES"

  /// The number of the first event of each subject.
  private func numbers(of entries: [Entry], on day: Int64, in connection: any Connection) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entry in entries { counts[entry.subject, default: 0] += 1 }
    let sorted = counts.sorted { $0.key < $1.key }
    var (next, index): ([String: Int], Int) = ([:], 0)
    while index < sorted.count {
      // A power of two, so that few statements are prepared.
      var size = 32
      while size > sorted.count - index { size /= 2 }
      let rows = sorted[index..<index + size].map { [$0.key.sqlValue, $0.value.sqlValue, day.sqlValue] }
      index += size
      let last = try connection.all(
        """
        INSERT INTO event_subjects (subject, sequence, used_on) VALUES \(rows: rows)
        ON CONFLICT (subject) DO UPDATE
        SET sequence = event_subjects.sequence + excluded.sequence, used_on = excluded.used_on
        RETURNING subject, sequence
        """
      ) { row -> (subject: String, number: Int) in (try row["subject"], try row["sequence"]) }
      for (subject, number) in last { next[subject] = number - (counts[subject] ?? 1) + 1 }
    }
    return next
  }
}
