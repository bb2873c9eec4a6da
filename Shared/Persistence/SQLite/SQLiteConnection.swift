import Foundation
import GRDB

/// GRDB's connection in the terms of ``Connection``. GRDB stays behind this file and its neighbours.
final class SQLiteConnection: Connection {
  private let db: GRDB.Database

  init(_ db: GRDB.Database) { self.db = db }

  var dialect: Dialect { .sqlite }

  @discardableResult
  func execute(_ sql: SQL) throws -> Int {
    try mapping {
      let statement = try db.cachedStatement(sql: sql.text)
      try statement.execute(arguments: Self.arguments(sql.values))
      return db.changesCount
    }
  }

  func all<Value>(_ sql: SQL, _ decode: (any Row) throws -> Value) throws -> [Value] {
    try mapping {
      let statement = try db.cachedStatement(sql: sql.text)
      let cursor = try GRDB.Row.fetchCursor(statement, arguments: Self.arguments(sql.values))
      var values: [Value] = []
      while let row = try cursor.next() { values.append(try decode(SQLiteRow(row: row))) }
      return values
    }
  }

  /// Runs a body that leaves nothing behind when it throws.
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

  private static func arguments(_ values: [SQLValue]) -> StatementArguments {
    StatementArguments(
      values.map { value -> DatabaseValue in
        switch value {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .real(let real): real.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
      }
    )
  }

  private func mapping<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as GRDB.DatabaseError { throw Self.map(error) }
  }

  static func map(_ error: GRDB.DatabaseError) -> DatabaseError {
    let message = error.message ?? ""
    let kind: DatabaseError.Kind =
      switch error.extendedResultCode {
      case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: .uniqueViolation(columns: columns(in: message))
      case .SQLITE_CONSTRAINT_FOREIGNKEY: .foreignKeyViolation
      case .SQLITE_CONSTRAINT_CHECK: .checkViolation
      case .SQLITE_CONSTRAINT_NOTNULL: .notNullViolation
      case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: .syncFailed
      default:
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .conflict
        case .SQLITE_FULL: .storageFull
        case .SQLITE_CANTOPEN, .SQLITE_READONLY: .unavailable
        default: .other
        }
      }
    return DatabaseError(kind, "SQLite \(error.extendedResultCode.rawValue): \(message)")
  }

  /// `UNIQUE constraint failed: users.email, users.app` names the columns.
  private static func columns(in message: String) -> [String] {
    guard let colon = message.firstIndex(of: ":") else { return [] }
    return message[message.index(after: colon)...].split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

private struct SQLiteRow: Row {
  let row: GRDB.Row

  func integer(_ column: Int) -> Int64? { row[column] }
  func real(_ column: Int) -> Double? { row[column] }
  func text(_ column: Int) -> String? {
    // NULL tests ask for text whatever the column holds.
    switch (row[column] as DatabaseValue).storage {
    case .null: nil
    case .string(let text): text
    case .int64(let integer): String(integer)
    case .double(let real): String(real)
    case .blob: ""
    }
  }
  func blob(_ column: Int) -> [UInt8]? { (row[column] as Data?).map { Array($0) } }
}
