package import Contracts
package import Observability
package import Persistence

/// Applies the events that other services deliver, each once: in one transaction with its inbox entry.
package struct EventReceiver: Sendable {
  let consumers: [String: EventConsumer]
  /// Whether a type is one that the sender may deliver.
  let isConsumed: @Sendable (_ type: String, _ sender: String) -> Bool
  let database: any Database
  /// Records a span of each event.
  var spans: SpanScope?

  package init(
    consumers: [String: EventConsumer], isConsumed: @escaping @Sendable (_ type: String, _ sender: String) -> Bool,
    database: any Database, spans: SpanScope? = nil
  ) {
    (self.consumers, self.isConsumed, self.database, self.spans) = (consumers, isConsumed, database, spans)
  }

  struct Prepared: Sendable {
    let event: CloudEvent
    let effect: EventConsumer.Effect
    private let cause: TraceContext?
    /// The effects of the event belong to the trace of its own cause, not to that of its delivery.
    private let trace: TraceContext?

    fileprivate init(event: CloudEvent, effect: EventConsumer.Effect) {
      (self.event, self.effect) = (event, effect)
      cause = event.traceparent.flatMap { TraceContext(traceparent: $0) }
      trace = cause?.child()
    }

    /// Applies the event, unless it has been applied before.
    /// - Returns: Whether it had its effect.
    func apply(in tx: Transaction) throws -> Bool {
      guard try tx.receive(source: event.source, id: event.id) else { return false }
      try tx.traced(by: trace) { try effect.apply(tx) }
      return true
    }

    fileprivate func span(in scope: SpanScope, since begin: Span.Moment, with count: Int) -> Span? {
      guard let trace, scope.tracer.records(trace) else { return nil }
      return Span(
        service: scope.service, name: "process \(event.type)", kind: .consumer, trace: trace, parent: cause?.spanID,
        begin: begin, duration: begin.elapsed,
        attributes: [
          ("messaging.operation.type", .text("process")), ("messaging.destination.name", .text(event.source)),
          ("messaging.message.id", .text(event.id)), ("messaging.batch.message_count", .number(count)),
        ], failure: nil)
    }
  }

  /// Applies an event.
  package func receive(_ event: CloudEvent, from sender: String) async throws {
    guard let prepared = try prepare(event, from: sender) else { return }
    try await apply([prepared])
  }

  /// Applies events in their order and returns the status of each: all in one transaction or, when one of them fails,
  /// each in its own, without the later ones of a failed event's subject.
  ///
  /// - Parameter status: Reports an event's error and returns the status that it has as a response.
  /// - Throws: What no event is to blame for, such as an unavailable database.
  package func receive(_ events: [CloudEvent], from sender: String, status: (any Error) -> Int) async throws -> [Int] {
    if let all = try? events.map({ try prepare($0, from: sender) }) {
      do {
        try await apply(all.compactMap { $0 })
        return events.map { _ in 204 }
      } catch let error as DatabaseError where Self.isUnavailable(error) {
        throw error
      } catch {}
    }
    var failed: Set<String> = []
    var statuses: [Int] = []
    for event in events {
      guard !failed.contains(event.subject) else {
        statuses.append(424)
        continue
      }
      do {
        try await receive(event, from: sender)
        statuses.append(204)
      } catch {
        failed.insert(event.subject)
        statuses.append(status(error))
      }
    }
    return statuses
  }

  /// `nil` for an event type that is no longer consumed, which is acknowledged, not an error.
  func prepare(_ event: CloudEvent, from sender: String) throws -> Prepared? {
    guard event.source == "/\(sender)" else {
      throw Problem(.serviceNotAllowed, detail: "A service delivers only its own events.")
    }
    guard let consumer = consumers[event.type] else { return nil }
    guard isConsumed(event.type, sender) else {
      throw Problem(.serviceNotAllowed, detail: "The event is not one that the calling service emits.")
    }
    return Prepared(event: event, effect: try consumer.effect(event, sender))
  }

  private func apply(_ prepared: [Prepared]) async throws {
    guard !prepared.isEmpty else { return }
    let begin = Span.Moment.now()
    let new = try await database.write(Self.purpose(of: prepared)) { tx in
      try prepared.filter { try $0.apply(in: tx) }
    }
    for event in new { completed(event, since: begin, with: prepared.count) }
  }

  /// The purpose of a transaction that applies the events.
  static func purpose(of prepared: [Prepared]) -> WritePurpose {
    prepared.allSatisfy { $0.effect.purpose == .readCommitted } ? .readCommitted : .serializable
  }

  /// Does what follows the commit of an event's transaction, and records its span.
  ///
  /// - Parameter count: How many events the transaction had.
  func completed(_ event: Prepared, since begin: Span.Moment, with count: Int) {
    event.effect.afterwards()
    if let spans, let span = event.span(in: spans, since: begin, with: count) { spans.tracer.record(span) }
  }

  private static func isUnavailable(_ error: DatabaseError) -> Bool {
    switch error.kind {
    case .unavailable, .closed, .outcomeUnknown, .overloaded, .storageFull: true
    default: false
    }
  }
}
