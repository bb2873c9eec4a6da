/// Unicode's Stream-Safe Text Format (UAX #15 §13): no more than 30 combining marks in a row.
///
/// Comparing or hashing a Swift string sorts every run of combining marks, in time that grows with the square of its
/// length. 64 KB of marks would hold a processor for seconds, so text from outside is bounded before anything looks at it.
enum StreamSafe {
  static let maxMarks = 30

  /// Whether bytes of valid UTF-8 keep the bound.
  static func isSafe(_ bytes: some Sequence<UInt8>) -> Bool {
    var marks = 0
    var decoder = Unicode.UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      // The first combining mark is U+0300.
      let combines = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
      marks = combines ? marks + 1 : 0
      if marks > maxMarks { return false }
    }
    return true
  }

  /// Whether bytes of valid UTF-8 could hold a combining mark at all; U+0300 is CC 80.
  static func mayCombine(_ bytes: some Sequence<UInt8>) -> Bool { bytes.contains { $0 >= 0xCC } }
}
