/// Scanned JSON text: its values by index, each turned into a Swift value when it is asked for.
final class JSONDocument {
  private let text: [UInt8]
  private let unescaped: [UInt8]
  /// Memory of its own, because decoding moves the members' cursors: an array in a class would pay for an exclusivity
  /// check with every access.
  private let tokens: UnsafeMutableBufferPointer<JSONToken>
  /// The first name or string with the character U+0000.
  let firstNUL: Int?

  init(text: [UInt8], unescaped: [UInt8], tokens: [JSONToken], firstNUL: Int?) {
    self.text = text
    self.unescaped = unescaped
    self.firstNUL = firstNUL
    self.tokens = .allocate(capacity: tokens.count)
    _ = self.tokens.initialize(fromContentsOf: tokens)
  }

  deinit { tokens.deallocate() }

  func kind(_ index: Int) -> JSONToken.Kind { tokens[index].kind }

  /// The number of an array's elements or an object's members.
  func count(_ index: Int) -> Int { Int(tokens[index].length) }

  /// Index of the value that follows this one in its container.
  func next(_ index: Int) -> Int { Int(tokens[index].next) }

  /// Finds a member's value. Types mostly ask in the order of the text, so the search begins after the last hit.
  func member(_ name: String, of object: Int) -> Int? {
    let count = tokens[object].length
    guard count > 0 else { return nil }
    let end = tokens[object].next
    var name = name
    return name.withUTF8 { name in
      var candidate = tokens[object].start
      for _ in 0..<count {
        let value = candidate + 1
        let following = tokens[Int(value)].next
        if bytes(Int(candidate), equal: name) {
          tokens[object].start = following == end ? UInt32(object + 1) : following
          return Int(value)
        }
        candidate = following == end ? UInt32(object + 1) : following
      }
      return nil
    }
  }

  /// The names of an object's members in the order of the text.
  func names(of object: Int) -> [String] {
    var index = object + 1
    return (0..<count(object)).map { _ in
      defer { index = next(index + 1) }
      return string(index)
    }
  }

  private func bytes(_ index: Int, equal name: UnsafeBufferPointer<UInt8>) -> Bool {
    let token = tokens[index]
    guard Int(token.length) == name.count else { return false }
    return withBytes(token) { JSONBytes(bytes: $0) == JSONBytes(bytes: name) }
  }

  private func withBytes<Value>(_ token: JSONToken, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    let range = Int(token.start)..<Int(token.start + token.length)
    return (token.isEscaped ? unescaped : text).withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[range]))
    }
  }

  // MARK: scalars

  func string(_ index: Int) -> String { withBytes(tokens[index]) { String(decoding: $0, as: UTF8.self) } }

  /// The number as an integer type, exactly; `nil` when it has a fraction or does not fit.
  func integer<Number: FixedWidthInteger>(_ index: Int, as type: Number.Type) -> Number? {
    withBytes(tokens[index]) { text in
      let isNegative = text.first == UInt8(ascii: "-")
      let mantissa = text.dropFirst(isNegative ? 1 : 0).prefix { $0 | 0x20 != UInt8(ascii: "e") }
      // How many of the mantissa's digits count, when those after the point and the exponent are taken together.
      let fraction = mantissa.drop { $0 != UInt8(ascii: ".") }.dropFirst().count
      guard let exponent = Self.exponent(text) else { return nil }
      var digits = mantissa.count - (fraction > 0 ? fraction + 1 : 0) + exponent
      var value: Number = 0
      func append(_ digit: UInt8) -> Bool {
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let addend = Number(truncatingIfNeeded: digit)
        let (sum, overflowsToo) =
          isNegative ? product.subtractingReportingOverflow(addend) : product.addingReportingOverflow(addend)
        value = sum
        return !overflows && !overflowsToo
      }
      for byte in mantissa where byte != UInt8(ascii: ".") {
        let digit = byte - UInt8(ascii: "0")
        // A digit behind the decimal point has to be zero.
        guard digits > 0 ? append(digit) : digit == 0 else { return nil }
        digits -= 1
      }
      while digits > 0, value != 0 {
        guard append(0) else { return nil }
        digits -= 1
      }
      return value
    }
  }

  /// The exponent of a number's text, 0 without one; `nil` far beyond any type's range.
  private static func exponent(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let mark = text.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return 0 }
    var digits = text[(mark + 1)...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    digits = digits.drop { $0 == UInt8(ascii: "0") }
    guard digits.count <= 5 else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return isNegative ? -value : value
  }

  /// The number, correctly rounded; `nil` when it is too large.
  func double(_ index: Int) -> Double? { Double(string(index)).flatMap { $0.isFinite ? $0 : nil } }

  /// The number, correctly rounded; `nil` when it is too large.
  func float(_ index: Int) -> Float? { Float(string(index)).flatMap { $0.isFinite ? $0 : nil } }

  // MARK: whole values

  /// The value as a tree.
  /// - Throws: ``ValueError`` for a number beyond all doubles.
  func value(_ index: Int) throws -> JSONValue {
    switch kind(index) {
    case .object:
      var member = index + 1
      return .object(
        try (0..<count(index)).map { _ in
          defer { member = next(member + 1) }
          return JSONValue.Member(name: string(member), value: try value(member + 1))
        }
      )
    case .array:
      var element = index + 1
      return .array(
        try (0..<count(index)).map { _ in
          defer { element = next(element) }
          return try value(element)
        }
      )
    case .name, .string: return .string(string(index))
    case .integer, .decimal:
      if let integer = integer(index, as: Int64.self) { return .integer(integer) }
      guard let number = double(index) else { throw ValueError(at: path(to: index), "is a number that is too large") }
      return .number(number)
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .null: return .null
    }
  }

  /// The location of a value, for messages: names and indices from the root.
  func path(to index: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var container = 0
    while container < index {
      let isObject = kind(container) == .object
      var child = container + 1
      var position = 0
      while next(isObject ? child + 1 : child) <= index {
        child = next(isObject ? child + 1 : child)
        position += 1
      }
      path.append(isObject ? JSONPathKey(string(child)) : JSONPathKey(position))
      container = isObject ? child + 1 : child
    }
    return path
  }
}

/// A step of the path to a value.
struct JSONPathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) { (self.stringValue, self.intValue) = (name, nil) }

  init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init(intValue) }
}
