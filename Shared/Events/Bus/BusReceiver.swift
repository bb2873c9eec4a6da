package import Contracts
package import Logging
package import Observability
package import Persistence
import Threads

/// Applies the events that a service takes from the bus, each once and in the order of its subject, also when several
/// instances have parts of a lane: a lane's position moves in the transaction of the effects.
package struct BusReceiver: Sendable {
  let events: EventReceiver
  let database: any Database
  let time: TimeSource
  let logger: Logger
  let deadLetters: Metrics.Counter

  package init(
    events: EventReceiver, database: any Database, time: TimeSource, logger: Logger, deadLetters: Metrics.Counter
  ) {
    (self.events, self.database, self.time) = (events, database, time)
    (self.logger, self.deadLetters) = (logger, deadLetters)
  }

  /// The pauses before an event that was rejected is tried again, in seconds; after them, it is a dead letter. About ten
  /// minutes together.
  static let pauses = [1.0, 2, 5, 10, 20, 40, 60, 120, 180, 180]

  private typealias Prepared = Result<EventReceiver.Prepared?, any Error>

  /// How far the lanes of a source are.
  func positions(of source: String) async throws -> [Int: Int] {
    try await database.read { db in try BusInbox.positions(of: source, in: db) }
  }

  // MARK: events of the stream

  /// Applies events in their order, as far as they follow their lane's position without a gap, in one transaction. When
  /// one is rejected, it is set aside, with those of its subject that follow.
  ///
  /// - Returns: How far the lanes of the source are now.
  /// - Throws: What no event is to blame for, such as an unavailable database; the events had no effect then.
  @discardableResult
  func apply(_ batch: [BusEvent], from source: String) async throws -> [Int: Int] {
    do {
      return try await apply(batch, from: source, rejection: nil)
    } catch  where Self.isRejection(error) {
      guard batch.count > 1 else { return try await apply(batch, from: source, rejection: Self.text(of: error)) }
      // Finds the event with few transactions.
      let middle = batch.count / 2
      try await apply(Array(batch[..<middle]), from: source)
      return try await apply(Array(batch[middle...]), from: source)
    }
  }

  /// - Parameter rejection: Why the only event is rejected.
  private func apply(_ batch: [BusEvent], from source: String, rejection: String?) async throws -> [Int: Int] {
    let prepared = batch.map { item in
      Prepared { try item.event.flatMap { try events.prepare($0, from: source) } }
    }
    let subjects = Set(batch.compactMap(\.event?.subject))
    let begin = Span.Moment.now()
    let lanes = Set(batch.map(\.lane))
    let effects = prepared.compactMap { try? $0.get() }
    let (positions, applied, dead) = try await write(effects, lanes, of: source) { tx in
      var positions = try BusInbox.positions(of: source, in: tx)
      var waiting = try BusInbox.waiting(of: source, subjects, in: tx)
      var moved: Set<Int> = []
      var applied: [EventReceiver.Prepared] = []
      var dead: [BusInbox.DeferredEvent] = []
      for (index, item) in batch.enumerated() {
        let last = positions[item.lane] ?? 0
        guard item.previous <= last else { continue }
        if item.position > last {
          positions[item.lane] = item.position
          moved.insert(item.lane)
        }
        guard let event = item.event else { continue }
        let failure = rejection ?? Self.failure(of: prepared[index])
        if item.isTooLarge {
          guard events.consumers[event.type] != nil else { continue }
          let deferred = try Self.deferred(event, item, source, attempts: 1)
          if try BusInbox.add(deferred, due: nil, failure: Self.tooLarge, isDead: true, in: tx) {
            dead.append(deferred)
          }
        } else if waiting.contains(event.subject) {
          try BusInbox.add(Self.deferred(event, item, source, attempts: 0), due: nil, failure: nil, in: tx)
        } else if let failure {
          let due = tx.now.advanced(bySeconds: Self.pauses[0])
          let deferred = try Self.deferred(event, item, source, attempts: 1)
          // Behind an event that is a dead letter already, nothing waits.
          if try BusInbox.add(deferred, due: due, failure: failure, in: tx) { waiting.insert(event.subject) }
        } else if let prepared = try prepared[index].get(), try prepared.apply(in: tx) {
          applied.append(prepared)
        }
      }
      for lane in moved.sorted() { try BusInbox.move(lane, of: source, to: positions[lane] ?? 0, in: tx) }
      return (positions, applied, dead)
    }
    for deferred in dead { reportDead(deferred, Self.tooLarge) }
    for event in applied { events.completed(event, since: begin, with: batch.count) }
    return positions
  }

  /// Runs a transaction that is alone with some lanes of a source, in the way that the events' effects allow: batches of
  /// which each statement sees what is committed by then wait for each other's rows instead of being repeated.
  private func write<Value: Sendable>(
    _ effects: [EventReceiver.Prepared], _ lanes: Set<Int>, of source: String,
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.write(EventReceiver.purpose(of: effects)) { tx in
      try BusInbox.lock(lanes, of: source, in: tx)
      return try body(tx)
    }
  }

  private static func failure(of prepared: Prepared) -> String? {
    if case .failure(let error) = prepared { text(of: error) } else { nil }
  }

  private static func deferred(
    _ event: CloudEvent, _ item: BusEvent, _ source: String, attempts: Int
  ) throws -> BusInbox.DeferredEvent {
    BusInbox.DeferredEvent(
      source: source, eventID: event.id, type: event.type, subject: event.subject, lane: item.lane,
      position: item.position, event: String(decoding: try WireJSON.encode(event), as: UTF8.self), attempts: attempts)
  }

  // MARK: events that are set aside

  /// Tries the events again that are due.
  ///
  /// - Returns: How many there were.
  package func retryDeferred() async throws -> Int {
    let now = time.now()
    let due = try await database.read { db in try BusInbox.due(at: now, limit: 100, in: db) }
    for deferred in due { try await retry(deferred) }
    return due.count
  }

  private func retry(_ deferred: BusInbox.DeferredEvent) async throws {
    do {
      let event = try WireJSON.decode(CloudEvent.self, from: deferred.event.utf8)
      let prepared = try events.prepare(event, from: deferred.source)
      let begin = Span.Moment.now()
      let isApplied = try await write(prepared.map { [$0] } ?? [], [deferred.lane], of: deferred.source) { tx in
        guard try BusInbox.remove(deferred, in: tx), let prepared else { return false }
        return try prepared.apply(in: tx)
      }
      if isApplied, let prepared { events.completed(prepared, since: begin, with: 1) }
    } catch  where Self.isRejection(error) {
      let pause = deferred.attempts < Self.pauses.count ? Self.pauses[deferred.attempts] : nil
      let reason = Self.text(of: error)
      try await write([], [deferred.lane], of: deferred.source) { tx in
        try BusInbox.reject(deferred, due: pause.map { tx.now.advanced(bySeconds: $0) }, failure: reason, in: tx)
      }
      if pause == nil { reportDead(deferred, reason) }
    }
  }

  private func reportDead(_ deferred: BusInbox.DeferredEvent, _ failure: String) {
    deadLetters.increment()
    logger.error(
      "an event was moved to the dead-letter queue",
      metadata: ["event": "\(deferred.eventID)", "source": "\(deferred.source)", "failure": "\(failure)"])
  }

  // MARK: errors

  private static let tooLarge = "the event is larger than max_payload of NATS"

  /// Whether the event is to blame, and not the database or the end of the process.
  private static func isRejection(_ error: any Error) -> Bool {
    if error is CancellationError || error is WorkRefusal { return false }
    guard let error = error as? DatabaseError else { return true }
    switch error.kind {
    case .conflict, .overloaded, .storageFull, .syncFailed, .unavailable, .outcomeUnknown, .closed: return false
    default: return true
    }
  }

  /// Without the event's values.
  private static func text(of error: any Error) -> String {
    switch error {
    case let problem as Problem: "status \(problem.status): \(problem.detail ?? "")"
    case let error as DatabaseError: "\(error)"
    default: "\(type(of: error))"
    }
  }
}
