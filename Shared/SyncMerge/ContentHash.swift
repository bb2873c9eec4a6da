/// A 64-bit hash of content: FNV-1a, then the finalizer of MurmurHash3, so that sums of hashes are well distributed. It
/// detects divergence; it does not resist an attacker.
public struct ContentHash: Sendable {
  private static let prime: UInt64 = 0x100_0000_01b3
  /// The prime to the power of eight: eight bytes of zero only multiply.
  private static let eighthPower: UInt64 = 0x1efa_c709_0aef_4a21

  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  public mutating func combine(byte: UInt8) { state = (state ^ UInt64(byte)) &* Self.prime }

  /// The bytes of a text in UTF-8 and an end mark, a byte that UTF-8 does not have.
  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { for byte in $0 { combine(byte: byte) } }
    combine(byte: 0xff)
  }

  /// Eight bytes, the most significant first.
  public mutating func combine(_ number: UInt64) {
    guard number > 0 else { return state = state &* Self.eighthPower }
    for shift in 0..<8 { combine(byte: UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * shift))) }
  }

  public mutating func combine(_ time: HybridTime) {
    combine(time.milliseconds)
    combine(UInt64(time.counter))
    combine(time.device)
  }

  public var value: UInt64 {
    var hash = state
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ hash >> 33
  }
}

/// The content of a collection in one number, whatever the order of its records: how many there are, and the sum of
/// their hashes.
public struct Checksum: Sendable, Equatable {
  public var count: Int
  /// Modulo 2⁶⁴.
  public var sum: UInt64

  public init(count: Int = 0, sum: UInt64 = 0) { (self.count, self.sum) = (count, sum) }

  public mutating func insert(_ hash: UInt64) { (count, sum) = (count + 1, sum &+ hash) }
  public mutating func remove(_ hash: UInt64) { (count, sum) = (count - 1, sum &- hash) }

  public static func + (left: Self, right: Self) -> Self {
    Checksum(count: left.count + right.count, sum: left.sum &+ right.sum)
  }
}
