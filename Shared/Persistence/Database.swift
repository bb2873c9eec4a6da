public import Contracts
public import Logging

/// The purpose of a read-only transaction. Each reads one consistent snapshot.
public enum ReadPurpose: Sendable {
  /// Shows everything that is committed when it begins.
  case latest
  /// A list or a report that may be some seconds old: read from the replica when there is one, unless the same request
  /// has written before or the replica is behind. Not for what callers expect to contain what they have just changed.
  case snapshot
}

/// The purpose of a writing transaction.
public enum WritePurpose: Sendable {
  /// Money, stock, rights, and every decision based on what was read: as if no other transaction ran concurrently.
  case serializable
  /// Queues, sessions, inboxes, logs: each statement sees what is committed by then, and guards its own change
  /// (`UPDATE … WHERE`, `ON CONFLICT`). Such transactions wait for each other's rows instead of being repeated.
  case readCommitted
}

/// A service's private database: a SQLite file or a PostgreSQL schema.
///
/// Bodies are synchronous so that no transaction waits for the network. They may run again after a conflict, so they
/// must have no side effects outside the database. For whom they run, and so how long they may wait and take, is the
/// task's ``Workload``.
public protocol Database: Sendable {
  /// Runs a read-only transaction.
  /// - Throws: ``DatabaseError`` `overloaded` when it would wait too long, or its caller waits no longer.
  func read<Value: Sendable>(
    _ purpose: ReadPurpose, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value

  /// Runs a transaction. The change is durable when this returns.
  /// - Throws: ``DatabaseError`` `overloaded` when it would wait too long, or its caller waits no longer.
  @discardableResult
  func write<Value: Sendable>(
    _ purpose: WritePurpose, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value

  /// Applies all pending migrations in their order, each alone among the processes that use the database.
  ///
  /// - Returns: The names of the migrations applied by this call.
  /// - Throws: ``DatabaseError`` `invalidMigration` when an applied migration was edited.
  @discardableResult
  func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String]

  /// Signals that events were committed; for a single consumer, the relay.
  var committedEvents: AsyncStream<Void> { get }

  /// Wakes work that waits for commits of this process and, on PostgreSQL, of the other ones.
  var wakeUps: WakeUps { get }

  /// The number of jobs that wait for the database, for metrics.
  var queueDepth: Int { get }

  /// The SQL dialect, for the few statements that differ between the databases.
  var dialect: Dialect { get }

  /// Makes deleted content unreadable in the database's files. SQLite overwrites deleted content immediately; this
  /// truncates its WAL. PostgreSQL removes dead rows at its next VACUUM, which is the operator's responsibility.
  func eraseDeleted() async throws

  /// Completes the queued work and closes every connection.
  func close() async
}

extension Database {
  /// Runs a read-only transaction that shows everything committed.
  public func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value
  {
    try await read(.latest, body)
  }

  /// Runs a serializable transaction.
  @discardableResult
  public func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value {
    try await write(.serializable, body)
  }
}

/// The supported databases.
public enum Dialect: String, Sendable {
  case sqlite, postgresql
}

/// Runs statements inside a transaction, on the thread that owns the connection.
public protocol Connection {
  var dialect: Dialect { get }

  /// Runs a statement and returns the number of rows it changed.
  @discardableResult
  func execute(_ sql: SQL) throws -> Int

  /// Writes rows: `start`, the values of the rows in parentheses, `end`. Rows have equally many values.
  func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws

  /// Runs a statement before the next one, or before the commit: PostgreSQL then needs no round trip of its own. What
  /// it throws, the next statement or the commit throws.
  func executeLater(_ sql: SQL) throws

  /// Runs a query and decodes every row of its result.
  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value]
}

extension Connection {
  public func executeLater(_ sql: SQL) throws { try execute(sql) }

  /// Runs a query and decodes the first row; `nil` when the result is empty.
  public func first<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> Value? {
    try all(sql, decode).first
  }

