public import Contracts

/// One row of a result, valid while it is being decoded. Columns are read by name, strictly: a value that the type asked
/// for does not have is an error that names table and column.
public struct Row {
  /// The two databases' rows; a concrete type, because every column of every answer goes through here.
  enum Source {
    case sqlite(SQLiteRow)
    case postgresql(PostgresRow)
  }

  let source: Source
  let columns: RowColumns

  /// The value of a column as the type that is asked for; NULL is an error unless the type is optional.
  /// - Throws: ``DatabaseError``.
  public subscript<Value: SQLDecodable>(_ name: StaticString) -> Value {
    get throws { try Value.decode(column(name)) }
  }

  /// A word of a closed set.
  public subscript<Value: RawRepresentable<String>>(_ name: StaticString) -> Value {
    get throws { try column(name).word() }
  }

  public subscript<Value: RawRepresentable<String>>(_ name: StaticString) -> Value? {
    get throws { try column(name).ifPresent { try $0.word() } }
  }

  /// Text that was valid when it was stored.
  public subscript<Value: ValidatedString>(_ name: StaticString) -> Value {
    get throws { Value(checked: try column(name).text) }
  }

  public subscript<Value: ValidatedString>(_ name: StaticString) -> Value? {
    get throws { try column(name).ifPresent { Value(checked: try $0.text) } }
  }

  /// A value stored as JSON text; NULL is read as JSON's null.
  public subscript<Value: Decodable>(json name: StaticString) -> Value {
    get throws { try column(name).json() }
  }

  /// Words of a closed set, stored with spaces between.
  public subscript<Value: RawRepresentable<String>>(words name: StaticString) -> [Value] {
    get throws {
      let column = try column(name)
      return try column.words.map { word in
        guard let value = Value(rawValue: word) else { throw column.corrupt(Value.self) }
        return value
      }
    }
  }

  /// Texts without spaces, stored with spaces between.
  public subscript<Value: ValidatedString>(words name: StaticString) -> [Value] {
    get throws { try column(name).words.map { Value(checked: $0) } }
  }

  /// Ids, stored with spaces between.
  public subscript<Subject>(words name: StaticString) -> [ID<Subject>] {
    get throws { try column(name).words.map { ID(trusted: $0) } }
  }

  /// Texts without spaces, stored with spaces between.
  public subscript(words name: StaticString) -> [String] {
    get throws { try column(name).words }
  }

  /// An amount in one column with its currency in another.
  public func money(_ amount: StaticString, _ currency: StaticString) throws -> Money {
    Money(try self[amount], try self[currency])
  }

  /// An amount and its currency, or neither.
  public func money(_ amount: StaticString, _ currency: StaticString) throws -> Money? {
    guard let amount: Int64 = try self[amount], let currency: Currency = try self[currency] else { return nil }
    return Money(amount, currency)
  }

  /// All columns as they are stored, for copies of tables.
  var values: [SQLValue] {
    get throws {
      switch source {
      case .sqlite(let row): try (0..<row.columnCount).map { try row.value($0) }
      case .postgresql(let row): try (0..<row.columnCount).map { try row.value($0) }
      }
    }
  }

  /// The only column of a result.
  func single<Value: SQLDecodable>() throws -> Value { try Value.decode(Column(row: self, index: 0)) }

  private func column(_ name: StaticString) throws -> Column {
    Column(row: self, index: try columns.index(of: name, in: source))
  }
}

/// Finds columns by name. Decoders mostly ask in the order of the SELECT, so the search begins after the last hit and
/// costs one comparison; from the second row on, one of addresses.
final class RowColumns {
  private let sql: SQL
  private var next = 0
  /// The names that were found, by their columns.
  private var found: [UnsafePointer<UInt8>?] = []

  init(of sql: SQL) { self.sql = sql }

  func index(of name: StaticString, in row: Row.Source) throws -> Int {
    if next < found.count, found[next] == name.utf8Start { return hit(next) }
    if found.isEmpty { found = Array(repeating: nil, count: row.columnCount) }
    for step in found.indices {
      let candidate = (next + step) % found.count
      if row.isColumn(candidate, named: name) {
        found[candidate] = name.utf8Start
        return hit(candidate)
      }
    }
    throw DatabaseError(.other, "the statement has no column \(name)")
  }

  private func hit(_ column: Int) -> Int {
    next = column + 1 < found.count ? column + 1 : 0
    return column
  }

  /// The first table of the statement, for messages.
  var table: String {
    let words = sql.text.split { $0 == " " || $0 == "\n" }
    let index = words.firstIndex { ["FROM", "INTO", "UPDATE"].contains($0) } ?? 0
    return words.dropFirst(index + 1).first.map { String($0) } ?? ""
  }
}

