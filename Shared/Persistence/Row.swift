public import Contracts

/// One row of an answer, valid while it is being decoded. Columns count from 0 in the order of the SELECT.
public protocol Row {
  func integer(_ column: Int) throws -> Int64?
  func real(_ column: Int) throws -> Double?
  func text(_ column: Int) throws -> String?
  func blob(_ column: Int) throws -> [UInt8]?
}

extension Row {
  /// The value of a column as the type that is asked for.
  public subscript<Value: SQLDecodable>(_ column: Int) -> Value {
    get throws { try Value.decode(self, column) }
  }
}

/// A type that can be read from a column.
public protocol SQLDecodable {
  static func decode(_ row: some Row, _ column: Int) throws -> Self
}

private func required<Value>(_ value: Value?, _ column: Int) throws -> Value {
  guard let value else { throw DatabaseError(.unexpectedNull, "column \(column) is NULL") }
  return value
}

extension Int64: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Int64 {
    try required(row.integer(column), column)
  }
}
extension Int: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Int {
    Int(try required(row.integer(column), column))
  }
}
extension Bool: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Bool {
    try required(row.integer(column), column) != 0
  }
}
extension Double: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Double { try required(row.real(column), column) }
}
extension String: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> String { try required(row.text(column), column) }
}
extension [UInt8]: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> [UInt8] { try required(row.blob(column), column) }
}
extension Timestamp: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Timestamp {
    Timestamp(microseconds: try required(row.integer(column), column))
  }
}
extension ID: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> ID {
    ID(trusted: try required(row.text(column), column))
  }
}
extension Currency: SQLDecodable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Currency {
    Currency(trusted: try required(row.text(column), column))
  }
}
extension Optional: SQLDecodable where Wrapped: SQLDecodable & SQLNullable {
  public static func decode(_ row: some Row, _ column: Int) throws -> Wrapped? {
    try Wrapped.isNull(row, column) ? nil : Wrapped.decode(row, column)
  }
}

/// How a type's column says NULL.
public protocol SQLNullable {
  static func isNull(_ row: some Row, _ column: Int) throws -> Bool
}

extension SQLNullable {
  public static func isNull(_ row: some Row, _ column: Int) throws -> Bool { try row.text(column) == nil }
}
extension Int64: SQLNullable {}
extension Int: SQLNullable {}
extension Bool: SQLNullable {}
extension Double: SQLNullable {}
extension String: SQLNullable {}
extension [UInt8]: SQLNullable {
  public static func isNull(_ row: some Row, _ column: Int) throws -> Bool { try row.blob(column) == nil }
}
extension Timestamp: SQLNullable {}
extension Currency: SQLNullable {}
extension ID: SQLNullable {}
