/// Checks JSON text (RFC 8259) and lists its values, in one pass over the bytes.
///
/// The cost is linear in the number of bytes, for hostile input too: nesting is bounded, duplicate names are found by
/// hashing, and numbers are not computed here. Accepts less than the RFC does: valid UTF-8 only, at most
/// ``maxDepth`` levels, every name once in its object, numbers of at most ``maxNumberLength`` characters.
struct JSONScanner: ~Copyable {
  static let maxDepth = 64
  static let maxNumberLength = 128

  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var tokens: [JSONToken] = []
  /// The contents of strings with escapes, one after the other.
  private var unescaped: [UInt8] = []
  private var firstNUL: Int?

  /// - Throws: ``JSONSyntaxError`` with the position of the first mistake.
  static func scan(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONDocument {
    guard bytes.count < UInt32.max else { throw JSONSyntaxError(offset: 0, "is longer than 4 GiB") }
    var result: Result<JSONDocument, JSONSyntaxError>?
    bytes.withUnsafeBufferPointer { text in
      var scanner = JSONScanner(text)
      do throws(JSONSyntaxError) {
        try scanner.scan()
        result = .success(
          JSONDocument(
            text: bytes,
            unescaped: scanner.unescaped,
            tokens: scanner.tokens,
            firstNUL: scanner.firstNUL
          )
        )
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw JSONSyntaxError(offset: 0, "is empty") }
    return try result.get()
  }

  private init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    tokens.reserveCapacity(text.count / 8 + 1)
  }

  // MARK: structure

  private mutating func scan() throws(JSONSyntaxError) {
    var open: [Int] = []
    open.reserveCapacity(Self.maxDepth)
    while true {
      skipSpace()
      guard position < text.count else { throw error("ends too early") }
      let byte = text[position]
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        guard open.count < Self.maxDepth else { throw error("is nested deeper than \(Self.maxDepth) levels") }
        let isObject = byte == UInt8(ascii: "{")
        open.append(tokens.count)
        tokens.append(JSONToken(isObject ? .object : .array, start: tokens.count + 1))
        position += 1
        skipSpace()
        if position < text.count, text[position] == byte + 2 {
          position += 1
          tokens[open.removeLast()].next = UInt32(tokens.count)
        } else {
          if isObject { try scanName() }
          continue
        }
      } else {
        try scanScalar(byte)
      }
      if try endValue(&open) { return }
    }
  }

  /// The token after a value: a comma, or the ends of the containers around it.
  /// - Returns: Whether the text has ended.
  private mutating func endValue(_ open: inout [Int]) throws(JSONSyntaxError) -> Bool {
    while let container = open.last {
      tokens[container].length += 1
      skipSpace()
      guard position < text.count else { throw error("ends too early") }
      let isObject = tokens[container].kind == .object
      switch text[position] {
      case UInt8(ascii: ","):
        position += 1
        if isObject {
          skipSpace()
          try scanName()
        }
        return false
      case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
        position += 1
        tokens[container].next = UInt32(tokens.count)
        open.removeLast()
        if isObject { try refuseDuplicates(in: container) }
      default: throw error("has an unexpected character")
      }
    }
    skipSpace()
    guard position == text.count else { throw error("continues after its value") }
    return true
  }

  private mutating func scanName() throws(JSONSyntaxError) {
    guard position < text.count, text[position] == UInt8(ascii: "\"") else { throw error("lacks a member's name") }
    try scanString(.name)
    skipSpace()
    guard position < text.count, text[position] == UInt8(ascii: ":") else { throw error("lacks a colon") }
    position += 1
  }

  private mutating func scanScalar(_ first: UInt8) throws(JSONSyntaxError) {
    switch first {
    case UInt8(ascii: "\""): try scanString(.string)
    case UInt8(ascii: "t"): try scanLiteral("true", .true)
    case UInt8(ascii: "f"): try scanLiteral("false", .false)
    case UInt8(ascii: "n"): try scanLiteral("null", .null)
    default: try scanNumber()
    }
  }

  private mutating func scanLiteral(_ literal: StaticString, _ kind: JSONToken.Kind) throws(JSONSyntaxError) {
    let count = literal.utf8CodeUnitCount
    guard position + count <= text.count,
      text[position..<position + count].elementsEqual(UnsafeBufferPointer(start: literal.utf8Start, count: count))
    else { throw error("has an unexpected character") }
    tokens.append(JSONToken(kind, start: position, length: count, next: tokens.count + 1))
    position += count
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func error(_ message: String) -> JSONSyntaxError { JSONSyntaxError(offset: position, message) }

  // MARK: numbers

  private mutating func scanNumber() throws(JSONSyntaxError) {
    let start = position
    if peek == UInt8(ascii: "-") { position += 1 }
    let integerStart = position
    guard skipDigits() > 0 else { throw error("has an unexpected character") }
    guard text[integerStart] != UInt8(ascii: "0") || position == integerStart + 1 else {
      throw error("has a number with a leading zero")
    }
    var isInteger = true
    if peek == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      guard skipDigits() > 0 else { throw error("has a number without digits after the point") }
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() > 0 else { throw error("has a number without an exponent") }
    }
    guard position - start <= Self.maxNumberLength else {
      throw error("has a number of more than \(Self.maxNumberLength) characters")
    }
    tokens.append(
      JSONToken(isInteger ? .integer : .decimal, start: start, length: position - start, next: tokens.count + 1)
    )
  }

