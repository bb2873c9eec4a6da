/// The tables of a database and their columns, from the database's own catalog.
struct TableCatalog {
  /// Columns in the order of their names, by table; without the list of migrations, which is kept by each database.
  let columns: [String: [String]]
  /// Foreign keys, for databases that check them at the end only on request.
  let foreignKeys: [(table: String, name: String)]

  /// Triggers, some of which keep rows from being replaced, such as those of the ledger.
  let triggers: [Trigger]

  struct Trigger {
    let suspend: SQL
    let resume: SQL
  }

  static let migrations = "schema_migrations"

  init(of connection: any Connection) throws {
    let names = try connection.values(
      connection.dialect == .sqlite
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        : """
        SELECT relname::text AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        """,
      as: String.self)
    var columns: [String: [String]] = [:]
    for name in names where name != Self.migrations {
      columns[name] = try connection.values(
        connection.dialect == .sqlite
          ? "SELECT name FROM pragma_table_info(\(name))"
          : """
          SELECT attname::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
          WHERE relnamespace = current_schema()::regnamespace AND relname = \(name) AND attnum > 0
            AND NOT attisdropped AND attgenerated = ''
          """,
        as: String.self
      ).sorted(by: Self.precedes)
    }
    self.columns = columns
    triggers = try Self.triggers(of: connection)
    guard connection.dialect == .postgresql else {
      foreignKeys = []
      return
    }
    foreignKeys = try connection.all(
      """
      SELECT relname::text AS name, conname::text AS key FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
      WHERE relnamespace = current_schema()::regnamespace AND contype = 'f' AND NOT condeferrable AND NOT relispartition
      """
    ) { row in (table: try row["name"], name: try row["key"]) }
  }

  private static func triggers(of connection: any Connection) throws -> [Trigger] {
    guard connection.dialect == .postgresql else {
      return try connection.all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'") { row in
        let (name, text): (String, String) = (try row["name"], try row["sql"])
        return Trigger(suspend: SQL(trusted: "DROP TRIGGER \(SQL.quoted(name))"), resume: SQL(trusted: text))
      }
    }
    return try connection.all(
      """
      SELECT relname::text AS name, tgname::text AS key FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
      """
    ) { row in
      let (table, name): (String, String) = (try row["name"], try row["key"])
      func change(_ verb: String) -> SQL {
        SQL(trusted: "ALTER TABLE \(SQL.quoted(table)) \(verb) TRIGGER \(SQL.quoted(name))")
      }
      return Trigger(suspend: change("DISABLE"), resume: change("ENABLE"))
    }
  }

  /// The tables in the order of their names, which is the same in every database.
  var tables: [String] { columns.keys.sorted(by: Self.precedes) }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}
