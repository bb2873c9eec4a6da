public import Contracts

/// A parameterized statement: interpolated values become bound parameters, never text.
///
/// `"SELECT name FROM users WHERE id = \(id)"` becomes the text `… WHERE id = $1` and the value of `id`. The same text
/// runs on SQLite and PostgreSQL. Static text, such as a column list, is inserted with `\(raw:)`.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
  public let text: String
  public let values: [SQLValue]

  public init(stringLiteral value: StaticString) {
    text = value.description
    values = []
  }

  public init(stringInterpolation: Interpolation) {
    text = stringInterpolation.text
    values = stringInterpolation.values
  }

  /// A statement with names that cannot be bound: a schema's validated one, or those of the database's catalog, each of
  /// them quoted by ``quoted(_:)``.
  init(trusted text: String, _ values: [SQLValue] = []) { (self.text, self.values) = (text, values) }

  static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  static func quoted(_ names: [String]) -> String { names.map { quoted($0) }.joined(separator: ", ") }

  /// A statement with rows between its two parts.
  init(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) {
    self = "\(raw: start) \(rows: rows) \(raw: end)"
  }

  /// `$1`, `$2` and so on; made once, because statements that write many rows have hundreds.
  static func parameter(_ number: Int) -> String {
    number < parameters.count ? parameters[number] : "$\(number)"
  }

  private static let parameters = (0...1024).map { "$\($0)" }

  public struct Interpolation: StringInterpolationProtocol {
    var text = ""
    var values: [SQLValue] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 3)
      values.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    public mutating func appendInterpolation(_ value: some SQLConvertible) {
      values.append(value.sqlValue)
      text += SQL.parameter(values.count)
    }

    public mutating func appendInterpolation(_ value: (some SQLConvertible)?) {
      appendInterpolation(value?.sqlValue ?? .null)
    }

    /// A word of a closed set.
    public mutating func appendInterpolation(_ value: some RawRepresentable<String>) {
      appendInterpolation(value.rawValue)
    }

    public mutating func appendInterpolation(_ value: (some RawRepresentable<String>)?) {
      appendInterpolation(value?.rawValue)
    }

    public mutating func appendInterpolation(_ value: some ValidatedString) { appendInterpolation(value.rawValue) }

    public mutating func appendInterpolation(_ value: (some ValidatedString)?) { appendInterpolation(value?.rawValue) }

    /// A value as JSON text; read by ``Row/subscript(json:)``.
    public mutating func appendInterpolation(json value: some Encodable) throws {
      appendInterpolation(String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }

    public mutating func appendInterpolation(json value: (some Encodable)?) throws {
      if let value { try appendInterpolation(json: value) } else { appendInterpolation(SQLValue.null) }
    }

    /// Texts without spaces as one text, with spaces between; read by ``Row/subscript(words:)``.
    public mutating func appendInterpolation(words: some Sequence<some ValidatedString>) {
      appendInterpolation(words.map(\.rawValue).joined(separator: " "))
    }

    public mutating func appendInterpolation(words: some Sequence<some RawRepresentable<String>>) {
      appendInterpolation(words.map(\.rawValue).joined(separator: " "))
    }

    public mutating func appendInterpolation<Subject>(words: some Sequence<ID<Subject>>) {
      appendInterpolation(words.map(\.rawValue).joined(separator: " "))
    }

    public mutating func appendInterpolation(words: some Sequence<String>) {
      appendInterpolation(words.joined(separator: " "))
    }

    public mutating func appendInterpolation(list: [some ValidatedString]) {
      appendInterpolation(list: list.map(\.rawValue))
    }

    public mutating func appendInterpolation(list: [some RawRepresentable<String>]) {
      appendInterpolation(list: list.map(\.rawValue))
    }

    /// A parenthesized list of values for `IN`; an empty list matches nothing. The last value is repeated up to a power
    /// of two, so that lists of different lengths share a few cached statements.
    public mutating func appendInterpolation(list: [some SQLConvertible]) {
      var count = 1
      while count < list.count { count *= 2 }
      text += "("
      for index in 0..<count {
        if index > 0 { text += ", " }
        appendInterpolation(list.isEmpty ? SQLValue.null : list[min(index, list.count - 1)].sqlValue)
      }
      text += ")"
    }

    /// Rows for `VALUES`, each in parentheses; at least one.
    public mutating func appendInterpolation(rows: [[SQLValue]]) {
      for (index, row) in rows.enumerated() {
        text += index == 0 ? "(" : ", ("
        for (index, value) in row.enumerated() {
          if index > 0 { text += ", " }
          appendInterpolation(value)
        }
        text += ")"
      }
    }

    /// Static text; a runtime string does not compile.
    public mutating func appendInterpolation(raw literal: StaticString) { text += literal.description }

    /// Another statement or fragment, with its values.
    public mutating func appendInterpolation(_ part: SQL) {
      guard !part.values.isEmpty else { return text += part.text }
      var next = values.count
      var rest = Substring(part.text)
      while let dollar = rest.firstIndex(of: "$") {
        text += rest[..<dollar]
        next += 1
        text += SQL.parameter(next)
        rest = rest[rest.index(after: dollar)...].drop { $0.isNumber }
      }
      text += rest
      values += part.values
    }
  }
}

extension SQL {
  /// All of the conditions that are given; always true for none.
  public static func and(_ conditions: SQL?...) -> SQL {
    let given = conditions.compactMap { $0 }
    guard var joined = given.first else { return "1 = 1" }
    for condition in given.dropFirst() { joined = "\(joined) AND \(condition)" }
    return joined
  }
}

/// A value that both databases can store.
public enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// A type that can be bound to a statement.
public protocol SQLConvertible {
  var sqlValue: SQLValue { get }
}

extension SQLValue: SQLConvertible { public var sqlValue: SQLValue { self } }
extension Int: SQLConvertible { public var sqlValue: SQLValue { .integer(Int64(self)) } }
extension Int64: SQLConvertible { public var sqlValue: SQLValue { .integer(self) } }
extension Double: SQLConvertible { public var sqlValue: SQLValue { .real(self) } }
extension Bool: SQLConvertible { public var sqlValue: SQLValue { .integer(self ? 1 : 0) } }
extension String: SQLConvertible { public var sqlValue: SQLValue { .text(self) } }
extension [UInt8]: SQLConvertible { public var sqlValue: SQLValue { .blob(self) } }
extension Timestamp: SQLConvertible { public var sqlValue: SQLValue { .integer(microseconds) } }
extension CalendarDate: SQLConvertible { public var sqlValue: SQLValue { .text(description) } }
extension Currency: SQLConvertible { public var sqlValue: SQLValue { .text(code) } }
extension ID: SQLConvertible { public var sqlValue: SQLValue { .text(rawValue) } }
extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  public var sqlValue: SQLValue { self?.sqlValue ?? .null }
}
