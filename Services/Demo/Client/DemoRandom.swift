/// Random numbers that follow from a seed and a label alone: what one part of the world draws does not change what
/// another part draws.
struct DemoRandom {
  private var state: UInt64

  init(_ seed: UInt64, _ label: String) {
    // FNV-1a
    state = label.utf8.reduce(14_695_981_039_346_656_037 &+ seed &* 0x9E37_79B9_7F4A_7C15) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
  }

  /// SplitMix64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// From 0 to one less than the limit.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

  mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// From 0 to 1.
  mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  /// Different elements, in a random order; all of them when there are fewer.
  mutating func pick<Value>(_ count: Int, of values: [Value]) -> [Value] {
    var rest = values
    for index in rest.indices.dropLast() { rest.swapAt(index, index + below(rest.count - index)) }
    return Array(rest.prefix(count))
  }

  /// A UUID of version 4.
  mutating func uuid() -> String {
    let (high, low) = (next() & ~0xF000 | 0x4000, next() & ~(3 << 62) | 2 << 62)
    let digits = Array(Self.hexadecimal(high) + Self.hexadecimal(low))
    let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return groups.map { String($0) }.joined(separator: "-")
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
