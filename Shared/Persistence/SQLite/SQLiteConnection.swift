import Foundation
import GRDB
import GRDBSQLite

/// Adapts a GRDB connection to ``Connection``. GRDB opens the connection and caches its statements; values are bound
/// and read by SQLite's C functions because GRDB's arguments and rows cost as much as the statements themselves. Both
/// are implementation details of this folder.
final class SQLiteConnection: Connection {
  private let db: GRDB.Database
  private let limit: StatementLimit?

  init(_ db: GRDB.Database, limit: StatementLimit? = nil) { (self.db, self.limit) = (db, limit) }

  var dialect: Dialect { .sqlite }

  @discardableResult
  func execute(_ sql: SQL) throws -> Int {
    try run(sql) { _ in }
    return db.changesCount
  }

  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    let columns = RowColumns(of: sql)
    try run(sql) { values.append(try decode(Row(source: .sqlite($0), columns: columns))) }
    return values
  }

  func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    guard let first = rows.first else { return }
    let statement = try prepared(SQL(start, rows: [first], end).text)
    defer { sqlite3_clear_bindings(statement) }
    for row in rows { try run(statement, row) { _ in } }
  }

  private func run(_ sql: SQL, _ each: (SQLiteRow) throws -> Void) throws {
    let statement = try prepared(sql.text)
    defer { sqlite3_clear_bindings(statement) }
    try run(statement, sql.values, each)
  }

  private func prepared(_ text: String) throws -> SQLiteStatement {
    do { return try db.cachedStatement(sql: text).sqliteStatement } catch let error as GRDB.DatabaseError {
      throw Self.error(error.extendedResultCode.rawValue, error.message)
    }
  }

  private func run(_ statement: SQLiteStatement, _ values: [SQLValue], _ each: (SQLiteRow) throws -> Void) throws {
    limit?.begin()
    // Its return code repeats an error that was already thrown.
    defer { sqlite3_reset(statement) }
    for (index, value) in values.enumerated() {
      try check(Self.bind(value, at: Int32(index + 1), of: statement))
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { return try check(code) }
      try each(SQLiteRow(statement: statement))
    }
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Self.error(code, db.lastErrorMessage) }
  }

  private static func bind(_ value: SQLValue, at index: Int32, of statement: SQLiteStatement) -> Int32 {
    // SQLITE_TRANSIENT: SQLite copies the bytes immediately.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .real(let real): return sqlite3_bind_double(statement, index, real)
    case .text(let text):
      // An explicit length, because text may contain NUL.
      return sqlite3_bind_text64(
        statement,
        index,
        text,
        sqlite3_uint64(text.utf8.count),
        transient,
        UInt8(SQLITE_UTF8)
      )
    case .blob(let bytes):
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob64(statement, index, $0.baseAddress, sqlite3_uint64($0.count), transient)
      }
    }
  }

  /// Runs a body in a savepoint; rolls back its changes when it throws.
  func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
    try execute("SAVEPOINT body")
    do {
      let value = try body()
      try execute("RELEASE body")
      return value
    } catch {
      // Some failures, such as a full disk, have already rolled everything back.
      if db.isInsideTransaction {
        try execute("ROLLBACK TO body")
        try execute("RELEASE body")
      }
      throw error
    }
  }

  var isInsideTransaction: Bool { db.isInsideTransaction }

  /// Reports the length of the write-ahead log after each commit, instead of SQLite's own checkpoints.
  ///
  /// - Parameter checkpoints: Lives longer than the connection.
  func reportLog(to checkpoints: SQLiteCheckpoints) {
    let report: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      checkpoints, _, _, pages in
      if let checkpoints {
        Unmanaged<SQLiteCheckpoints>.fromOpaque(checkpoints).takeUnretainedValue().note(pages: pages)
      }
      return SQLITE_OK
    }
    sqlite3_wal_hook(db.sqliteConnection, report, Unmanaged.passUnretained(checkpoints).toOpaque())
  }

  static func error(_ extendedCode: Int32, _ message: String?) -> DatabaseError {
    let message = message ?? ""
    let kind: DatabaseError.Kind =
      switch ResultCode(rawValue: extendedCode) {
      case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: .uniqueViolation(columns: columns(in: message))
      case .SQLITE_CONSTRAINT_FOREIGNKEY: .foreignKeyViolation
      case .SQLITE_CONSTRAINT_CHECK: .checkViolation
      case .SQLITE_CONSTRAINT_NOTNULL: .notNullViolation
      case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: .syncFailed
      case .SQLITE_BUSY, .SQLITE_LOCKED: .conflict
      case .SQLITE_FULL: .storageFull
      case .SQLITE_INTERRUPT: .overloaded
      case .SQLITE_CANTOPEN, .SQLITE_READONLY: .unavailable
      default: .other
      }
    return DatabaseError(kind, "SQLite \(extendedCode): \(message)")
  }

  /// Parses the columns from `UNIQUE constraint failed: users.email, users.app`.
  private static func columns(in message: String) -> [String] {
    guard let colon = message.firstIndex(of: ":") else { return [] }
    return message[message.index(after: colon)...].split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

/// The current row of a statement; columns read as text, integer, … must not be NULL.
struct SQLiteRow {
  let statement: SQLiteStatement

  var columnCount: Int { Int(sqlite3_column_count(statement)) }

  func isColumn(_ column: Int, named name: StaticString) -> Bool {
    guard let found = sqlite3_column_name(statement, Int32(column)) else { return false }
    return strcmp(found, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }

  func columnName(_ column: Int) -> String {
    sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? ""
  }

  func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  func integer(_ column: Int) throws(WrongType) -> Int64 {
    try require(SQLITE_INTEGER, column)
    return sqlite3_column_int64(statement, Int32(column))
  }

  func real(_ column: Int) throws(WrongType) -> Double {
    if sqlite3_column_type(statement, Int32(column)) != SQLITE_INTEGER { try require(SQLITE_FLOAT, column) }
    return sqlite3_column_double(statement, Int32(column))
  }

  func text(_ column: Int) throws(WrongType) -> String {
    try require(SQLITE_TEXT, column)
    let start = sqlite3_column_text(statement, Int32(column))
    let count = sqlite3_column_bytes(statement, Int32(column))
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  func blob(_ column: Int) throws(WrongType) -> [UInt8] {
    try require(SQLITE_BLOB, column)
    let start = sqlite3_column_blob(statement, Int32(column))
    let count = sqlite3_column_bytes(statement, Int32(column))
    return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The value as it is stored.
  func value(_ column: Int) throws(WrongType) -> SQLValue {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(try integer(column))
    case SQLITE_FLOAT: .real(try real(column))
    case SQLITE_BLOB: .blob(try blob(column))
    default: .text(try text(column))
    }
  }

  /// SQLite itself would convert, `abc` to 0.
  private func require(_ type: Int32, _ column: Int) throws(WrongType) {
    guard sqlite3_column_type(statement, Int32(column)) == type else { throw WrongType() }
  }

  struct WrongType: Error {}
}
