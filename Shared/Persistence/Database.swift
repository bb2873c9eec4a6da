public import Contracts

/// A service's private database: a SQLite file or a PostgreSQL schema.
///
/// Bodies are synchronous so that no transaction waits for the network. They may run again after a conflict, so they
/// must have no side effects outside the database.
public protocol Database: Sendable {
  /// Runs a read-only transaction on a consistent snapshot.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

  /// Runs a serializable transaction. The change is durable when this returns.
  @discardableResult
  func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value

  /// Signals that events were committed; for a single consumer, the relay.
  var committedEvents: AsyncStream<Void> { get }

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

  /// Runs a query and decodes every row of its result.
  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value]
}

extension Connection {
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
  private let outbox: OutboxWriter
  /// When the transaction began.
  public let now: Timestamp
  /// What the app of the request reported about its device, for the audit trail.
  let device: DeviceFacts?
  /// Whether the relay must be woken after the commit.
  private(set) var hasEvents = false

  init(connection: any Connection, outbox: OutboxWriter, now: Timestamp, device: DeviceFacts? = nil) {
    self.connection = connection
    self.outbox = outbox
    self.now = now
    self.device = device
  }

  public var dialect: Dialect { connection.dialect }

  @discardableResult
  public func execute(_ sql: SQL) throws -> Int { try connection.execute(sql) }

  public func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    try connection.execute(start, rows: rows, end)
  }

  public func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    try connection.all(sql, decode)
  }

  /// Emits an event when the transaction commits; the only way to emit one.
  public func record(_ event: some Event) throws {
    try outbox.insert(event, at: now, into: connection)
    hasEvents = true
  }

  /// Generates an id for a row of the platform's tables.
  func newID() -> String { outbox.ids.text() }

  /// Wakes the relay after the commit even without a new event.
  func wakeRelay() { hasEvents = true }
}
