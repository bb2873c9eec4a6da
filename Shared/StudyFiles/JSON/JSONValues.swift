/// Cuts JSON values out of a text that is read in pieces. It follows strings and brackets only; whoever decodes a value
/// checks the rest.
struct JSONValues {
  struct Value {
    /// The line on which the value begins.
    var line: Int
    var bytes: [UInt8]
    /// Whether the value was longer than the limit; `bytes` is empty then.
    var isTooLong = false
  }

  private static let maxDepth = 64

  private var source: TextSource
  private let maxBytes: Int
  private var buffer: [UInt8] = []
  private var offset = 0
  private(set) var line = 1

  init(_ source: TextSource, maxBytes: Int) {
    self.source = source
    self.maxBytes = maxBytes
  }

  var damaged: StudyFileError { .damagedJSON(line: line) }

  /// Skips white space, and then the byte if it is next; returns whether it was.
  mutating func take(_ byte: UInt8) throws(StudyFileError) -> Bool {
    guard try peek() == byte else { return false }
    offset += 1
    return true
  }

  /// Whether only white space is left.
  mutating func isAtEnd() throws(StudyFileError) -> Bool { try peek() == nil }

  private mutating func current() throws(StudyFileError) -> UInt8? {
    while offset == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      offset = 0
      guard try source.read(into: &buffer) else { return nil }
    }
    return buffer[offset]
  }

  private mutating func peek() throws(StudyFileError) -> UInt8? {
    while let byte = try current() {
      switch byte {
      case 10: line += 1
      case 9, 13, 32: break
      default: return byte
      }
      offset += 1
    }
    return nil
  }

  /// The next value.
  mutating func next() throws(StudyFileError) -> Value {
    guard let first = try peek() else { throw damaged }
    var value = Value(line: line, bytes: [])
    var depth = 0
    var isString = false
    var isEscaped = false
    let isComposed = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
    while let byte = try current() {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth += 1
          guard depth <= Self.maxDepth else { throw damaged }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return try ended(value) }
          depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"), 9, 10, 13, 32:
          if depth == 0 { return try ended(value) }
        default: break
        }
      }
      if byte == 10 { line += 1 }
      offset += 1
      if value.bytes.count >= maxBytes {
        value.isTooLong = true
        value.bytes = []
      }
      if !value.isTooLong { value.bytes.append(byte) }
      if isComposed, depth == 0, !isString { return value }
    }
    if isComposed { throw damaged }
    return try ended(value)
  }

  /// A value that ended because something else begins, which must not be its first byte.
  private func ended(_ value: Value) throws(StudyFileError) -> Value {
    guard !value.bytes.isEmpty || value.isTooLong else { throw damaged }
    return value
  }
}
