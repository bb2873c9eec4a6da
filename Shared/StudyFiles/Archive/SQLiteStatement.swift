import CSQLite

/// A statement and its current row.
final class Statement {
  private let statement: OpaquePointer

  init(_ connection: OpaquePointer, _ sql: String) throws(StudyFileError) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw Self.error(code) }
    self.statement = statement
  }

  deinit { sqlite3_finalize(statement) }

  func reset() {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }

  func bind(_ index: Int32, _ value: String) {
    // SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the text.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text64(
      statement, index, value, sqlite3_uint64(value.utf8.count), transient, UInt8(SQLITE_UTF8))
  }

  /// Goes to the next row; returns `false` behind the last.
  func step() throws(StudyFileError) -> Bool {
    let code = sqlite3_step(statement)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      sqlite3_reset(statement)
      throw Self.error(code)
    }
  }

  /// Runs a statement that returns no rows.
  /// - Returns: `false` when a key exists already.
  func run() throws(StudyFileError) -> Bool {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    if code & 0xFF == SQLITE_CONSTRAINT { return false }
    guard code == SQLITE_DONE else { throw Self.error(code) }
    return true
  }

  /// The whole number in a column, from 0.
  func integer(_ column: Int32) -> Int64? {
    sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : nil
  }

  /// The bytes of a text or blob.
  func bytes(_ column: Int32) -> [UInt8]? {
    let type = sqlite3_column_type(statement, column)
    guard type == SQLITE_TEXT || type == SQLITE_BLOB else { return nil }
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func text(_ column: Int32) -> String? { bytes(column)?.validText }

  private static func error(_ code: Int32) -> StudyFileError {
    switch code & 0xFF {
    case SQLITE_INTERRUPT: .workLimit
    case SQLITE_TOOBIG, SQLITE_NOMEM: .tooLarge
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN: .inputOutput(0)
    default: .damagedCollection
    }
  }
}
