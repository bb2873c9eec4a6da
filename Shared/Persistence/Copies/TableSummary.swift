import Crypto

/// What a table contains: the same for equal rows in SQLite and PostgreSQL, in whichever order they are stored.
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
