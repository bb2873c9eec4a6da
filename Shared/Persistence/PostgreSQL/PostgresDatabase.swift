public import Contracts
import Foundation

/// A schema in PostgreSQL 15 or later, accessed by blocking libpq on a pool of threads with one connection each.
///
/// Transactions are serializable, as with SQLite's single writer, and retried on conflict. One that keeps conflicting
/// runs without the other writers of this process.
public final class PostgresDatabase: Database {
  private typealias Job = @Sendable (Session) -> Void

  private let jobs = BlockingWorkQueue<Job>(capacity: 4096)
  private let outbox: OutboxWriter
  private let time: TimeSource
  public let committedEvents: AsyncStream<Void>
  private let eventSignal: AsyncStream<Void>.Continuation

  public var dialect: Dialect { .postgresql }
  public var queueDepth: Int { jobs.depth }

  /// Maximum attempts of a conflicting transaction.
  private static let attempts = 12
  /// Attempts of a conflicting transaction beside others; the further ones run alone.
  private static let concurrentAttempts = 3
  private let writers = WriterGate()

  /// Starts the thread pool; connections are opened on demand.
  ///
  /// - Parameters:
  ///   - url: A libpq connection URI, `postgres://user:password@host/database`.
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
    outbox = OutboxWriter(ids: ids)
    (committedEvents, eventSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    for _ in 0..<connections {
      jobs.startThread(named: "postgres") { [jobs, writers] in
        let session = Session(
          url: url, schema: schema, statementSeconds: statementSeconds, writers: writers)
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
      let (value, hasEvents) = try session.write { connection in
        let transaction = Transaction(connection: connection, outbox: outbox, now: time.now(), device: device)
        return (try body(transaction), transaction.hasEvents)
      }
      if hasEvents { eventSignal.yield() }
      return value
    }
  }

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
    private let url: String
    private let schema: String
    private let statementSeconds: Int
    private let writers: WriterGate
    private var connection: PostgresConnection?

    init(url: String, schema: String, statementSeconds: Int, writers: WriterGate) {
      self.url = url
      self.schema = schema
      self.statementSeconds = statementSeconds
      self.writers = writers
    }

    private func connected() throws -> PostgresConnection {
      if let connection, connection.isAlive { return connection }
      let new = try PostgresConnection(url: url, schema: schema, statementSeconds: statementSeconds)
      connection = new
      return new
    }

    func read<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
      try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
    }

    func write<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
      func serialized() throws -> Value { try transaction("BEGIN ISOLATION LEVEL SERIALIZABLE", body) }
      var (attempt, violations) = (1, 0)
      while true {
        do {
          return attempt > concurrentAttempts
            ? try writers.runAlone(serialized) : try writers.runBesideOthers(serialized)
        } catch let error as DatabaseError where isRepeatable(error, attempt, violations) {
          if case .uniqueViolation = error.kind { violations += 1 }
          let longest = min(0.1, 0.002 * Double(1 << attempt))
          Thread.sleep(forTimeInterval: Double.random(in: 0...longest))
          attempt += 1
        }
      }
    }

    /// Of two transactions that see no row and insert it, the second may fail because the row is there now, instead of
    /// with a conflict; then it sees the row when it is repeated.
    private func isRepeatable(_ error: DatabaseError, _ attempt: Int, _ violations: Int) -> Bool {
      switch error.kind {
      case .conflict: attempt < attempts
      case .uniqueViolation: attempt < attempts && violations == 0
      default: false
      }
    }

    private func transaction<Value>(_ begin: String, _ body: (PostgresConnection) throws -> Value) throws -> Value {
      let hadConnection = connection != nil
      var connection = try connected()
      do {
        try connection.command(begin)
      } catch let error as DatabaseError where error.kind == .unavailable && hadConnection {
        // The server closed an idle connection; no transaction was started.
        self.connection = nil
        connection = try connected()
        try connection.command(begin)
      }
      let value: Value
      do {
        value = try body(connection)
      } catch {
        if connection.isAlive { try? connection.command("ROLLBACK") }
        throw error
      }
      do {
        try connection.commit()
      } catch let error as DatabaseError where error.kind == .unavailable {
        throw DatabaseError(.outcomeUnknown, error.detail)
      } catch {
        if connection.isAlive { try? connection.command("ROLLBACK") }
        throw error
      }
      return value
    }
  }
}
