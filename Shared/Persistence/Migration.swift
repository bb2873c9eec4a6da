import Crypto
public import Logging

/// A step of a database's history. Append-only: a step that ran somewhere is never edited, a new one follows it.
public struct Migration: Sendable {
  /// Unique in its service, such as `002-display-names`.
  public let name: String
  /// Why it is there, in a line.
  public let why: StaticString
  public let statements: [SQL]
  /// The database that it is for; `nil` for both.
  public let dialect: Dialect?

  /// - Parameter dialect: For the few statements that only one of the databases knows, such as triggers.
  public init(_ name: String, why: StaticString, on dialect: Dialect? = nil, _ statements: [SQL]) {
    self.name = name
    self.why = why
    self.dialect = dialect
    self.statements = statements
  }

  /// SHA-256 of the statements, so that an edited step is noticed.
  var hash: String {
    var hasher = SHA256()
    for statement in statements { hasher.update(data: Array(statement.text.utf8) + [0]) }
    return hasher.finalize().hexadecimal
  }
}

extension Database {
  /// Brings the database to the newest step, each step in a transaction of its own.
  ///
  /// - Returns: Names of the steps that ran now.
  /// - Throws: ``DatabaseError`` `invalidMigration` when a step that ran was edited since.
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
        let hash = try tx.first("SELECT hash FROM schema_migrations WHERE name = \(migration.name)") { row -> String in
          try row[0]
        }
        if let hash {
          guard hash == migration.hash else {
            throw DatabaseError(
              .invalidMigration,
              "migration \(migration.name) was edited after it ran; undo the edit and add a new migration"
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
        logger.info("migrated", metadata: ["migration": "\(migration.name)", "why": "\(migration.why)"])
      }
    }
    return applied
  }
}

extension Connection {
  /// Lets one instance migrate at a time; SQLite's writer lock does that by itself.
  fileprivate func lockForMigration() throws {
    if dialect == .postgresql { _ = try all("SELECT pg_advisory_xact_lock(7166271)") { _ in } }
  }
}
