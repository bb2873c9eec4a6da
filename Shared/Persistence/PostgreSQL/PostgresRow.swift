import CPostgres
import Foundation

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
