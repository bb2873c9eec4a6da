/// A set of numbers below 65,536: of the documents of one block of an index. An empty set takes no memory.
///
/// Stored as the sorted numbers in two bytes each or, from 4096 of them, as a bit for each number (the containers of
/// Chambi, Lemire et al., "Better bitmap performance with Roaring bitmaps", 2016).
struct NumberSet: Sendable {
  /// Numbers of a block.
  static let span = 65_536
  private static let wordCount = span / 64
  private static let bitmapBytes = span / 8

  private var words: [UInt64] = []

  init() {}

  init(_ numbers: some Sequence<UInt16>) { for number in numbers { insert(number) } }

  /// - Parameter stored: Bytes from ``stored``.
  init(stored: [UInt8]) { formUnion(stored: stored) }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  func contains(_ number: UInt16) -> Bool {
    !words.isEmpty && words[Int(number >> 6)] & (1 << UInt64(number & 63)) != 0
  }

  mutating func insert(_ number: UInt16) {
    if words.isEmpty { words = [UInt64](repeating: 0, count: Self.wordCount) }
    words[Int(number >> 6)] |= 1 << UInt64(number & 63)
  }

  mutating func formUnion(_ other: Self) { combine(other) { $0 | $1 } }

  func union(_ other: Self) -> Self {
    var result = self
    result.formUnion(other)
    return result
  }

  func intersection(_ other: Self) -> Self {
    if words.isEmpty || other.words.isEmpty { return Self() }
    var result = self
    result.combine(other) { $0 & $1 }
    return result
  }

  func subtracting(_ other: Self) -> Self {
    if words.isEmpty || other.words.isEmpty { return self }
    var result = self
    result.combine(other) { $0 & ~$1 }
    return result
  }

  private mutating func combine(_ other: Self, _ operation: (UInt64, UInt64) -> UInt64) {
    if other.words.isEmpty { return }
    if words.isEmpty { words = [UInt64](repeating: 0, count: Self.wordCount) }
    words.withUnsafeMutableBufferPointer { left in
      other.words.withUnsafeBufferPointer { right in
        for index in 0..<Self.wordCount { left[index] = operation(left[index], right[index]) }
      }
    }
  }

  /// The largest numbers, in descending order.
  func largest(_ limit: Int) -> [UInt16] {
    var found: [UInt16] = []
    for index in words.indices.reversed() {
      var word = words[index]
      while word != 0 {
        if found.count == limit { return found }
        let bit = 63 - word.leadingZeroBitCount
        found.append(UInt16(index * 64 + bit))
        word &= ~(1 << UInt64(bit))
      }
    }
    return found
  }

  // MARK: stored

  mutating func formUnion(stored: [UInt8]) {
    if stored.isEmpty { return }
    if words.isEmpty { words = [UInt64](repeating: 0, count: Self.wordCount) }
    words.withUnsafeMutableBufferPointer { words in
      stored.withUnsafeBytes { bytes in
        if bytes.count == Self.bitmapBytes {
          for index in 0..<Self.wordCount {
            words[index] |= UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
          }
        } else {
          for index in 0..<(bytes.count / 2) {
            let number = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
            words[Int(number >> 6)] |= 1 << UInt64(number & 63)
          }
        }
      }
    }
  }

  /// The set that is stored, changed.
  static func changing(_ stored: [UInt8], adding: [UInt16], removing: [UInt16]) -> [UInt8] {
    guard stored.count < bitmapBytes, stored.count / 2 + adding.count < bitmapBytes / 2 else {
      var set = Self(stored: stored)
      for number in removing where !set.words.isEmpty { set.words[Int(number >> 6)] &= ~(1 << UInt64(number & 63)) }
      for number in adding { set.insert(number) }
      return set.stored
    }
    var numbers = decode(stored)
    if !removing.isEmpty { numbers.removeAll { removing.contains($0) } }
    // New documents have larger numbers than all others.
    for number in adding.sorted() where numbers.last != number {
      if numbers.last ?? 0 <= number {
        numbers.append(number)
      } else if !numbers.contains(number) {
        numbers.insert(number, at: numbers.firstIndex { $0 > number } ?? numbers.count)
      }
    }
    return encode(numbers)
  }

  private var stored: [UInt8] {
    guard count >= Self.bitmapBytes / 2 else { return Self.encode(largest(Self.span).reversed()) }
    return words.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
  }

  private static func encode(_ numbers: [UInt16]) -> [UInt8] {
    numbers.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
  }

  private static func decode(_ stored: [UInt8]) -> [UInt16] {
    stored.withUnsafeBytes { bytes in
      (0..<(bytes.count / 2)).map {
        UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self))
      }
    }
  }
}