  /// The only column of the first row; `nil` when there is no row.
  public func value<Value: SQLDecodable>(_ sql: SQL, as type: Value.Type = Value.self) throws -> Value? {
    try first(sql) { row -> Value in try row.single() }
  }

  /// The only column of every row.
  public func values<Value: SQLDecodable>(_ sql: SQL, as type: Value.Type = Value.self) throws -> [Value] {
    try all(sql) { row -> Value in try row.single() }
  }

  /// The only column of every row.
  public func values<Value: ValidatedString>(_ sql: SQL, as type: Value.Type = Value.self) throws -> [Value] {
    try values(sql, as: String.self).map { Value(checked: $0) }
  }

  /// The number that a `SELECT COUNT(…)` or `SELECT SUM(…)` returns.
  public func count(_ sql: SQL) throws -> Int { try value(sql, as: Int.self) ?? 0 }

  /// Whether a statement returns a row.
  public func exists(_ sql: SQL) throws -> Bool { try first(sql) { _ in true } ?? false }
}

/// A read-write transaction that can emit events.
public final class Transaction: Connection {
  /// A test can record what passes through it.
  package var connection: any Connection
  private var outbox: OutboxWriter
  /// When the transaction began.
  public let now: Timestamp
  /// The facts that the app of the request reported about its device, for the audit trail.
  let device: DeviceFacts?
  /// Whether an idempotency key commits with the transaction, so that it has no second effect when it runs again.
  var hasKey = false
  private var events: [OutboxWriter.Entry] = []
  /// Whether the relay must be woken after the commit.
  private(set) var hasEvents = false
  /// The topics that are woken after the commit.
  private(set) var topics: Set<String> = []
  /// The time of the database itself in microseconds, for what instances must agree about whatever their clocks show:
  /// claims and leases. In PostgreSQL it is that of the statement's start, which an index can be searched for.
  public let clock: SQL

  init(
    connection: any Connection, outbox: OutboxWriter, now: Timestamp, hasOwnClock: Bool = false,
    device: DeviceFacts? = nil
  ) {
    self.connection = connection
    self.outbox = outbox
    self.now = now
    self.device = device
    clock =
      hasOwnClock ? "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS BIGINT)" : "CAST(\(now) AS BIGINT)"
  }

  public var dialect: Dialect { connection.dialect }

  @discardableResult
  public func execute(_ sql: SQL) throws -> Int { try connection.execute(sql) }

  public func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    try connection.execute(start, rows: rows, end)
  }

  public func executeLater(_ sql: SQL) throws { try connection.executeLater(sql) }

  public func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    try connection.all(sql, decode)
  }

  /// Runs a part of the transaction whose events belong to another trace than the task's.
  /// - Parameter trace: Without one, the events stay in the task's trace.
  public func traced<Value>(by trace: TraceContext?, _ body: () throws -> Value) rethrows -> Value {
    guard let trace else { return try body() }
    let previous = outbox
    outbox = outbox.traced(by: trace)
    defer { outbox = previous }
    return try body()
  }

  /// Emits an event when the transaction commits; the only way to emit one.
  /// - Throws: ``DatabaseError`` `other` when its data is larger than ``Outbox/maxEventBytes``.
  public func record(_ event: some Event) throws {
    events.append(try OutboxWriter.Entry(event, traceparent: outbox.traceparent))
    hasEvents = true
  }

  /// Stores the emitted events; called once, at the end of the transaction.
  func writeEvents() throws {
    try outbox.insert(events, at: now, into: connection)
    events = []
  }

  /// Wakes those who wait for a topic, when the transaction has committed; however often it is called, once.
  public func wake(_ topic: String) { topics.insert(topic) }

  /// The trace that the transaction belongs to, as the value of a `traceparent` header.
  public var traceparent: String? { outbox.traceparent }

  /// Generates an id for a row of the platform's tables.
  func newID() -> String { outbox.ids.text() }

  /// Wakes the relay after the commit even without a new event.
  func wakeRelay() { hasEvents = true }
}
