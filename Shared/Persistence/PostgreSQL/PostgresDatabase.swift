public import Contracts
import Foundation
public import Logging

/// A schema in PostgreSQL 15 or later, accessed by blocking libpq on a pool of threads with one connection each.
///
/// Transactions are serializable, as with SQLite's single writer, and retried on conflict. One that keeps conflicting
/// runs without the other writers of this process. One that loses its connection is retried too: a failover to another
/// server costs time, but no request, when it takes some seconds only.
public final class PostgresDatabase: Database {
  private typealias Job = @Sendable (Session) -> Void

  private let jobs = BlockingWorkQueue<Job>(capacity: 4096)
  private let outbox: OutboxWriter
  private let time: TimeSource
  public let committedEvents: AsyncStream<Void>
  private let eventSignal: AsyncStream<Void>.Continuation

  public var dialect: Dialect { .postgresql }
  public var queueDepth: Int { jobs.depth }

  private let writers = WriterGate()
  private let reachability = Reachability()
  private let connectForMigrations: @Sendable () throws -> PostgresConnection
  private let schema: String

  /// Starts the thread pool; connections are opened on demand.
  ///
  /// - Parameters:
  ///   - url: A libpq connection URI, `postgres://user:password@host/database`. Of several hosts,
  ///     `postgres://user@first,second/database`, the one that accepts writes is used.
  ///   - schema: The service's schema: letters, digits and underscores.
  ///   - connections: The pool size. The total of all instances must stay below the server's `max_connections`.
  ///   - statementSeconds: After how long the server cancels a statement, except in migrations.
  public init(
    url: String,
    schema: String,
    connections: Int = 8,
    statementSeconds: Int = 10,
    time: TimeSource = .system,
    ids: IDGenerator = IDGenerator()
  ) throws(DatabaseError) {
    let isIdentifier = schema.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
    guard isIdentifier, !schema.isEmpty else { throw DatabaseError(.other, "the schema name is not an identifier") }
    self.time = time
    self.schema = schema
    outbox = OutboxWriter(ids: ids)
    (committedEvents, eventSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let connect: @Sendable () throws -> PostgresConnection = { [reachability] in
      try reachability.connecting {
        try PostgresConnection(url: url, schema: schema, statementSeconds: statementSeconds)
      }
    }
    connectForMigrations = connect
    for _ in 0..<connections {
      jobs.startThread(named: "postgres") { [jobs, writers] in
        let session = Session(writers: writers, connect: connect)
        while let job = jobs.take() { job(session) }
      }
    }
  }

  public func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value
  {
    try await run { session in try session.read { try body($0) } }
  }

  @discardableResult
  public func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value {
    let (outbox, device) = (outbox.traced(by: TraceContext.current), DeviceFacts.current)
    return try await run { [time, eventSignal] session in
      let (value, transaction) = try session.write(body) { connection in
        Transaction(connection: connection, outbox: outbox, now: time.now(), device: device)
      }
      if transaction.hasEvents { eventSignal.yield() }
      return value
    }
  }

  @discardableResult
  public func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    try await BlockingThreads(1, named: "migrations").run { [self] in
      try PostgresMigrator(schema: schema, time: time, logger: logger, connect: connectForMigrations)
        .migrate(migrations)
    }
  }

  /// Whether the server could be reached when a connection was last needed.
  public var isReachable: Bool { reachability.isReachable }

  private func run<Value: Sendable>(_ body: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try jobs.submit { session in continuation.resume(with: Result { try body(session) }) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  public func eraseDeleted() async throws {}

  public func close() async {
    await jobs.close()
    eventSignal.finish()
  }

  /// A thread's connection, reopened after it is lost.
  private final class Session {
    private let writers: WriterGate
    private let connect: () throws -> PostgresConnection
    private var connection: PostgresConnection?

    init(writers: WriterGate, connect: @escaping () throws -> PostgresConnection) {
      self.writers = writers
      self.connect = connect
    }

    private func connected() throws -> PostgresConnection {
      if let connection, connection.isAlive { return connection }
      connection = nil
      let new = try connect()
      connection = new
      return new
    }

    func read<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
      var retry = TransactionRetry()
      while true {
        var isConnected = false
        do {
          let connection = try connected()
          isConnected = true
          return try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", on: connection, body)
        } catch let error as DatabaseError {
          pause(try retry.pause(after: error, isConnected: isConnected, isIdempotent: true))
        }
      }
    }

    func write<Value>(_ body: (Transaction) throws -> Value, _ start: (PostgresConnection) -> Transaction) throws
      -> (Value, Transaction)
    {
      var retry = TransactionRetry()
      while true {
        var (isConnected, isIdempotent) = (false, false)
        do {
          let connection = try connected()
          isConnected = true
          func serialized() throws -> (Value, Transaction) {
            try transaction("BEGIN ISOLATION LEVEL SERIALIZABLE", on: connection) { connection in
              let transaction = start(connection)
              defer { isIdempotent = transaction.hasKey }
              return (try body(transaction), transaction)
            }
          }
          return retry.runsAlone ? try writers.runAlone(serialized) : try writers.runBesideOthers(serialized)
        } catch let error as DatabaseError {
          pause(try retry.pause(after: error, isConnected: isConnected, isIdempotent: isIdempotent))
        }
      }
    }

    private func pause(_ seconds: ClosedRange<Double>) { Thread.sleep(forTimeInterval: .random(in: seconds)) }

    private func transaction<Value>(
      _ begin: String, on connection: PostgresConnection, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
      try connection.command(begin)
      do {
        let value = try body(connection)
        // A body may have continued after the loss of its connection.
        guard connection.isAlive else { throw DatabaseError(.unavailable, "the connection was lost") }
        try connection.commit()
        return value
      } catch {
        if connection.isAlive { try? connection.command("ROLLBACK") }
        throw error
      }
    }
  }
}
