/// The destination of a copy of a database.
public protocol RowOutput: SendableMetatype {
  mutating func write(_ bytes: [UInt8]) throws
  /// Makes what was written durable.
  mutating func finish() throws
}

/// The source of a copy of a database.
public protocol RowInput: SendableMetatype {
  /// Exactly this number of bytes.
  /// - Throws: When there are fewer.
  mutating func read(_ count: Int) throws -> [UInt8]
}

/// A copy of a database is a sequence of records: `T` table, `R` row, `E` end. Numbers are big-endian.
enum RowCoding {
  static let table = UInt8(ascii: "T"), row = UInt8(ascii: "R"), end = UInt8(ascii: "E")

  static func encode(table name: String, columns: [String]) -> [UInt8] {
    [table] + text(name) + number(UInt32(columns.count)) + columns.flatMap { text($0) }
  }

  /// The values of a row, without the letter in front of it.
  static func encode(_ values: [SQLValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values {
      switch value {
      case .null: bytes.append(0)
      case .integer(let integer): bytes += [1] + number(integer)
      case .real(let real): bytes += [2] + number(real.bitPattern)
      case .text(let string): bytes += [3] + text(string)
      case .blob(let blob): bytes += [4] + number(UInt32(blob.count)) + blob
      }
    }
    return bytes
  }

  static func decodeTable(_ input: inout some RowInput) throws -> (name: String, columns: [String]) {
    let name = try decodeText(&input)
    let count = Int(try decode(UInt32.self, &input))
    return (name, try (0..<count).map { _ in try decodeText(&input) })
  }

  static func decodeRow(of columns: Int, _ input: inout some RowInput) throws -> [SQLValue] {
    try (0..<columns).map { _ in
      switch try input.read(1).first {
      case 0: .null
      case 1: .integer(try decode(Int64.self, &input))
      case 2: .real(Double(bitPattern: try decode(UInt64.self, &input)))
      case 3: .text(try decodeText(&input))
      case 4: .blob(try input.read(Int(try decode(UInt32.self, &input))))
      default: throw DatabaseError(.corrupt, "the copy has a value of an unknown type")
      }
    }
  }

  private static func text(_ text: String) -> [UInt8] { number(UInt32(text.utf8.count)) + Array(text.utf8) }

  private static func number(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func decodeText(_ input: inout some RowInput) throws -> String {
    String(decoding: try input.read(Int(try decode(UInt32.self, &input))), as: UTF8.self)
  }

  private static func decode<Number: FixedWidthInteger>(_: Number.Type, _ input: inout some RowInput) throws -> Number {
    try input.read(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
