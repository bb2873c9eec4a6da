/// The rules about bytes that both scanners of heads use (RFC 9110 §5, RFC 9112 §5).
enum FieldLine {
  static let (cr, lf, space, colon) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: ":"))

  /// A field line: `name: value` with CRLF. The value has no space around it.
  struct Line: Equatable {
    var name: Range<Int>
    var value: Range<Int>
    /// The offset after the line.
    var end: Int
  }

  enum Scan: Equatable {
    case line(Line)
    /// The empty line after the fields; the offset after it.
    case end(Int)
    case incomplete
    /// Something else, such as a folded line, a space before the colon or a bare line feed.
    case invalid
  }

  /// Reads the line that begins at an offset.
  ///
  /// - Parameter allowsText: Whether values may have bytes outside of ASCII, and tabs.
  static func scan(_ bytes: UnsafeRawBufferPointer, from start: Int, allowsText: Bool) -> Scan {
    var offset = start
    guard offset < bytes.count else { return .incomplete }
    if bytes[offset] == cr {
      guard offset + 1 < bytes.count else { return .incomplete }
      return bytes[offset + 1] == lf ? .end(offset + 2) : .invalid
    }
    while offset < bytes.count, isTokenCharacter(bytes[offset]) { offset += 1 }
    guard offset < bytes.count else { return .incomplete }
    guard offset > start, bytes[offset] == colon else { return .invalid }
    let name = start..<offset
    offset += 1
    while offset < bytes.count, bytes[offset] == space { offset += 1 }
    let first = offset
    while offset < bytes.count, isValueCharacter(bytes[offset], allowsText) { offset += 1 }
    guard offset < bytes.count else { return .incomplete }
    guard bytes[offset] == cr else { return .invalid }
    guard offset + 1 < bytes.count else { return .incomplete }
    guard bytes[offset + 1] == lf else { return .invalid }
    var last = offset
    while last > first, bytes[last - 1] == space { last -= 1 }
    return .line(Line(name: name, value: first..<last, end: offset + 2))
  }

  /// `tchar` of RFC 9110 §5.6.2: a bit for each character of ASCII.
  static func isTokenCharacter(_ byte: UInt8) -> Bool {
    // ! # $ % & ' * + - . 0-9, then A-Z ^ _ ` a-z | ~
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
    return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
  }

  private static func isValueCharacter(_ byte: UInt8, _ allowsText: Bool) -> Bool {
    byte &- 0x20 < 0x5F || allowsText && (byte >= 0x80 || byte == 0x09)
  }

  /// Compares without regard to case.
  ///
  /// - Parameter text: In lowercase.
  static func equal(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return hasPrefix(bytes, range, text)
  }

  /// - Parameter text: In lowercase.
  static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard range.count >= count else { return false }
    for offset in 0..<count where lowercased(bytes[range.lowerBound + offset]) != text.utf8Start[offset] {
      return false
    }
    return true
  }

  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// A number of at most twelve digits without a sign, a space or needless zeros.
  static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    guard (1...12).contains(range.count), range.count == 1 || bytes[range.lowerBound] != UInt8(ascii: "0") else {
      return nil
    }
    var number = 0
    for offset in range {
      let digit = bytes[offset] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }
}