  private var peek: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position - start
  }

  // MARK: strings

  private mutating func scanString(_ kind: JSONToken.Kind) throws(JSONSyntaxError) {
    position += 1
    let start = position
    var isEscaped = false
    var hasMultibyte = false
    /// The position in the text at which the part begins that has not been copied yet.
    var pending = position
    let unescapedStart = unescaped.count
    while true {
      position = JSONBytes.firstSpecial(in: text, from: position)
      guard position < text.count else { throw error("ends within a string") }
      let byte = text[position]
      if byte == UInt8(ascii: "\"") { break }
      if byte >= 0x80 {
        guard let length = JSONBytes.sequenceLength(in: text, at: position) else {
          throw error("has bytes that are not UTF-8")
        }
        hasMultibyte = true
        position += length
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        unescaped.append(contentsOf: text[pending..<position])
        try scanEscape()
        pending = position
      } else {
        throw error("has a control character in a string")
      }
    }
    if isEscaped {
      unescaped.append(contentsOf: text[pending..<position])
      try requireStreamSafe(unescaped[unescapedStart...])
      let token = JSONToken(
        kind,
        start: unescapedStart,
        length: unescaped.count - unescapedStart,
        next: tokens.count + 1,
        isEscaped: true
      )
      tokens.append(token)
    } else {
      if hasMultibyte { try requireStreamSafe(text[start..<position]) }
      tokens.append(JSONToken(kind, start: start, length: position - start, next: tokens.count + 1))
    }
    position += 1
  }

  private func requireStreamSafe(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    guard StreamSafe.mayCombine(bytes), !StreamSafe.isSafe(bytes) else { return }
    throw error("has more than \(StreamSafe.maxMarks) combining marks in a row")
  }

  private mutating func scanEscape() throws(JSONSyntaxError) {
    position += 1
    guard let byte = peek else { throw error("ends within a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"):
      var code = try scanHex()
      if 0xD800 <= code, code < 0xDC00, peek == UInt8(ascii: "\\"), position + 1 < text.count,
        text[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        let low = try scanHex()
        guard 0xDC00 <= low, low < 0xE000 else { throw error("has half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("has half a surrogate pair") }
      if code == 0, firstNUL == nil { firstNUL = tokens.count }
      unescaped.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    default: throw error("has an unknown escape")
    }
  }

  private mutating func scanHex() throws(JSONSyntaxError) -> UInt32 {
    guard position + 4 <= text.count else { throw error("ends within a string") }
    var code: UInt32 = 0
    for byte in text[position..<position + 4] {
      guard let digit = JSONBytes.hexDigit(byte) else { throw error("has an unknown escape") }
      code = code << 4 | digit
    }
    position += 4
    return code
  }

  // MARK: names

  private func refuseDuplicates(in object: Int) throws(JSONSyntaxError) {
    let count = Int(tokens[object].length)
    guard count > 1 else { return }
    let duplicate = unescaped.withUnsafeBufferPointer { unescaped -> Int? in
      func name(_ token: JSONToken) -> UnsafeBufferPointer<UInt8> {
        let source = token.isEscaped ? unescaped : text
        return UnsafeBufferPointer(rebasing: source[Int(token.start)..<Int(token.start + token.length)])
      }
      if count > 32 {
        var seen = Set<JSONBytes>(minimumCapacity: count)
        var member = object + 1
        for _ in 0..<count {
          guard seen.insert(JSONBytes(bytes: name(tokens[member]))).inserted else { return member }
          member = Int(tokens[member + 1].next)
        }
        return nil
      }
      // A bit for each name; only names that share one are compared.
      var bits: UInt64 = 0
      var member = object + 1
      for _ in 0..<count {
        let bytes = name(tokens[member])
        let mixed = bytes.count &* 7 &+ Int(bytes.first ?? 0) &* 31 &+ Int(bytes.last ?? 0)
        let bit: UInt64 = 1 << UInt64(mixed & 63)
        if bits & bit != 0 {
          var earlier = object + 1
          while earlier < member {
            if JSONBytes(bytes: name(tokens[earlier])) == JSONBytes(bytes: bytes) { return member }
            earlier = Int(tokens[earlier + 1].next)
          }
        }
        bits |= bit
        member = Int(tokens[member + 1].next)
      }
      return nil
    }
    guard duplicate == nil else { throw error("has an object in which a name stands twice") }
  }
}

/// A value, or a member's name, at its position in the text. The members of a container follow it: names and values in
/// turn for an object.
struct JSONToken {
  enum Kind: UInt8 { case object, array, name, string, integer, decimal, `true`, `false`, null }

  let kind: Kind
  /// The string's content is in ``JSONDocument``'s buffer of unescaped bytes instead of the text.
  let isEscaped: Bool
  /// Offset of the first byte; for an object the index of the member that is looked at first.
  var start: UInt32
  /// In bytes; for a container the number of its elements or members.
  var length: UInt32
  /// Index of the first token that is not part of this value.
  var next: UInt32

  @inline(__always)
  init(_ kind: Kind, start: Int, length: Int = 0, next: Int = 0, isEscaped: Bool = false) {
    self.kind = kind
    self.isEscaped = isEscaped
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
    self.next = UInt32(truncatingIfNeeded: next)
  }
}

/// The reason why a text is not JSON that is accepted here.
struct JSONSyntaxError: Error {
  /// Where, in bytes from the beginning.
  let offset: Int
  /// Continues "the text …".
  let message: String

  init(offset: Int, _ message: String) { (self.offset, self.message) = (offset, message) }
}
