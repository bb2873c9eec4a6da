/// Copies of whole databases, as backups and to other databases.
extension Database {
  /// Writes the rows of one consistent snapshot, while others go on writing.
  ///
  /// - Parameters:
  ///   - tables: Those whose rows are written; `nil` for all.
  ///   - makeOutput: Called when the snapshot is read, on the database's thread.
  /// - Returns: What all tables contain.
  /// - Throws: ``DatabaseError``, or what the output throws.
  public func copyRows(
    of tables: Set<String>? = nil, to makeOutput: @escaping @Sendable () throws -> some RowOutput
  ) async throws -> DatabaseSummary {
    try await read { connection in
      var output = try makeOutput()
      let summary = try Self.summarize(connection) { table, bytes in
        if tables?.contains(table) ?? true { try output.write(bytes) }
      }
      try output.write([RowCoding.end])
      try output.finish()
      return summary
    }
  }

  /// Counts and hashes the rows of one consistent snapshot.
  public func summarized() async throws -> DatabaseSummary {
    try await read { connection in try Self.summarize(connection) { _, _ in } }
  }

  /// - Parameter record: Called with the name of a table and a record of it.
  private static func summarize(
    _ connection: any Connection, record: (_ table: String, _ bytes: [UInt8]) throws -> Void
  ) throws -> DatabaseSummary {
    let migrations = try connection.all("SELECT name, hash FROM schema_migrations") { row -> (String, String) in
      (try row["name"], try row["hash"])
    }
    let catalog = try TableCatalog(of: connection)
    let tables = try catalog.tables.map { name in
      let columns = catalog.columns[name] ?? []
      var hasher = TableHasher(name: name, columns: columns)
      try record(name, RowCoding.encode(table: name, columns: columns))
      try connection.each(name, columns) { values in
        let bytes = RowCoding.encode(values)
        hasher.add(bytes)
        try record(name, [RowCoding.row] + bytes)
      }
      return hasher.summary
    }
    return DatabaseSummary(
      dialect: connection.dialect.rawValue, migrations: Dictionary(migrations) { $1 }, tables: tables)
  }

  /// Whether no migration was ever applied.
  public func isNew() async throws -> Bool {
    try await read { connection in
      let found = try connection.count(
        connection.dialect == .sqlite
          ? "SELECT COUNT(*) AS n FROM sqlite_schema WHERE type = 'table'"
          : """
          SELECT COUNT(*) AS n FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
          """)
      return found == 0
    }
  }

  /// Replaces the rows of all tables that a copy has, in one transaction.
  ///
  /// The tables must exist; no one else may use the database. Foreign keys are checked at the end.
  public func replaceRows(from makeInput: @escaping @Sendable () throws -> some RowInput) async throws {
    try await write { tx in
      var input = try makeInput()
      let catalog = try TableCatalog(of: tx)
      try tx.defer(catalog.foreignKeys)
      for trigger in catalog.triggers { try tx.execute(trigger.suspend) }
      var loader: TableLoader?
      while true {
        switch try input.read(1).first {
        case RowCoding.table:
          try loader?.flush(tx)
          let (name, columns) = try RowCoding.decodeTable(&input)
          let isKnown = catalog.columns[name] != nil
          if isKnown { try tx.execute(SQL(trusted: "DELETE FROM \(SQL.quoted(name))")) }
          loader = TableLoader(table: name, columns: columns, isKnown: isKnown)
        case RowCoding.row:
          guard let columns = loader?.columns.count else {
            throw DatabaseError(.corrupt, "the copy has a row of no table")
          }
          try loader?.add(RowCoding.decodeRow(of: columns, &input), tx)
        case RowCoding.end:
          try loader?.flush(tx)
          try tx.check(catalog.foreignKeys)
          for trigger in catalog.triggers { try tx.execute(trigger.resume) }
          return
        default:
          throw DatabaseError(.corrupt, "the copy has an unknown record")
        }
      }
    }
  }
}

/// Inserts the rows of a table, on PostgreSQL several at a time.
private struct TableLoader {
  private static let batch = 64

  let table: String
  let columns: [String]
  let isKnown: Bool
  private var rows: [[SQLValue]] = []

  init(table: String, columns: [String], isKnown: Bool) {
    (self.table, self.columns, self.isKnown) = (table, columns, isKnown)
  }

  mutating func add(_ row: [SQLValue], _ tx: Transaction) throws {
    guard isKnown else { throw DatabaseError(.other, "the database has no table \(table), of which the copy has rows") }
    rows.append(row)
    if tx.dialect == .sqlite || rows.count == Self.batch { try insert(rows, tx) }
  }

  /// Inserts what is left row by row, so that each table has only two statements.
  mutating func flush(_ tx: Transaction) throws {
    let rest = rows
    for row in rest { try insert([row], tx) }
  }

  private mutating func insert(_ rows: [[SQLValue]], _ tx: Transaction) throws {
    var number = 0
    let values = rows.map { row in
      let parameters = row.map { _ in
        number += 1
        return SQL.parameter(number)
      }
      return "(\(parameters.joined(separator: ", ")))"
    }
    let text =
      "INSERT INTO \(SQL.quoted(table)) (\(SQL.quoted(columns))) VALUES \(values.joined(separator: ", "))"
    try tx.execute(SQL(trusted: text, rows.flatMap { $0 }))
    self.rows = []
  }
}

extension Connection {
  /// Reads a table without holding all of its rows in memory.
  fileprivate func each(_ table: String, _ columns: [String], _ body: ([SQLValue]) throws -> Void) throws {
    let query = "SELECT \(SQL.quoted(columns)) FROM \(SQL.quoted(table))"
    guard dialect == .postgresql else {
      _ = try all(SQL(trusted: query)) { row in try body(row.values) }
      return
    }
    // A cursor of its own for each table, because the statement that reads it is prepared with its columns.
    let cursor = SQL.quoted("copied \(table)")
    try execute(SQL(trusted: "DECLARE \(cursor) NO SCROLL CURSOR FOR \(query)"))
    while try !all(SQL(trusted: "FETCH 1000 FROM \(cursor)"), { row in try body(row.values) }).isEmpty {}
    try execute(SQL(trusted: "CLOSE \(cursor)"))
  }

  /// Lets rows come before those that they name.
  fileprivate func `defer`(_ keys: [(table: String, name: String)]) throws {
    if dialect == .sqlite { try execute("PRAGMA defer_foreign_keys = ON") }
    for key in keys { try alter(key, "DEFERRABLE INITIALLY DEFERRED") }
  }

  /// Checks the deferred foreign keys now; SQLite does at the commit.
  fileprivate func check(_ keys: [(table: String, name: String)]) throws {
    guard dialect == .postgresql else { return }
    try execute("SET CONSTRAINTS ALL IMMEDIATE")
    for key in keys { try alter(key, "NOT DEFERRABLE") }
  }

  private func alter(_ key: (table: String, name: String), _ deferral: String) throws {
    let text = "ALTER TABLE \(SQL.quoted(key.table)) ALTER CONSTRAINT \(SQL.quoted(key.name)) \(deferral)"
    try execute(SQL(trusted: text))
  }
}
