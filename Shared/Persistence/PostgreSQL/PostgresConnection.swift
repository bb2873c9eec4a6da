import CPostgres
import Foundation
import Logging

/// A libpq connection, used by one thread. Statements are prepared once and cached by their text.
final class PostgresConnection: Connection {
  private let handle: OpaquePointer
  private var prepared: [String: String] = [:]
  private static let maxRows = 32

  var dialect: Dialect { .postgresql }

  /// Connects and restricts the search path to the schema.
  ///
  /// - Parameters:
  ///   - url: A libpq connection URI.
  ///   - schema: Created when it is missing; must be a validated identifier because it is inserted into statements.
  ///   - statementSeconds: How long a statement may take, unless the URL's `options` set `statement_timeout`.
  init(url: String, schema: String, statementSeconds: Int) throws {
    guard let handle = Self.connect(url) else { throw DatabaseError(.unavailable, "libpq is out of memory") }
    self.handle = handle
    // From here on, `deinit` finishes the connection also when this throws.
    guard PQstatus(handle) == CONNECTION_OK else {
      throw DatabaseError(.unavailable, String(cString: PQerrorMessage(handle)))
    }
    if !url.contains("statement_timeout") { try command("SET statement_timeout = \(statementSeconds * 1000)") }
    try command("SET client_min_messages = warning")
    try command("CREATE SCHEMA IF NOT EXISTS \(schema)")
    try command("SET search_path TO \(schema)")
    try command("SET default_transaction_isolation = 'serializable'")
  }

  deinit { PQfinish(handle) }

  /// Detects an unreachable server within seconds; parameters in the URL take precedence.
  private static func connect(_ url: String) -> OpaquePointer? {
    let options = [
      ("connect_timeout", "5"), ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "15000"), ("dbname", url),
    ]
    let keywords = options.map { strdup($0.0) }
    let values = options.map { strdup($0.1) }
    defer { for text in keywords + values { free(text) } }
    return PQconnectdbParams(
      keywords.map { UnsafePointer($0) } + [nil],
      values.map { UnsafePointer($0) } + [nil],
      1
    )
  }

  var isAlive: Bool { PQstatus(handle) == CONNECTION_OK }

  /// Runs a statement without parameters, such as `BEGIN`.
  func command(_ text: String) throws {
    let result = PQexec(handle, text)
    defer { PQclear(result) }
    try check(result)
  }

  /// Commits the transaction.
  /// - Throws: `other` when the server rolled it back instead, which it does without an error after a failed statement.
  func commit() throws {
    let result = PQexec(handle, "COMMIT")
    defer { PQclear(result) }
    try check(result)
    guard String(cString: PQcmdStatus(result)) == "COMMIT" else {
      throw DatabaseError(.other, "the transaction failed before the commit")
    }
  }

  func execute(_ sql: SQL) throws -> Int {
    let result = try run(sql)
    defer { PQclear(result) }
    return Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  /// Several rows at once, because each statement is a round trip. The numbers of rows are powers of two, so that few
  /// texts are prepared.
  func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    var rest = rows[...]
    while !rest.isEmpty {
      var count = Self.maxRows
      while count > rest.count { count /= 2 }
      _ = try execute(SQL(start, rows: Array(rest.prefix(count)), end))
      rest = rest.dropFirst(count)
    }
  }

  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    let result = try run(sql)
    defer { PQclear(result) }
    let columns = RowColumns(of: sql)
    return try (0..<PQntuples(result)).map {
      try decode(Row(source: .postgresql(PostgresRow(result: result, index: $0)), columns: columns))
    }
  }

  private func run(_ sql: SQL) throws(DatabaseError) -> OpaquePointer? {
    let name = try statement(for: sql.text)
    // Everything except blobs is sent as text; the server infers each parameter's type.
    var buffers: [[UInt8]?] = []
    var formats: [Int32] = []
    for value in sql.values {
      switch value {
      case .null: buffers.append(nil)
      case .integer(let integer): buffers.append(Array(String(integer).utf8) + [0])
      case .real(let real): buffers.append(Array(String(real).utf8) + [0])
      case .text(let text):
        guard !text.utf8.contains(0) else { throw DatabaseError(.other, "PostgreSQL text cannot contain NUL") }
        buffers.append(Array(text.utf8) + [0])
      case .blob(let bytes): buffers.append(bytes)
      }
      if case .blob = value { formats.append(1) } else { formats.append(0) }
    }
    let storage = buffers.map { bytes -> UnsafeMutableBufferPointer<CChar>? in
      guard let bytes else { return nil }
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(1, bytes.count))
      _ = copy.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
      return copy
    }
    defer { for buffer in storage { buffer?.deallocate() } }
    let pointers = storage.map { $0.flatMap { UnsafePointer($0.baseAddress) } }
    let lengths = buffers.map { Int32($0?.count ?? 0) }
    let result = PQexecPrepared(handle, name, Int32(sql.values.count), pointers, lengths, formats, 0)
    do { try check(result) } catch {
      PQclear(result)
      throw error
    }
    return result
  }

  private func statement(for text: String) throws(DatabaseError) -> String {
    if let name = prepared[text] { return name }
    let name = "s\(prepared.count)"
    let result = PQprepare(handle, name, text, 0, nil)
    defer { PQclear(result) }
    try check(result)
    prepared[text] = name
    return name
  }

  private func check(_ result: OpaquePointer?) throws(DatabaseError) {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
    default: throw error(of: result)
    }
  }

  private func error(of result: OpaquePointer?) -> DatabaseError {
    func field(_ code: Character) -> String {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
    }
    guard isAlive else { return DatabaseError(.unavailable, "the connection was lost") }
    let state = field("C")
    let kind: DatabaseError.Kind =
      switch state {
      case "23505": .uniqueViolation(columns: Self.columns(table: field("t"), detail: field("D")))
      case "23503": .foreignKeyViolation
      case "23514": .checkViolation
      case "23502": .notNullViolation
      case "40001", "40P01": .conflict
      case "53100": .storageFull
      case "53300", "57P01", "57P02", "57P03": .unavailable
      case "57014": .overloaded
      default: .other
      }
    return DatabaseError(kind, "PostgreSQL \(state): \(field("M"))")
  }

  /// Parses the columns from `Key (email, app)=(…) already exists.`
  private static func columns(table: String, detail: String) -> [String] {
    guard let open = detail.firstIndex(of: "("), let close = detail.firstIndex(of: ")") else { return [] }
    return detail[detail.index(after: open)..<close].split(separator: ",").map { "\(table).\($0.drop { $0 == " " })" }
  }
}

