import Contracts
import Logging
import Observability
import Persistence
import Synchronization

/// A service's database with metrics and spans: how long transactions wait, run and commit.
final class ObservedDatabase: Database {
  private let database: any Database
  private let scope: SpanScope?
  private let service: String
  private let queue, commit, reads, writes: Metrics.Histogram

  init(_ database: any Database, of service: String, metrics: Metrics, tracer: Tracer?) {
    (self.database, self.service) = (database, service)
    scope = tracer.map { SpanScope(tracer: $0, service: service) }
    let labels: Metrics.Labels = [("service", service)]
    queue = metrics.histogram(
      "db_queue_seconds", help: "Until a transaction begins: for a connection or the writer.", labels: labels)
    commit = metrics.histogram(
      "db_commit_seconds", help: "From the last statement of a writing transaction until it is durable.", labels: labels
    )
    func total(_ operation: String) -> Metrics.Histogram {
      metrics.histogram(
        "db_transaction_seconds", help: "Whole transactions, with waiting and repetitions.",
        labels: labels + [("operation", operation)])
    }
    (reads, writes) = (total("read"), total("write"))
    if let database = database as? PostgresDatabase {
      metrics.gauge(
        "database_reachable", help: "Whether PostgreSQL could be reached when it was last needed.", labels: labels
      ) { database.isReachable ? 1 : 0 }
    }
  }

  func read<Value: Sendable>(
    _ purpose: ReadPurpose, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    try await observe("read", reads) { moment, timing in
      try await self.database.read(purpose) { connection in
        timing.begin(moment)
        return try body(connection)
      }
    }
  }

  @discardableResult
  func write<Value: Sendable>(
    _ purpose: WritePurpose, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await observe("write", writes) { moment, timing in
      try await self.database.write(purpose) { tx in
        timing.begin(moment)
        defer { timing.end(moment) }
        return try body(tx)
      }
    }
  }

  private func observe<Value: Sendable>(
    _ operation: String, _ total: Metrics.Histogram,
    _ run: (Span.Moment, TransactionTiming) async throws -> Value
  ) async throws -> Value {
    let (moment, timing) = (Span.Moment.now(), TransactionTiming())
    let parent = TraceContext.current
    var failure: String?
    defer {
      let (begun, ended) = timing.seconds
      let seconds = moment.seconds
      total.record(seconds: seconds)
      queue.record(seconds: begun ?? seconds)
      if failure == nil, let ended { commit.record(seconds: seconds - ended) }
      if let scope, let parent, scope.tracer.records(parent) {
        record(operation, parent, moment, queued: begun ?? seconds, failure, scope)
      }
    }
    do { return try await run(moment, timing) } catch {
      failure = (error as? DatabaseError).map { "\($0.kind)" } ?? String(reflecting: type(of: error))
      throw error
    }
  }

  private func record(
    _ operation: String, _ parent: TraceContext, _ moment: Span.Moment, queued: Double, _ failure: String?,
    _ scope: SpanScope
  ) {
    scope.tracer.record(
      Span(
        service: service, name: "\(operation) \(service)", kind: .client, trace: parent.child(), parent: parent.spanID,
        begin: moment, duration: moment.elapsed,
        attributes: [
          ("db.system.name", .text(database.dialect.rawValue)), ("db.namespace", .text(service)),
          ("db.operation.name", .text(operation)),
          ("quintet.db.queue_microseconds", .number(Int(queued * 1_000_000))),
        ], failure: failure))
  }

  @discardableResult
  func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    try await database.migrate(migrations, logger: logger)
  }

  var committedEvents: AsyncStream<Void> { database.committedEvents }
  var wakeUps: WakeUps { database.wakeUps }
  var queueDepth: Int { database.queueDepth }
  var dialect: Dialect { database.dialect }

  func eraseDeleted() async throws { try await database.eraseDeleted() }
  func close() async { await database.close() }
}

/// When a transaction's body began for the first time and ended for the last time, in seconds since it was asked for.
private final class TransactionTiming: Sendable {
  private let times = Mutex<(begun: Double?, ended: Double?)>((nil, nil))

  var seconds: (begun: Double?, ended: Double?) { times.withLock { $0 } }

  func begin(_ moment: Span.Moment) {
    times.withLock { times in
      if times.begun == nil { times.begun = moment.seconds }
    }
  }

  func end(_ moment: Span.Moment) { times.withLock { $0.ended = moment.seconds } }
}
