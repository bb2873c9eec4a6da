/// The ranges that a `Range` header asks for (RFC 9110 §14.1.2, §14.2).
enum ByteRanges: Equatable {
  /// There is no such header, its unit is unknown, or it asks for more than a response should have.
  case whole
  /// The offsets of the parts to send, in the order in which they were asked for; at least one, none empty.
  case parts([Range<Int>])
  /// It is not valid, or asks for nothing that exists: 416.
  case unsatisfiable

  /// With more parts, or more bytes than there are, the whole is sent: it costs less (RFC 9110 §14.2).
  static let maxParts = 32

  /// - Parameters:
  ///   - header: The value; `nil` without one.
  ///   - length: The number of bytes that there are.
  init(_ header: String?, length: Int) {
    let fields = header?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    guard fields.count == 2, fields[0].lowercased() == "bytes" else {
      self = .whole
      return
    }
    var (specifiers, parts): (Int, [Range<Int>]) = (0, [])
    let elements = fields[1].utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    for (index, element) in elements.enumerated() {
      // RFC 9110 §5.6.1: elements may be empty, and there may be spaces beside commas, nowhere else.
      var text = element
      if index > 0 { text = text.drop(while: Self.isSpace) }
      if index < elements.count - 1 { while let last = text.last, Self.isSpace(last) { text.removeLast() } }
      if text.isEmpty { continue }
      specifiers += 1
      guard let part = Self.part(text, of: length) else {
        self = .unsatisfiable
        return
      }
      if let range = part { parts.append(range) }
    }
    let bytes = parts.reduce(0) { $0.addingSaturated($1.count) }
    if parts.isEmpty {
      self = .unsatisfiable
    } else if specifiers > Self.maxParts || bytes > length || bytes == 0 {
      self = .whole  // no range stands for the end of nothing
    } else {
      self = .parts(parts)
    }
  }

  /// The offsets of one part: `first-last`, `first-` or `-count`.
  ///
  /// - Returns: `.some(nil)` when there are no such bytes; `nil` when it is not valid.
  private static func part(_ text: Substring.UTF8View.SubSequence, of length: Int) -> Range<Int>?? {
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (before, after) = (text[..<dash], text[text.index(after: dash)...])
    if before.isEmpty {
      guard let count = number(after) else { return nil }
      return count == 0 ? .some(nil) : max(0, length - count)..<length
    }
    guard let first = number(before) else { return nil }
    if after.isEmpty { return first < length ? first..<length : .some(nil) }
    guard let last = number(after), first <= last else { return nil }
    return first < length ? first..<min(length, last.addingSaturated(1)) : .some(nil)
  }

  /// Digits only; a number that is too large counts as the largest (RFC 9110 §14.1.1).
  private static func number(_ text: Substring.UTF8View.SubSequence) -> Int? {
    guard !text.isEmpty else { return nil }
    var value = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
      value = overflows ? .max : tens.addingSaturated(Int(byte - UInt8(ascii: "0")))
    }
    return value
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension Int {
  fileprivate func addingSaturated(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
