/// An `Encoder` that writes JSON text as it is asked for values, without a tree in between.
///
/// Containers have no "end" call in Swift's Codable, so the open brackets are kept on a stack: writing at a level closes
/// whatever is open above it, and the end of a value closes its own. A container that is used again after an outer one
/// has moved on cannot be written and throws; no synthesised conformance does that.
final class JSONByteEncoder {
  private struct Level {
    let isObject: Bool
    let serial: Int
    var isEmpty = true
  }

  private(set) var bytes: [UInt8] = []
  private var levels: [Level] = []
  private var serial = 0
  /// How many levels belong to values outside the one being encoded.
  private var base = 0
  private var wroteValue = false

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONByteEncoder()
    encoder.bytes.reserveCapacity(1024)
    try encoder.write(value)
    return encoder.bytes
  }

  // MARK: values

  fileprivate func write<Value: Encodable>(_ value: Value) throws {
    let outerBase = base
    base = levels.count
    wroteValue = false
    try value.encode(to: self)
    close(to: base)
    if !wroteValue { literal("{}") }
    base = outerBase
    wroteValue = true
  }

  fileprivate func literal(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    wroteValue = true
  }

  fileprivate func boolean(_ value: Bool) { value ? literal("true") : literal("false") }

  fileprivate func integer(_ value: some FixedWidthInteger) {
    wroteValue = true
    if let small = UInt64(exactly: value.magnitude) {
      if value < 0 { bytes.append(UInt8(ascii: "-")) }
      if small < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(small)) }
      let start = bytes.count
      var rest = small
      while rest > 0 {
        bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
        rest /= 10
      }
      bytes[start...].reverse()
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
  }

  fileprivate func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Number) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no \(value)"))
    }
    wroteValue = true
    bytes.append(contentsOf: value.description.utf8)
  }

  /// RFC 8259 §7: quotes, backslashes and control characters are escaped, everything else stands as UTF-8.
  fileprivate func string(_ value: String) {
    wroteValue = true
    bytes.append(UInt8(ascii: "\""))
    var copy = value
    copy.withUTF8 { text in
      var start = 0
      for (position, byte) in text.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: text[start..<position])
        escape(byte)
        start = position + 1
      }
      bytes.append(contentsOf: text[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default:
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      for nibble in [byte >> 4, byte & 15] {
        bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }

  // MARK: brackets

  /// Opens a container, or returns the one this value has already opened (a subclass encodes into its parent's).
  fileprivate func open(object isObject: Bool) -> (level: Int, serial: Int) {
    if levels.count > base, levels[base].isObject == isObject { return (base, levels[base].serial) }
    bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    wroteValue = true
    serial += 1
    levels.append(Level(isObject: isObject, serial: serial))
    return (levels.count - 1, serial)
  }

  /// Opens a container inside another one, whatever the value being encoded.
  fileprivate func openNested(object isObject: Bool) -> (level: Int, serial: Int) {
    let outerBase = base
    base = levels.count
    defer { base = outerBase }
    return open(object: isObject)
  }

  private func close(to level: Int) {
    while levels.count > level {
      bytes.append(levels.removeLast().isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }
  }

  /// Makes a container the innermost again and writes the comma before its next member.
  fileprivate func advance(_ level: Int, _ serial: Int) throws {
    guard level < levels.count, levels[level].serial == serial else {
      throw EncodingError.invalidValue(
        serial,
        .init(codingPath: [], debugDescription: "A container was used after an outer one had moved on")
      )
    }
    if levels.count > level + 1 { close(to: level + 1) }
    if levels[level].isEmpty { levels[level].isEmpty = false } else { bytes.append(UInt8(ascii: ",")) }
  }

  fileprivate func key(_ name: String, _ level: Int, _ serial: Int) throws {
    try advance(level, serial)
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }
}

extension JSONByteEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let (level, serial) = open(object: true)
    return KeyedEncodingContainer(KeyedJSONContainer<Key>(encoder: self, level: level, serial: serial))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let (level, serial) = open(object: false)
    return UnkeyedJSONContainer(encoder: self, level: level, serial: serial)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONByteEncoder: SingleValueEncodingContainer {
  func encodeNil() { literal("null") }
  func encode(_ value: Bool) { boolean(value) }
  func encode(_ value: String) { string(value) }
  func encode(_ value: Double) throws { try number(value) }
  func encode(_ value: Float) throws { try number(value) }
  func encode(_ value: Int) { integer(value) }
  func encode(_ value: Int8) { integer(value) }
  func encode(_ value: Int16) { integer(value) }
  func encode(_ value: Int32) { integer(value) }
  func encode(_ value: Int64) { integer(value) }
  func encode(_ value: UInt) { integer(value) }
  func encode(_ value: UInt8) { integer(value) }
  func encode(_ value: UInt16) { integer(value) }
  func encode(_ value: UInt32) { integer(value) }
  func encode(_ value: UInt64) { integer(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

private struct KeyedJSONContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONByteEncoder
  let level: Int
  let serial: Int

  var codingPath: [any CodingKey] { [] }

  private func key(_ key: Key) throws { try encoder.key(key.stringValue, level, serial) }

  func encodeNil(forKey name: Key) throws {
    try key(name)
    encoder.literal("null")
  }
  func encode(_ value: Bool, forKey name: Key) throws {
    try key(name)
    encoder.boolean(value)
  }
  func encode(_ value: String, forKey name: Key) throws {
    try key(name)
    encoder.string(value)
  }
  func encode(_ value: Double, forKey name: Key) throws {
    try key(name)
    try encoder.number(value)
  }
  func encode(_ value: Float, forKey name: Key) throws {
    try key(name)
    try encoder.number(value)
  }
  func encode(_ value: Int, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: Int8, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: Int16, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: Int32, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: Int64, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: UInt, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: UInt8, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: UInt16, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: UInt32, forKey name: Key) throws { try integer(value, name) }
  func encode(_ value: UInt64, forKey name: Key) throws { try integer(value, name) }

  private func integer(_ value: some FixedWidthInteger, _ name: Key) throws {
    try key(name)
    encoder.integer(value)
  }

  func encode<Value: Encodable>(_ value: Value, forKey name: Key) throws {
    try key(name)
    try encoder.write(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey name: Key) -> KeyedEncodingContainer<Nested> {
    // The protocol leaves no way to fail here; a broken order shows at the nested container's first member.
    try? key(name)
    let (level, serial) = encoder.openNested(object: true)
    return KeyedEncodingContainer(KeyedJSONContainer<Nested>(encoder: encoder, level: level, serial: serial))
  }

  func nestedUnkeyedContainer(forKey name: Key) -> any UnkeyedEncodingContainer {
    try? key(name)
    let (level, serial) = encoder.openNested(object: false)
    return UnkeyedJSONContainer(encoder: encoder, level: level, serial: serial)
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct UnkeyedJSONContainer: UnkeyedEncodingContainer {
  let encoder: JSONByteEncoder
  let level: Int
  let serial: Int
  private(set) var count = 0

  init(encoder: JSONByteEncoder, level: Int, serial: Int) {
    self.encoder = encoder
    self.level = level
    self.serial = serial
  }

  var codingPath: [any CodingKey] { [] }

  private mutating func advance() throws {
    try encoder.advance(level, serial)
    count += 1
  }

  mutating func encodeNil() throws {
    try advance()
    encoder.literal("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try advance()
    try encoder.write(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    try? advance()
    let (level, serial) = encoder.openNested(object: true)
    return KeyedEncodingContainer(KeyedJSONContainer<Nested>(encoder: encoder, level: level, serial: serial))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    try? advance()
    let (level, serial) = encoder.openNested(object: false)
    return UnkeyedJSONContainer(encoder: encoder, level: level, serial: serial)
  }

  func superEncoder() -> any Encoder { encoder }
}
