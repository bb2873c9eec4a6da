import CSQLite

/// A connection to a SQLite file, used by one task.
final class SQLiteFile {
  private let connection: OpaquePointer
  private let meter: WorkMeter
  private var statements: [String: Statement] = [:]

  private final class WorkMeter {
    static let interval: Int64 = 1000
    var remaining: Int64
    init(_ remaining: Int64) { self.remaining = remaining }
  }

  /// Opens a file of unknown origin: read-only, without locks and journals, in defensive mode, without trusting
  /// functions in its schema, and with bounds on sizes and work.
  init(untrusted path: String, limits: StudyFileLimits) throws(StudyFileError) {
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    connection = try Self.open("file:\(Self.escaped(path))?mode=ro&immutable=1", flags)
    meter = WorkMeter(limits.work)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
    ] as [(Int32, Int32)] {
      guard csqlite_configure(connection, option, value) == SQLITE_OK else { throw .damagedCollection }
    }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, Int32(clamping: 4 * limits.recordBytes)), (SQLITE_LIMIT_SQL_LENGTH, 100_000),
      (SQLITE_LIMIT_COLUMN, 100), (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_COMPOUND_SELECT, 3),
      (SQLITE_LIMIT_VDBE_OP, 25_000), (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_VARIABLE_NUMBER, 8), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
      (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] as [(Int32, Int32)] { sqlite3_limit(connection, limit, value) }
    // The meter lives as long as the connection, which deinit closes first.
    sqlite3_progress_handler(
      connection, Int32(WorkMeter.interval),
      { meter in
        guard let meter else { return 1 }
        let work = Unmanaged<WorkMeter>.fromOpaque(meter).takeUnretainedValue()
        work.remaining -= WorkMeter.interval
        return work.remaining < 0 ? 1 : 0
      }, Unmanaged.passUnretained(meter).toOpaque())
    for pragma in ["cell_size_check=ON", "mmap_size=0", "query_only=ON", "cache_size=-4096", "temp_store=FILE"] {
      try execute("PRAGMA \(pragma)")
    }
  }

  /// Creates a file.
  init(creating path: String) throws(StudyFileError) {
    meter = WorkMeter(.max)
    connection = try Self.open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX)
    for pragma in ["journal_mode=OFF", "synchronous=OFF", "cache_size=-4096"] { try execute("PRAGMA \(pragma)") }
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(connection)
  }

  private static func open(_ name: String, _ flags: Int32) throws(StudyFileError) -> OpaquePointer {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(name, &connection, flags, nil)
    guard code == SQLITE_OK, let connection else {
      sqlite3_close_v2(connection)
      throw .damagedCollection
    }
    return connection
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain = byte > 0x20 && byte < 0x7F && !"%?#".utf8.contains(byte)
      return isPlain
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  func execute(_ sql: String) throws(StudyFileError) {
    let statement = try Statement(connection, sql)
    while try statement.step() {}
  }

  /// A statement, ready to be bound; prepared once.
  func statement(_ sql: String) throws(StudyFileError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try Statement(connection, sql)
    statements[sql] = statement
    return statement
  }

  /// Allows only reading from here on.
  func denyWriting() {
    sqlite3_set_authorizer(
      connection,
      { _, action, _, _, _, _ in
        action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ? SQLITE_OK : SQLITE_DENY
      }, nil)
  }

  /// Whether the table is absent, is what it should be, or is something else with its name.
  /// - Throws: ``StudyFileError/unexpectedSchema`` for a view, a virtual table, a computed column or a missing column.
  func hasTable(_ name: String, columns: [String]) throws(StudyFileError) -> Bool {
    let found = try statement("SELECT type, rootpage, sql FROM sqlite_master WHERE name = ?1 COLLATE NOCASE")
    found.bind(1, name)
    guard try found.step() else { return false }
    guard found.text(0) == "table", let root = found.integer(1), root > 0 else { throw .unexpectedSchema }
    if try found.step() { throw .unexpectedSchema }
    found.reset()
    let info = try Statement(connection, "PRAGMA table_xinfo(\(name))")
    var present: Set<String> = []
    while try info.step() {
      guard info.integer(6) == 0 else { throw .unexpectedSchema }
      if let column = info.text(1) { present.insert(column.lowercased()) }
    }
    guard present.isSuperset(of: columns) else { throw .unexpectedSchema }
    return true
  }

  /// Whether an ordinary index begins with a column.
  func hasIndex(_ table: String, on column: String) throws(StudyFileError) -> Bool {
    let list = try Statement(connection, "PRAGMA index_list(\(table))")
    var names: [String] = []
    while try list.step() {
      if list.integer(4) == 0, let name = list.text(1) { names.append(name) }
    }
    for name in names.prefix(50) {
      let quoted = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      let info = try Statement(connection, "PRAGMA index_info(\"\(quoted)\")")
      if try info.step(), info.text(2)?.lowercased() == column { return true }
    }
    return false
  }
}
