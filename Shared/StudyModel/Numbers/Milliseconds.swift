/// Arithmetic on times of untrusted clocks: saturates instead of trapping.
enum Milliseconds {
  static let perSecond: Int64 = 1000
  static let perDay: Int64 = 86_400_000

  static func adding(_ milliseconds: Int64, to time: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(milliseconds)
    return overflow ? (milliseconds < 0 ? .min : .max) : sum
  }

  /// From one time to another, 0 if the other is not later.
  static func between(_ start: Int64, _ end: Int64) -> Int64 {
    if end <= start { return 0 }
    let (difference, overflow) = end.subtractingReportingOverflow(start)
    return overflow ? .max : difference
  }

  static func days(_ count: Int) -> Int64 {
    let (product, overflow) = Int64(count).multipliedReportingOverflow(by: perDay)
    return overflow ? .max : product
  }
}

extension Int64 {
  /// Division that rounds down, also below zero.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
