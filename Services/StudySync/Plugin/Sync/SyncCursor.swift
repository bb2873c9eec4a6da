import Contracts
import ServiceKit

/// How far a device has read the spaces that it sees, by the number of its user's membership. Opaque to devices.
struct SyncCursor: Equatable, Sendable {
  /// When it was issued, in milliseconds since 1970.
  var issuedAt: UInt64
  /// The last number read of each space.
  var positions: [Int64: Int64] = [:]
  /// Collections that are read again, from the beginning; unset when none are.
  var refetch: Refetch?

  struct Refetch: Equatable, Sendable {
    var collections: Set<SyncCollection>
    /// The last number read of each space.
    var positions: [Int64: Int64] = [:]
  }

  private static let version: UInt64 = 1
  private static let maxBytes = 64 << 10

  init(issuedAt: Timestamp, positions: [Int64: Int64] = [:]) {
    (self.issuedAt, self.positions) = (issuedAt.hybridMilliseconds, positions)
  }

  /// Whether the changes since then are still known.
  func isValid(at now: Timestamp) -> Bool {
    let day = 86_400.0
    return issuedAt >= now.advanced(bySeconds: -SyncRetention.horizonSeconds).hybridMilliseconds
      && issuedAt <= now.advanced(bySeconds: day).hybridMilliseconds
  }

  /// - Returns: `nil` for text that ``text`` has not written.
  init?(_ text: String) {
    guard text.utf8.count <= Self.maxBytes, let bytes = Base64URL.decode(text) else { return nil }
    var reader = VarintReader(bytes: bytes)
    guard reader.next() == Self.version, let issuedAt = reader.next(), let positions = reader.positions() else {
      return nil
    }
    (self.issuedAt, self.positions) = (issuedAt, positions)
    if !reader.isAtEnd {
      guard let bits = reader.next(), let positions = reader.positions(), reader.isAtEnd else { return nil }
      let collections = SyncCollection.allCases.enumerated().filter { bits & 1 << UInt64($0.offset) != 0 }
      refetch = Refetch(collections: Set(collections.map(\.element)), positions: positions)
    }
  }

  var text: String {
    var bytes: [UInt8] = []
    func put(_ value: UInt64) {
      var rest = value
      while rest >= 128 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
    }
    func put(_ positions: [Int64: Int64]) {
      put(UInt64(positions.count))
      for (number, sequence) in positions.sorted(by: { $0.key < $1.key }) {
        put(UInt64(max(0, number)))
        put(UInt64(max(0, sequence)))
      }
    }
    put(Self.version)
    put(issuedAt)
    put(positions)
    if let refetch {
      let bits = SyncCollection.allCases.enumerated().filter { refetch.collections.contains($0.element) }
      put(bits.reduce(0) { $0 | 1 << UInt64($1.offset) })
      put(refetch.positions)
    }
    return Base64URL.encode(bytes)
  }
}

/// Reads numbers of 7 bits a byte, the least significant first.
private struct VarintReader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func next() -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while position < bytes.count, shift < 63 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }

  mutating func positions() -> [Int64: Int64]? {
    guard let count = next(), count <= UInt64(bytes.count) else { return nil }
    var positions: [Int64: Int64] = [:]
    for _ in 0..<count {
      guard let number = next(), let sequence = next() else { return nil }
      positions[Int64(number)] = Int64(sequence)
    }
    return positions
  }
}
