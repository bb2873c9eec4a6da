/// Valid examples of a format and the words of its grammar, from which a fuzzer makes inputs that are almost valid.
public struct FuzzCorpus: Sendable {
  private let examples: [[UInt8]]
  private let words: [[UInt8]]
  /// For each byte, whether it separates the parts of an example.
  private let separates: [Bool]
  private let maxBytes: Int

  private static let numbers = [
    "0", "-1", "00", "1e9", "255", "256", "65536", "2147483648", "4294967296", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "18446744073709551616", "99999999999999999999999999",
  ].map { Array($0.utf8) }
  private static let bytes: [UInt8] = [0, 1, 9, 10, 13, 32, 34, 39, 0x7F, 0x80, 0xC0, 0xC3, 0xE2, 0xED, 0xF4, 0xFF]

  /// - Parameters:
  ///   - examples: Each is valid, so that the code behind the first checks is reached.
  ///   - words: What stands between separators, or has a meaning of its own.
  ///   - separators: The bytes that end a part of an example.
  ///   - maxBytes: The length beyond which an input is cut.
  public init(_ examples: [[UInt8]], words: [String] = [], separators: String = "", maxBytes: Int = 4096) {
    self.examples = examples
    self.words = words.map { Array($0.utf8) } + Self.numbers
    var separates = [Bool](repeating: false, count: 256)
    for byte in separators.utf8 { separates[Int(byte)] = true }
    self.separates = separates
    self.maxBytes = maxBytes
  }

  public init(_ examples: [String], words: [String] = [], separators: String = "", maxBytes: Int = 4096) {
    self.init(examples.map { Array($0.utf8) }, words: words, separators: separators, maxBytes: maxBytes)
  }

  /// An example with up to six changes; every seventh is unchanged.
  public func input(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = example(&random)
    for _ in 0..<random.below(7) { change(&bytes, &random) }
    if bytes.count > maxBytes { bytes.removeSubrange(maxBytes...) }
    return bytes
  }

  /// One of the examples.
  public func example(_ random: inout SeededGenerator) -> [UInt8] { examples[random.below(examples.count)] }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let offset = random.below(bytes.count + 1)
    guard offset < bytes.count else {
      bytes += words[random.below(words.count)]
      return
    }
    switch random.below(16) {
    case 0: bytes.remove(at: offset)
    case 1: bytes.insert(Self.bytes[random.below(Self.bytes.count)], at: offset)
    case 2: bytes[offset] = Self.bytes[random.below(Self.bytes.count)]
    case 3: bytes[offset] ^= 1 << UInt8(random.below(8))
    case 4: bytes[offset] = UInt8(random.below(256))
    case 5: bytes.removeSubrange(offset...)
    case 6: bytes.insert(contentsOf: words[random.below(words.count)], at: offset)
    case 7, 8: bytes.replaceSubrange(part(of: bytes, at: offset), with: words[random.below(words.count)])
    case 9: bytes.removeSubrange(part(of: bytes, at: offset))
    case 10: bytes.insert(contentsOf: Array(bytes[part(of: bytes, at: offset)]), at: offset)
    case 11:
      // A part moves to where another begins.
      let range = part(of: bytes, at: offset)
      let moved = Array(bytes[range])
      bytes.removeSubrange(range)
      bytes.insert(contentsOf: moved, at: part(of: bytes, at: random.below(bytes.count + 1)).lowerBound)
    case 12:
      // The rest of another example.
      let other = example(&random)
      bytes.replaceSubrange(offset..., with: other[random.below(other.count + 1)...])
    case 13:
      let other = example(&random)
      guard !other.isEmpty else { return }
      bytes.insert(contentsOf: other[part(of: other, at: random.below(other.count))], at: offset)
    case 14: replaceNumber(in: &bytes, at: offset, &random)
    default:
      let count = random.below(8) == 0 ? random.below(maxBytes) : random.below(9)
      bytes.insert(contentsOf: repeatElement(bytes[offset], count: count), at: offset)
    }
  }

  /// The part around an offset, without the separators beside it.
  private func part(of bytes: [UInt8], at offset: Int) -> Range<Int> {
    var (start, end) = (offset, offset)
    while start > 0, !separates[Int(bytes[start - 1])] { start -= 1 }
    while end < bytes.count, !separates[Int(bytes[end])] { end += 1 }
    return start..<end
  }

  private func replaceNumber(in bytes: inout [UInt8], at offset: Int, _ random: inout SeededGenerator) {
    func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
    var start = offset
    while start < bytes.count, !isDigit(bytes[start]) { start += 1 }
    var end = start
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    bytes.replaceSubrange(start..<end, with: Self.numbers[random.below(Self.numbers.count)])
  }
}
