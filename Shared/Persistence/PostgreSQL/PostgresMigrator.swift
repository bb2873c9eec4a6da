import Contracts
import Foundation
import Logging
import Timing

/// Applies the migrations of a schema, alone among the processes that use it, on connections of its own.
///
/// The lock is held by a transaction of a second connection. It is asked for again and again instead of awaited: a
/// statement that waits has a snapshot, for whose end `CREATE INDEX CONCURRENTLY` would wait in turn. Behind a pooler,
/// which may have only one session, each step locks the table of migrations instead; only the builds of indices are not
/// alone then.
struct PostgresMigrator {
  let schema: String
  let time: TimeSource
  let logger: Logger
  let isPooled: Bool
  let connect: () throws -> PostgresConnection

  /// How long a statement waits for a lock, in milliseconds. Other users of the table wait behind it.
  private static let lockTimeout = 1000
  /// How long a migration is tried again because its locks are not free, in seconds.
  private static let retrySeconds = 600.0
  /// Together with the schema's name, the key of the lock.
  private static let lockClass = 7_166_271

  /// - Returns: The names of the migrations applied by this call.
  func migrate(_ migrations: [Migration]) throws -> [String] {
    let connection = try connect()
    // Most starts find nothing to do, and take no lock.
    if try pending(migrations, connection)?.isEmpty == true { return [] }
    let lock = isPooled ? nil : try connect()
    if let lock { try acquire(lock) }
    try createHistory(on: connection)
    var applied: [String] = []
    for migration in try pending(migrations, connection) ?? [] {
      if let lock { try keep(lock) }
      guard try apply(migration, on: connection) else { continue }
      applied.append(migration.name)
      logger.info("applied migration", metadata: ["migration": "\(migration.name)", "why": "\(migration.why)"])
    }
    try lock?.command("COMMIT")
    return applied
  }

  private func createHistory(on connection: PostgresConnection) throws {
    func create() throws {
      try transaction(on: connection) { db in for table in Migration.history { try db.execute(table) } }
    }
    do { try create() } catch let error as DatabaseError {
      // Another process has created it at the same time.
      guard case .uniqueViolation = error.kind else { throw error }
      try create()
    }
  }

  /// `nil` when the schema has no history.
  private func pending(_ migrations: [Migration], _ connection: PostgresConnection) throws -> [Migration]? {
    try transaction(on: connection) { db in
      let tables = try db.count(
        """
        SELECT COUNT(*) FROM pg_tables
        WHERE schemaname = \(schema) AND tablename IN ('schema_migrations', 'schema_fills')
        """)
      return tables == 2 ? try Migration.pending(among: migrations, in: db) : nil
    }
  }

  private func acquire(_ lock: PostgresConnection) throws {
    var attempts = 0
    while true {
      try lock.command("BEGIN ISOLATION LEVEL READ COMMITTED")
      let isOurs: Bool? = try lock.value(
        "SELECT CAST(pg_try_advisory_xact_lock(CAST(\(Self.lockClass) AS INT), hashtext(\(schema))) AS INT)")
      if isOurs == true { return }
      try lock.command("ROLLBACK")
      attempts += 1
      if attempts == 1 || attempts.isMultiple(of: 100) {
        logger.info("another process migrates the database", metadata: ["schema": "\(schema)"])
      }
      Thread.sleep(forTimeInterval: Double.random(in: 0.05...0.25))
    }
  }

  /// Lets the lock be idle for as long as a migration takes; fails when it was lost with its connection. No query, because
  /// its snapshot may last until the next statement, and the build of an index would wait for its end.
  private func keep(_ lock: PostgresConnection) throws {
    try lock.command("SET LOCAL idle_in_transaction_session_timeout = 0")
  }

  /// - Returns: Whether no other process has applied it before.
  private func apply(_ migration: Migration, on connection: PostgresConnection) throws -> Bool {
    if case .index(let index) = migration.work { try build(index, on: connection) }
    var progress = Migration.Progress.unfinished
    while progress == .unfinished {
      progress = try repeatingLocks(of: migration) { try step(migration, on: connection) }
    }
    return progress == .applied
  }

  private func step(_ migration: Migration, on connection: PostgresConnection) throws -> Migration.Progress {
    try transaction(on: connection) { db in
      // Behind a pooler, this is the only lock.
      try db.execute("LOCK TABLE schema_migrations IN EXCLUSIVE MODE")
      return try migration.step(in: db, at: time.now())
    }
  }

  /// Gives up after ``lockTimeout`` instead of holding up others for long, and tries again later.
  private func repeatingLocks<Value>(of migration: Migration, _ body: () throws -> Value) throws -> Value {
    let end = ContinuousClock.now + .seconds(Self.retrySeconds)
    let pauses = Backoff(first: 0.2, maxDelay: 10)
    var failures = 0
    while true {
      do { return try body() } catch let error as DatabaseError
        where [.overloaded, .conflict].contains(error.kind) && ContinuousClock.now < end
      {
        logger.warning(
          "a migration waits for its locks", metadata: ["migration": "\(migration.name)", "error": "\(error)"])
        failures += 1
        Thread.sleep(forTimeInterval: pauses.delay(after: failures))
      }
    }
  }

  /// Sees what others have committed until each statement, because no snapshot is older than the lock.
  private func transaction<Value>(on connection: PostgresConnection, _ body: (any Connection) throws -> Value)
    throws -> Value
  {
    try connection.command("BEGIN ISOLATION LEVEL READ COMMITTED")
    do {
      try connection.command("SET LOCAL statement_timeout = 0")
      try connection.command("SET LOCAL lock_timeout = \(Self.lockTimeout)")
      try connection.command("SET LOCAL search_path TO \(schema)")
      let value = try body(connection)
      try connection.command("COMMIT")
      return value
    } catch {
      if connection.isAlive { try? connection.command("ROLLBACK") }
      throw error
    }
  }

  /// Builds an index while others write the table. It waits for their transactions without holding them up, so that it
  /// needs no limit of time. On an empty table, such as those of a new schema, there is nothing to wait for.
  private func build(_ index: MigrationIndex, on connection: PostgresConnection) throws {
    let isValid: Bool? = try connection.value(
      """
      SELECT CAST(i.indisvalid AS INT) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = \(schema) AND c.relname = \(index.name.description)
      """)
    if isValid == true { return }
    try connection.command("SET statement_timeout = 0")
    // An interrupted build leaves an index that is maintained, but not used.
    if isValid == false { try connection.command("DROP INDEX CONCURRENTLY \(schema).\(index.name)") }
    let isUsed: Bool? = try connection.value(
      SQL(trusted: "SELECT CAST(EXISTS (SELECT 1 FROM \(schema).\(index.table)) AS INT)"))
    let manner = isUsed == false ? "" : "CONCURRENTLY"
    try connection.command(
      "CREATE \(index.kind) \(manner) \(index.name) ON \(schema).\(index.table) \(index.columns)")
    try connection.command("RESET statement_timeout")
  }
}
