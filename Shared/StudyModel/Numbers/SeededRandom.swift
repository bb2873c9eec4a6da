/// Random numbers that are the same on the server and on every device for the same seed.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). The derived choices
/// (`below`, `shuffled`) are written out here, because those of the standard library may change between versions.
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to but not including `bound`, at least 1: the high half of the product with a random word.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
  }

  /// Fisher–Yates, from the last element down.
  mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    var index = result.count - 1
    while index > 0 {
      result.swapAt(index, below(index + 1))
      index -= 1
    }
    return result
  }
}

/// FNV-1a with 64 bits (offset basis 0xcbf29ce484222325, prime 0x100000001b3).
struct StableHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  /// The UTF-8 bytes, then a zero byte.
  mutating func combine(_ text: String) {
    for byte in text.utf8 { combine(byte: byte) }
    combine(byte: 0)
  }

  /// Eight bytes, the least significant first.
  mutating func combine(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { combine(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
