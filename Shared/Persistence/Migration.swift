import Contracts
import Crypto

/// A schema migration. Migrations are append-only: never edit one that has been applied; add a new one instead.
///
/// Processes of the version before run alongside those that migrate: `docs/upgrades.md` has the rule.
public struct Migration: Sendable {
  struct Statement: Sendable {
    let sql: SQL
    /// The database to which it applies; `nil` for both.
    var dialect: Dialect?
  }

  enum Work: Sendable {
    /// Statements of one transaction.
    case statements([Statement])
    case index(MigrationIndex)
    case fill(MigrationFill)
  }

  /// Unique in its service, such as `002-display-names`.
  public let name: String
  /// Its purpose, in one line.
  public let why: StaticString
  let work: Work

  /// Statements that take effect together. They must be quick on tables in use, such as new tables and columns.
  public init(_ name: String, why: StaticString, _ statements: [SQL]) {
    self.init(name, why, .statements(statements.map { Statement(sql: $0) }))
  }

  /// Tables of several subjects. A table that is referenced stands before those that reference it.
  public init(_ name: String, why: StaticString, creating schemas: [Schema]) {
    self.init(name, why, .statements(schemas.flatMap(\.statements)))
  }

  private init(_ name: String, _ why: StaticString, _ work: Work) {
    (self.name, self.why, self.work) = (name, why, work)
  }

  /// An index of a table in use. On PostgreSQL it is built while transactions write the table, by
  /// `CREATE INDEX CONCURRENTLY`; a build that was interrupted is repeated.
  ///
  /// - Parameters:
  ///   - index: The index's name, unique in the service.
  ///   - columns: What follows the table's name: `(state, id) WHERE state = 'open'`.
  public static func index(
    _ name: String, why: StaticString, _ index: StaticString, on table: StaticString, _ columns: StaticString,
    isUnique: Bool = false
  ) -> Migration {
    let index = MigrationIndex(name: index, table: table, columns: columns, isUnique: isUnique)
    return Migration(name, why, .index(index))
  }

  /// A change of the rows of a table in use, in transactions of some rows each. Continues where it was interrupted.
  ///
  /// - Parameters:
  ///   - key: A unique column with texts that are not empty, by which the rows are passed.
  ///   - rows: How many of them one transaction covers.
  ///   - statement: Changes the rows whose key is greater than `after` and not greater than `last`.
  public static func fill(
    _ name: String, why: StaticString, _ table: StaticString, by key: StaticString = "id", rows: Int = 1000,
    _ statement: @escaping @Sendable (_ after: String, _ last: String) -> SQL
  ) -> Migration {
    Migration(name, why, .fill(MigrationFill(table: table, key: key, rows: rows, statement: statement)))
  }

  /// SHA-256 of the statements, for both databases, to detect an edited migration.
  package var hash: String {
    let texts =
      switch work {
      case .statements(let statements): statements.map(\.sql.text)
      case .index(let index): [index.creation.text]
      case .fill(let fill): [fill.statement("", "").text]
      }
    var hasher = SHA256()
    for text in texts { hasher.update(data: Array(text.utf8) + [0]) }
    return hasher.finalize().hexadecimal
  }

  enum Progress: Sendable {
    case unfinished, applied
    /// Applied by another process.
    case appliedBefore
  }

  /// Carries out the next transaction's part. On PostgreSQL, indices are built outside of transactions before.
  func step(in db: any Connection, at now: Timestamp) throws -> Progress {
    if try isApplied(in: db) { return .appliedBefore }
    switch work {
    case .statements(let statements):
      for statement in statements where statement.dialect ?? db.dialect == db.dialect { try db.execute(statement.sql) }
    case .index(let index): if db.dialect == .sqlite { try db.execute(index.creation) }
    case .fill(let fill): if try !fill.step(named: name, in: db) { return .unfinished }
    }
    try db.execute("INSERT INTO schema_migrations VALUES (\(name), \(hash), \(now))")
    return .applied
  }

  /// - Throws: ``DatabaseError`` `invalidMigration` when the migration was edited after it was applied.
  private func isApplied(in db: any Connection) throws -> Bool {
    let hash = try db.value("SELECT hash FROM schema_migrations WHERE name = \(name)", as: String.self)
    guard let hash else { return false }
    try requireUnedited(hash)
    return true
  }

  private func requireUnedited(_ applied: String) throws {
    guard applied == hash else {
      throw DatabaseError(
        .invalidMigration,
        "migration \(name) was edited after it was applied; revert the edit and add a new migration"
      )
    }
  }
}

extension Migration {
  /// The tables in which a database stores what was applied.
  static let history: [SQL] = [
    """
    CREATE TABLE IF NOT EXISTS schema_migrations
      (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)
    """,
    "CREATE TABLE IF NOT EXISTS schema_fills (name TEXT PRIMARY KEY, reached TEXT NOT NULL)",
  ]

  /// Those migrations that are not applied. What a newer version has applied besides is not looked at:
  /// processes of this version run alongside it.
  ///
  /// - Throws: ``DatabaseError`` `invalidMigration` when an applied one was edited.
  static func pending(among migrations: [Migration], in db: any Connection) throws -> [Migration] {
    let applied = Dictionary(
      uniqueKeysWithValues: try db.all("SELECT name, hash FROM schema_migrations") { row -> (String, String) in
        (try row["name"], try row["hash"])
      })
    return try migrations.filter { migration in
      guard let hash = applied[migration.name] else { return true }
      try migration.requireUnedited(hash)
      return false
    }
  }
}

/// See ``Migration/index(_:why:_:on:_:isUnique:)``.
struct MigrationIndex: Sendable {
  let name: StaticString
  let table: StaticString
  let columns: StaticString
  let isUnique: Bool

  var kind: StaticString { isUnique ? "UNIQUE INDEX" : "INDEX" }

  /// The statement inside a transaction.
  var creation: SQL { "CREATE \(raw: kind) \(raw: name) ON \(raw: table) \(raw: columns)" }
}

/// See ``Migration/fill(_:why:_:by:rows:_:)``.
struct MigrationFill: Sendable {
  let table: StaticString
  let key: StaticString
  let rows: Int
  let statement: @Sendable (_ after: String, _ last: String) -> SQL

  /// Changes the next rows and stores how far it has come.
  /// - Returns: Whether no rows are left.
  func step(named name: String, in db: any Connection) throws -> Bool {
    let reached = try db.value("SELECT reached FROM schema_fills WHERE name = \(name)", as: String.self) ?? ""
    let last = try db.value(
      """
      SELECT MAX(k) FROM (SELECT \(raw: key) AS k FROM \(raw: table) WHERE \(raw: key) > \(reached)
        ORDER BY \(raw: key) LIMIT \(rows)) AS next
      """, as: String?.self)
    guard case .some(.some(let last)) = last else {
      try db.execute("DELETE FROM schema_fills WHERE name = \(name)")
      return true
    }
    try db.execute(statement(reached, last))
    try db.execute(
      """
      INSERT INTO schema_fills (name, reached) VALUES (\(name), \(last))
      ON CONFLICT (name) DO UPDATE SET reached = excluded.reached
      """)
    return false
  }
}
