/// Bytes of JSON text: compared and hashed as they are, and searched eight at a time.
struct JSONBytes: Hashable {
  let bytes: UnsafeBufferPointer<UInt8>

  static func == (left: Self, right: Self) -> Bool { left.bytes.elementsEqual(right.bytes) }

  /// Seeded per process, so that no sender can choose names that collide.
  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }

  /// The next quote, backslash, control character or byte beyond ASCII; the end of the text when there is none.
  ///
  /// Looks at eight bytes at once: the highest bit of a byte is set where the byte is less than 0x20, or equal to the
  /// quote or the backslash, or beyond ASCII ("Bit Twiddling Hacks", S. E. Anderson, "haszero" and "hasless").
  @inline(__always)
  static func firstSpecial(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: text, from: start, orBeyondASCII: true)
  }

  /// The next quote, backslash or control character; the end of the text when there is none.
  @inline(__always)
  static func firstToEscape(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: text, from: start, orBeyondASCII: false)
  }

  @inline(__always)
  private static func first(in text: UnsafeBufferPointer<UInt8>, from start: Int, orBeyondASCII: Bool) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var position = start
    while position + 8 <= text.count {
      let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let control = (word &- ones &* 0x20) & ~word
      var found = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
      if orBeyondASCII { found |= word }
      found &= highs
      if found != 0 { return position + found.littleEndian.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < text.count {
      let byte = text[position]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C || orBeyondASCII && byte >= 0x80 { return position }
      position += 1
    }
    return text.count
  }

  /// The length of the UTF-8 sequence that begins here (The Unicode Standard, table 3-7); `nil` when it is not valid.
  static func sequenceLength(in text: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
    let length: Int
    let second: ClosedRange<UInt8>
    switch text[position] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard position + length <= text.count, second.contains(text[position + 1]) else { return nil }
    for byte in text[position + 2..<position + length] where byte & 0xC0 != 0x80 { return nil }
    return length
  }

  @inline(__always)
  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
