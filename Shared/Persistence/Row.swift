public import Contracts

/// A row of a query result, valid only while it is decoded. Column indexes start at 0, in the order of the SELECT.
public struct Row {
  /// The driver's row; an enum instead of an existential because every column read passes through it.
  enum Source {
    case sqlite(SQLiteRow)
    case postgresql(PostgresRow)
  }

  let source: Source

  /// The value of a column, decoded as the inferred type.
  /// - Throws: ``DatabaseError`` for NULL, unless the type is optional.
  public subscript<Value: SQLDecodable>(_ column: Int) -> Value {
    get throws { try Value.decode(self, column) }
  }

  func isNull(_ column: Int) -> Bool {
    switch source {
    case .sqlite(let row): row.isNull(column)
    case .postgresql(let row): row.isNull(column)
    }
  }

  func integer(_ column: Int) throws -> Int64 {
    try refuseNull(column)
    return switch source {
    case .sqlite(let row): row.integer(column)
    case .postgresql(let row): try row.integer(column)
    }
  }

  func real(_ column: Int) throws -> Double {
    try refuseNull(column)
    return switch source {
    case .sqlite(let row): row.real(column)
    case .postgresql(let row): try row.real(column)
    }
  }

  func text(_ column: Int) throws -> String {
    try refuseNull(column)
    return switch source {
    case .sqlite(let row): row.text(column)
    case .postgresql(let row): row.text(column)
    }
  }

  func blob(_ column: Int) throws -> [UInt8] {
    try refuseNull(column)
    return switch source {
    case .sqlite(let row): row.blob(column)
    case .postgresql(let row): row.blob(column)
    }
  }

  private func refuseNull(_ column: Int) throws {
    if isNull(column) { throw DatabaseError(.unexpectedNull, "column \(column) is NULL") }
  }
}

/// A type that can be decoded from a column.
public protocol SQLDecodable {
  static func decode(_ row: Row, _ column: Int) throws -> Self
}

extension Int64: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Int64 { try row.integer(column) }
}
extension Int: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Int { Int(try row.integer(column)) }
}
extension Bool: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Bool { try row.integer(column) != 0 }
}
extension Double: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Double { try row.real(column) }
}
extension String: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> String { try row.text(column) }
}
extension [UInt8]: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> [UInt8] { try row.blob(column) }
}
extension Timestamp: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Timestamp {
    Timestamp(microseconds: try row.integer(column))
  }
}
extension ID: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> ID { ID(trusted: try row.text(column)) }
}
extension Currency: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Currency { Currency(trusted: try row.text(column)) }
}
extension Optional: SQLDecodable where Wrapped: SQLDecodable {
  public static func decode(_ row: Row, _ column: Int) throws -> Wrapped? {
    row.isNull(column) ? nil : try Wrapped.decode(row, column)
  }
}