/// A row of a libpq result; columns read as text, integer, … must not be NULL.
struct PostgresRow {
  let result: OpaquePointer?
  let index: Int32

  var columnCount: Int { Int(PQnfields(result)) }

  func isColumn(_ column: Int, named name: StaticString) -> Bool {
    guard let found = PQfname(result, Int32(column)) else { return false }
    return strcmp(found, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }

  func columnName(_ column: Int) -> String { PQfname(result, Int32(column)).map { String(cString: $0) } ?? "" }

  func isNull(_ column: Int) -> Bool { PQgetisnull(result, index, Int32(column)) != 0 }

  func text(_ column: Int) -> String { String(cString: PQgetvalue(result, index, Int32(column))) }

  func integer(_ column: Int) throws -> Int64 {
    guard let integer = Int64(text(column)) else { throw DatabaseError(.other, "column \(column) is not an integer") }
    return integer
  }

  func real(_ column: Int) throws -> Double {
    guard let real = Double(text(column)) else { throw DatabaseError(.other, "column \(column) is not a number") }
    return real
  }

  /// The value as its column's type, by the OIDs in PostgreSQL's `pg_type.dat`.
  func value(_ column: Int) throws -> SQLValue {
    if isNull(column) { return .null }
    return switch PQftype(result, Int32(column)) {
    case 20, 21, 23: .integer(try integer(column))
    case 700, 701: .real(try real(column))
    case 17: .blob(blob(column))
    case 25, 1043: .text(text(column))
    case let type: throw DatabaseError(.other, "columns of the type \(type) cannot be copied")
    }
  }

  /// PostgreSQL formats `bytea` as `\x` followed by hex digits.
  func blob(_ column: Int) -> [UInt8] {
    let start = PQgetvalue(result, index, Int32(column))
    let digits = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, index, Int32(column)))).dropFirst(
      2)
    func value(_ digit: UInt8) -> UInt8 { digit < UInt8(ascii: "a") ? digit & 0x0F : digit - UInt8(ascii: "a") + 10 }
    return stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map {
      value(digits[$0]) << 4 | value(digits[$0 + 1])
    }
  }
}