/// A column of a row.
public struct Column {
  let row: Row
  let index: Int

  public var isNull: Bool {
    switch row.source {
    case .sqlite(let row): row.isNull(index)
    case .postgresql(let row): row.isNull(index)
    }
  }

  public var integer: Int64 {
    get throws {
      try refuseNull()
      do {
        return switch row.source {
        case .sqlite(let row): try row.integer(index)
        case .postgresql(let row): try row.integer(index)
        }
      } catch { throw corrupt(Int64.self) }
    }
  }

  public var real: Double {
    get throws {
      try refuseNull()
      do {
        return switch row.source {
        case .sqlite(let row): try row.real(index)
        case .postgresql(let row): try row.real(index)
        }
      } catch { throw corrupt(Double.self) }
    }
  }

  public var text: String {
    get throws {
      try refuseNull()
      do {
        return switch row.source {
        case .sqlite(let row): try row.text(index)
        case .postgresql(let row): row.text(index)
        }
      } catch { throw corrupt(String.self) }
    }
  }

  public var blob: [UInt8] {
    get throws {
      try refuseNull()
      do {
        return switch row.source {
        case .sqlite(let row): try row.blob(index)
        case .postgresql(let row): row.blob(index)
        }
      } catch { throw corrupt([UInt8].self) }
    }
  }

  /// The error about a stored value that is not what the type allows. It does not contain the value.
  public func corrupt(_ type: any Any.Type) -> DatabaseError { DatabaseError(.corrupt, "\(location) holds no \(type)") }

  fileprivate var words: [String] { get throws { try text.split(separator: " ").map { String($0) } } }

  fileprivate func word<Value: RawRepresentable<String>>() throws -> Value {
    guard let value = Value(rawValue: try text) else { throw corrupt(Value.self) }
    return value
  }

  fileprivate func json<Value: Decodable>() throws -> Value {
    let text = isNull ? "null" : try text
    do { return try WireJSON.decode(Value.self, from: text.utf8) } catch { throw corrupt(Value.self) }
  }

  fileprivate func ifPresent<Value>(_ read: (Column) throws -> Value) throws -> Value? {
    isNull ? nil : try read(self)
  }

  private var location: String { "\(row.columns.table).\(row.source.columnName(index))" }

  private func refuseNull() throws {
    if isNull { throw DatabaseError(.unexpectedNull, "\(location) is NULL") }
  }
}

extension Row.Source {
  fileprivate var columnCount: Int {
    switch self {
    case .sqlite(let row): row.columnCount
    case .postgresql(let row): row.columnCount
    }
  }

  fileprivate func isColumn(_ index: Int, named name: StaticString) -> Bool {
    switch self {
    case .sqlite(let row): row.isColumn(index, named: name)
    case .postgresql(let row): row.isColumn(index, named: name)
    }
  }

  fileprivate func columnName(_ index: Int) -> String {
    switch self {
    case .sqlite(let row): row.columnName(index)
    case .postgresql(let row): row.columnName(index)
    }
  }
}

/// A type that can be read from a column.
public protocol SQLDecodable {
  static func decode(_ column: Column) throws -> Self
}

extension Int64: SQLDecodable {
  public static func decode(_ column: Column) throws -> Int64 { try column.integer }
}
extension Int: SQLDecodable {
  public static func decode(_ column: Column) throws -> Int { Int(try column.integer) }
}
extension Bool: SQLDecodable {
  public static func decode(_ column: Column) throws -> Bool { try column.integer != 0 }
}
extension Double: SQLDecodable {
  public static func decode(_ column: Column) throws -> Double { try column.real }
}
extension String: SQLDecodable {
  public static func decode(_ column: Column) throws -> String { try column.text }
}
extension [UInt8]: SQLDecodable {
  public static func decode(_ column: Column) throws -> [UInt8] { try column.blob }
}
extension Timestamp: SQLDecodable {
  public static func decode(_ column: Column) throws -> Timestamp { Timestamp(microseconds: try column.integer) }
}
extension ID: SQLDecodable {
  public static func decode(_ column: Column) throws -> ID { ID(trusted: try column.text) }
}
extension Currency: SQLDecodable {
  public static func decode(_ column: Column) throws -> Currency { Currency(trusted: try column.text) }
}
extension CalendarDate: SQLDecodable {
  public static func decode(_ column: Column) throws -> CalendarDate {
    guard let date = CalendarDate(try column.text) else { throw column.corrupt(CalendarDate.self) }
    return date
  }
}
extension Optional: SQLDecodable where Wrapped: SQLDecodable {
  public static func decode(_ column: Column) throws -> Wrapped? { column.isNull ? nil : try Wrapped.decode(column) }
}
