/// The bytes that ``JSONByteEncoder`` writes. Memory of its own, because an `Array` in a class pays for an exclusivity
/// check and a uniqueness check with every byte that is appended: a quarter of the whole encoding.
final class JSONBuffer {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: memory, count: count)) }

  @inline(__always)
  private func reserve(_ additional: Int) {
    if count + additional > capacity { grow(additional) }
  }

  @inline(never)
  private func grow(_ additional: Int) {
    capacity = max(capacity * 2, count + additional)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)[...])
  }

  @inline(__always)
  func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let part = UnsafeBufferPointer(rebasing: bytes)
    guard let start = part.baseAddress else { return }
    reserve(part.count)
    (memory + count).update(from: start, count: part.count)
    count += part.count
  }

  /// A number in decimal.
  func append(magnitude: UInt64) {
    reserve(20)
    var length = 1
    var limit: UInt64 = 10
    while length < 20, magnitude >= limit {
      length += 1
      if length < 20 { limit *= 10 }
    }
    var rest = magnitude
    for position in stride(from: count + length - 1, through: count, by: -1) {
      memory[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// A string in quotes. RFC 8259 §7: quotes, backslashes and control characters are escaped, everything else stands as
  /// UTF-8.
  func append(quoted value: String) {
    append(UInt8(ascii: "\""))
    var copy = value
    copy.withUTF8 { text in
      var start = 0
      var position = 0
      while true {
        position = Self.firstToEscape(in: text, from: position)
        append(text[start..<position])
        guard position < text.count else { return }
        append(escaped: text[position])
        position += 1
        start = position
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Looks at eight bytes at once: the highest bit of a byte is set where the byte is less than 0x20, or equal to the
  /// quote or the backslash ("Bit Twiddling Hacks", S. E. Anderson, "haszero" and "hasless").
  @inline(__always)
  private static func firstToEscape(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var position = start
    while position + 8 <= text.count {
      let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let control = (word &- ones &* 0x20) & ~word
      let found = (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highs
      if found != 0 { return position + found.littleEndian.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < text.count {
      let byte = text[position]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return position }
      position += 1
    }
    return text.count
  }

  private func append(escaped byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    default:
      append("u00")
      for nibble in [byte >> 4, byte & 15] {
        append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }
}
