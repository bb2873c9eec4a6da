import Crypto
public import Logging

/// A schema migration. Migrations are append-only: never edit one that has been applied; add a new one instead.
public struct Migration: Sendable {
  /// Unique in its service, such as `002-display-names`.
  public let name: String
  /// Its purpose, in one line.
  public let why: StaticString
  public let statements: [SQL]
  /// The database to which it applies; `nil` for both.
  public let dialect: Dialect?

  /// - Parameter dialect: For the few statements that differ between the databases, such as triggers.
  public init(_ name: String, why: StaticString, on dialect: Dialect? = nil, _ statements: [SQL]) {
    self.name = name
    self.why = why
    self.dialect = dialect
    self.statements = statements
  }

  /// SHA-256 of the statements, to detect an edited migration.
  var hash: String {
    var hasher = SHA256()
    for statement in statements { hasher.update(data: Array(statement.text.utf8) + [0]) }
    return hasher.finalize().hexadecimal
  }
}

extension Database {
  /// Applies all pending migrations, each in a separate transaction.
  ///
  /// - Returns: The names of the migrations applied by this call.
  /// - Throws: ``DatabaseError`` `invalidMigration` when an applied migration was edited.
  @discardableResult
  public func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    try await write { tx in
      try tx.execute(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations
          (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)
        """
      )
    }
    var applied: [String] = []
    for migration in migrations where migration.dialect == nil || migration.dialect == dialect {
      let ran = try await write { tx in
        try tx.lockForMigration()
        let hash = try tx.value("SELECT hash FROM schema_migrations WHERE name = \(migration.name)", as: String.self)
        if let hash {
          guard hash == migration.hash else {
            throw DatabaseError(
              .invalidMigration,
              "migration \(migration.name) was edited after it was applied; revert the edit and add a new migration"
            )
          }
          return false
        }
        for statement in migration.statements { try tx.execute(statement) }
        try tx.execute("INSERT INTO schema_migrations VALUES (\(migration.name), \(migration.hash), \(tx.now))")
        return true
      }
      if ran {
        applied.append(migration.name)
        logger.info("applied migration", metadata: ["migration": "\(migration.name)", "why": "\(migration.why)"])
      }
    }
    return applied
  }
}

extension Connection {
  /// Serializes migrations across instances; in SQLite the writer lock already does.
  ///
  /// A migration may take as long as its table is large, and the other instances wait for it. Each of its statements sees
  /// what was committed before: an `ALTER TABLE` waits for those who write to the table, and a later statement must reach
  /// their rows, without a conflict that would repeat everything.
  fileprivate func lockForMigration() throws {
    guard dialect == .postgresql else { return }
    try execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
    try execute("SET LOCAL statement_timeout = 0")
    try execute("LOCK TABLE schema_migrations IN EXCLUSIVE MODE")
    _ = try all("SELECT pg_advisory_xact_lock(7166271)") { _ in }
  }
}
