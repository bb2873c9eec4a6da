import Contracts

/// Writes events to the outbox in the transaction of their effect.
struct OutboxWriter: Sendable {
  let ids: IDGenerator
  var traceparent: String?

  init(ids: IDGenerator) { self.ids = ids }

  func traced(by trace: TraceContext?) -> OutboxWriter {
    var copy = self
    copy.traceparent = trace?.traceparent
    return copy
  }

  func insert<E: Event>(_ event: E, at now: Timestamp, into connection: any Connection) throws {
    try connection.executeLater(
      """
      INSERT INTO outbox (id, type, subject, data, traceparent, recorded_at, is_distributed)
      VALUES (\(ids.text()), \(E.type), \(event.subject), \(json: event), \(traceparent), \(now), 0)
      """
    )
  }
}
