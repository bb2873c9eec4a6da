import Crypto

/// The summary of a table's content: the same for equal rows in SQLite and PostgreSQL, in whichever order they are
/// stored.
public struct TableSummary: Sendable, Codable, Equatable {
  public let name: String
  /// In the order of their names.
  public let columns: [String]
  public let rows: Int
  /// The sum of the SHA-256 of all rows, modulo 2⁶⁴ in each of four parts.
  public let hash: String
}

/// The migrations and tables of a database at one moment.
public struct DatabaseSummary: Sendable, Codable, Equatable {
  public let dialect: String
  /// The hashes of the applied migrations by their names.
  public let migrations: [String: String]
  public let tables: [TableSummary]

  public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}

/// Adds rows to a ``TableSummary``.
struct TableHasher {
  let name: String
  let columns: [String]
  private(set) var rows = 0
  private var sums: [UInt64] = [0, 0, 0, 0]

  init(name: String, columns: [String]) { (self.name, self.columns) = (name, columns) }

  mutating func add(_ row: [UInt8]) {
    rows += 1
    SHA256.hash(data: row).withUnsafeBytes { bytes in
      for part in 0..<4 {
        sums[part] &+= UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: part * 8, as: UInt64.self))
      }
    }
  }

  var summary: TableSummary {
    let bytes = sums.flatMap { sum in withUnsafeBytes(of: sum.bigEndian) { Array($0) } }
    return TableSummary(name: name, columns: columns, rows: rows, hash: bytes.hexadecimal)
  }
}

extension TableSummary {
  /// Counts and hashes the rows of a copy, without a database.
  /// - Throws: ``DatabaseError`` `corrupt`, or what the input throws.
  public static func tables(of input: inout some RowInput) throws -> [TableSummary] {
    var tables: [TableSummary] = []
    var hasher: TableHasher?
    while true {
      let letter = try input.read(1).first
      if letter != RowCoding.row, let done = hasher { tables.append(done.summary) }
      switch letter {
      case RowCoding.table:
        let (name, columns) = try RowCoding.decodeTable(&input)
        hasher = TableHasher(name: name, columns: columns)
      case RowCoding.row:
        guard let columns = hasher?.columns.count else {
          throw DatabaseError(.corrupt, "the copy has a row of no table")
        }
        hasher?.add(RowCoding.encode(try RowCoding.decodeRow(of: columns, &input)))
      case RowCoding.end: return tables
      default: throw DatabaseError(.corrupt, "the copy has an unknown record")
      }
    }
  }
}

extension [TableSummary] {
  /// The names of tables whose rows differ; a table that only one side has counts only if it has rows.
  public func differences(from others: [TableSummary]) -> [String] {
    let (mine, theirs) = (filter { $0.rows > 0 }, others.filter { $0.rows > 0 })
    return Set(mine.filter { !theirs.contains($0) }.map(\.name) + theirs.filter { !mine.contains($0) }.map(\.name))
      .sorted()
  }
}
