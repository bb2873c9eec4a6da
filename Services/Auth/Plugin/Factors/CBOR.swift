/// A value of CBOR (RFC 8949), as far as authenticators write it.
enum CBORValue: Equatable, Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map([CBORKey: CBORValue])
  case bool(Bool)
  case null

  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  var map: [CBORKey: CBORValue]? { if case .map(let map) = self { map } else { nil } }
}

enum CBORKey: Hashable, Sendable {
  case integer(Int64)
  case text(String)
}

/// Reads the canonical form that CTAP2 prescribes: lengths are definite, numbers have their shortest form, keys of maps are
/// integers or texts and occur once. Tags, floating-point numbers and anything nested deeper than four levels are refused.
struct CBORReader {
  private let bytes: [UInt8]
  /// The offset at which the next value begins.
  private(set) var position: Int

  static let maxDepth = 4
  private static let maxItems = 256
  private static let maxBytes = 65_536

  struct Malformed: Error {}

  init(_ bytes: [UInt8], from position: Int = 0) throws(Malformed) {
    guard bytes.count <= Self.maxBytes, (0...bytes.count).contains(position) else { throw Malformed() }
    (self.bytes, self.position) = (bytes, position)
  }

  /// The only value of the bytes.
  static func value(of bytes: [UInt8]) throws(Malformed) -> CBORValue {
    var reader = try CBORReader(bytes)
    let value = try reader.next()
    guard reader.isAtEnd else { throw Malformed() }
    return value
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func next() throws(Malformed) -> CBORValue { try value(depth: 1) }

  private mutating func value(depth: Int) throws(Malformed) -> CBORValue {
    guard position < bytes.count else { throw Malformed() }
    let head = bytes[position]
    position += 1
    let (kind, info) = (head >> 5, head & 31)
    if kind == 7 {
      switch info {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: throw Malformed()
      }
    }
    let argument = try argument(info)
    switch kind {
    case 0: return .integer(argument)
    case 1: return .integer(-1 - argument)
    case 2: return .bytes(Array(try take(argument)))
    case 3:
      guard let text = String(validating: try take(argument), as: UTF8.self) else { throw Malformed() }
      return .text(text)
    case 4:
      try require(argument, depth)
      var items: [CBORValue] = []
      for _ in 0..<argument { items.append(try value(depth: depth + 1)) }
      return .array(items)
    case 5:
      try require(argument, depth)
      var items: [CBORKey: CBORValue] = [:]
      for _ in 0..<argument {
        let key: CBORKey
        switch try value(depth: depth + 1) {
        case .integer(let integer): key = .integer(integer)
        case .text(let text): key = .text(text)
        default: throw Malformed()
        }
        let item = try value(depth: depth + 1)
        guard items.updateValue(item, forKey: key) == nil else { throw Malformed() }
      }
      return .map(items)
    default: throw Malformed()
    }
  }

  /// A number in its shortest form; at most that of `Int64`.
  private mutating func argument(_ info: UInt8) throws(Malformed) -> Int64 {
    if info < 24 { return Int64(info) }
    guard info <= 27 else { throw Malformed() }
    let size = 1 << Int(info - 24)
    let number = try take(Int64(size)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let isShortest = size == 1 ? number >= 24 : number >> UInt64(size * 4) > 0
    guard isShortest, let value = Int64(exactly: number) else { throw Malformed() }
    return value
  }

  private mutating func take(_ count: Int64) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= Int64(bytes.count - position) else { throw Malformed() }
    let start = position
    position += Int(count)
    return bytes[start..<position]
  }

  private func require(_ count: Int64, _ depth: Int) throws(Malformed) {
    guard count <= Int64(Self.maxItems), depth <= Self.maxDepth else { throw Malformed() }
  }
}
