public import Logging
public import Persistence
public import ServiceKit
import Synchronization

/// A service on a database that records what its queries are. Its database is ``Recorded/database``.
public struct Recorded<Service: ServicePlugin>: ServicePlugin {
  public static var manifest: Manifest { Service.manifest }

  public let features: [any Feature]
  public let database: RecordingDatabase

  public init(environment: ServiceEnvironment) async throws {
    var recorded = environment
    database = RecordingDatabase(try environment.database)
    recorded.ownDatabase = database
    features = try await Service(environment: recorded).features
  }
}

/// A database that records the queries of its transactions as they are executed.
public final class RecordingDatabase: Database {
  private let database: any Database
  private let statements = Mutex<[SQL]>([])

  public init(_ database: any Database) { self.database = database }

  /// Runs a body and returns the queries that have been executed during it, each text once.
  public func statements(during body: () async throws -> Void) async throws -> [SQL] {
    statements.withLock { $0 = [] }
    try await body()
    var texts: Set<String> = []
    return statements.withLock { $0 }.filter { texts.insert($0.text).inserted }
  }

  public func read<Value: Sendable>(
    _ purpose: ReadPurpose, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    try await database.read(purpose) { connection in try body(self.recorded(connection)) }
  }

  private func recorded(_ connection: any Connection) -> RecordingConnection {
    RecordingConnection(connection: connection) { sql in self.statements.withLock { $0.append(sql) } }
  }

  @discardableResult
  public func write<Value: Sendable>(
    _ purpose: WritePurpose, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await database.write(purpose) { tx in
      tx.connection = self.recorded(tx.connection)
      return try body(tx)
    }
  }

  @discardableResult
  public func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    try await database.migrate(migrations, logger: logger)
  }

  public var committedEvents: AsyncStream<Void> { database.committedEvents }
  public var wakeUps: WakeUps { database.wakeUps }
  public var queueDepth: Int { database.queueDepth }
  public var dialect: Dialect { database.dialect }

  public func eraseDeleted() async throws { try await database.eraseDeleted() }
  public func close() async { await database.close() }
}

private struct RecordingConnection: Connection {
  let connection: any Connection
  let record: (SQL) -> Void

  var dialect: Dialect { connection.dialect }

  func execute(_ sql: SQL) throws -> Int { try connection.execute(sql) }

  func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    try connection.execute(start, rows: rows, end)
  }

  func executeLater(_ sql: SQL) throws { try connection.executeLater(sql) }

  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    if sql.text.hasPrefix("SELECT") { record(sql) }  // a write can return rows, too
    return try connection.all(sql, decode)
  }
}
