/// An empty table marks a database that was copied ahead of a move, and is not whole before the move's second step: it
/// must not be used, and only such a database is ever replaced.
extension Database {
  public func isCopiedAhead() async throws -> Bool {
    try await read { connection in
      try connection.exists(
        connection.dialect == .sqlite
          ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'copied_ahead'"
          : """
          SELECT 1 FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relname = 'copied_ahead' AND relkind = 'r'
          """)
    }
  }

  public func markCopiedAhead() async throws {
    try await write { tx in _ = try tx.execute("CREATE TABLE copied_ahead (id TEXT PRIMARY KEY)") }
  }

  public func unmarkCopiedAhead() async throws {
    try await write { tx in _ = try tx.execute("DROP TABLE IF EXISTS copied_ahead") }
  }
}
