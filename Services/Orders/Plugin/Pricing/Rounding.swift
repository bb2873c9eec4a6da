/// Rounds amounts of money to the nearest minor unit, ties to even.
enum Rounding {
  /// - Parameter denominator: Above zero.
  static func halfEven(_ numerator: Int128, over denominator: Int128) -> Int64 {
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    let twice = remainder.magnitude * 2
    let isUp = twice > denominator.magnitude || twice == denominator.magnitude && quotient % 2 != 0
    guard isUp else { return Int64(clamping: quotient) }
    return Int64(clamping: numerator < 0 ? quotient - 1 : quotient + 1)
  }

  /// Splits an amount in proportion to weights into parts that add up to it exactly: the largest remainders get the
  /// remaining units, earlier ones first. If all weights are zero, the first part gets the whole amount.
  static func allocate(_ whole: Int64, over weights: [Int64]) -> [Int64] {
    let sum = weights.reduce(Int128(0)) { $0 + Int128($1) }
    guard sum > 0 else { return weights.indices.map { $0 == weights.startIndex ? whole : 0 } }
    var shares: [Int64] = []
    var remainders: [(index: Int, remainder: Int128)] = []
    for (index, weight) in weights.enumerated() {
      let (quotient, remainder) = (Int128(whole) * Int128(weight)).quotientAndRemainder(dividingBy: sum)
      shares.append(Int64(clamping: quotient))
      remainders.append((index, remainder))
    }
    var left = whole - shares.reduce(0, +)
    for (index, _) in remainders.sorted(by: { ($1.remainder, $0.index) < ($0.remainder, $1.index) }) where left > 0 {
      shares[index] += 1
      left -= 1
    }
    return shares
  }
}
