public import Contracts

/// A service's own database: SQLite in a file or a schema in PostgreSQL.
///
/// Bodies are synchronous on purpose: no transaction ever waits for the network. They may run again after a conflict,
/// so they change nothing but the database.
public protocol Database: Sendable {
  /// Reads from one snapshot.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

  /// Runs a transaction, serialisable against all others. When this returns, the change is on disk.
  @discardableResult
  func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value

  /// Says that events were committed; for one listener, the relay.
  var committedEvents: AsyncStream<Void> { get }

  /// How much work waits for the writer, for metrics.
  var queueDepth: Int { get }

  /// Which statements differ, for the few functions here that need to know.
  var dialect: Dialect { get }

  /// Makes what was deleted before unreadable in the database's files: SQLite overwrites deleted content at once, and this
  /// empties its log. PostgreSQL's dead rows go with its next VACUUM, which is its operator's affair.
  func eraseDeleted() async throws

  /// Finishes what was begun and closes every connection.
  func close() async
}

/// The two databases.
public enum Dialect: String, Sendable {
  case sqlite, postgresql
}

/// Runs statements inside a transaction, on the thread that owns the connection.
public protocol Connection {
  var dialect: Dialect { get }

  /// Runs a statement and answers how many rows it changed.
  @discardableResult
  func execute(_ sql: SQL) throws -> Int

  /// Decodes every row of an answer.
  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value]
}

extension Connection {
  /// Decodes the first row, when there is one.
  public func first<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> Value? {
    try all(sql, decode).first
  }
}

/// A transaction that writes and tells what happened.
public final class Transaction: Connection {
  private let connection: any Connection
  private let outbox: OutboxWriter
  /// When the transaction began.
  public let now: Timestamp
  /// Whether there is something to deliver, so that the relay is woken after the commit.
  private(set) var hasEvents = false

  init(connection: any Connection, outbox: OutboxWriter, now: Timestamp) {
    self.connection = connection
    self.outbox = outbox
    self.now = now
  }

  public var dialect: Dialect { connection.dialect }

  @discardableResult
  public func execute(_ sql: SQL) throws -> Int { try connection.execute(sql) }

  public func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    try connection.all(sql, decode)
  }

  /// Tells an event, if and when the transaction commits; the only way to emit one.
  public func record(_ event: some Event) throws {
    try outbox.insert(event, at: now, into: connection)
    hasEvents = true
  }

  /// An id for a row of the platform's own tables.
  func newID() -> String { outbox.ids.text() }

  /// Lets the relay look after the commit, without a new event.
  func wakeRelay() { hasEvents = true }
}
