import Foundation

/// Random numbers that a failing test can repeat (SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable, CustomStringConvertible {
  public let seed: UInt64
  private var state: UInt64

  /// Takes the seed that a failure printed from the environment variable `QUINTET_SEED`, or else a new one.
  public init() {
    seed = ProcessInfo.processInfo.environment["QUINTET_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    state = seed
  }

  /// A generator that repeats the numbers of another one.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A number from 0 to below `count`, which is positive.
  public mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  public var description: String { "QUINTET_SEED=\(seed)" }
}
