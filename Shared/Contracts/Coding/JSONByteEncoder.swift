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

  private let buffer = JSONBuffer(capacity: 4096)
  private var top = Level(isObject: false, serial: 0)
  private var outer: [Level] = []
  private var depth = 0
  private var serial = 0
  /// How many levels belong to values outside the one being encoded.
  private var base = 0
  private var wroteValue = false

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONByteEncoder()
    try encoder.write(value)
    return encoder.buffer.bytes
  }

  /// The text of a value whose container was asked for from outside.
  func finish() -> [UInt8] {
    close(to: 0)
    return buffer.bytes
  }

  // MARK: values

  fileprivate func write<Value: Encodable>(_ value: Value) throws {
    let outerBase = base
    base = depth
    wroteValue = false
    try value.encode(to: self)
    close(to: base)
    if !wroteValue { literal("{}") }
    base = outerBase
    wroteValue = true
  }

  fileprivate func literal(_ text: StaticString) {
    buffer.append(text)
    wroteValue = true
  }

  fileprivate func boolean(_ value: Bool) { value ? literal("true") : literal("false") }

  fileprivate func integer(_ value: Int64) {
    wroteValue = true
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    buffer.append(magnitude: value.magnitude)
  }

  fileprivate func unsigned(_ value: UInt64) {
    wroteValue = true
    buffer.append(magnitude: value)
  }

  fileprivate func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ value: Number) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no \(value)"))
    }
    wroteValue = true
    for byte in value.description.utf8 { buffer.append(byte) }
  }

  fileprivate func string(_ value: String) {
    wroteValue = true
    buffer.append(quoted: value)
  }

  // MARK: brackets

  /// Opens a container, or returns the one this value has already opened (a subclass encodes into its parent's).
  fileprivate func open(object isObject: Bool) -> ContainerPosition {
    if depth > base, top.isObject == isObject, depth == base + 1 {
      return ContainerPosition(level: base, serial: top.serial)
    }
    return openNested(object: isObject)
  }

  /// Opens a container inside the innermost one.
  fileprivate func openNested(object isObject: Bool) -> ContainerPosition {
    buffer.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    wroteValue = true
    serial += 1
    outer.append(top)
    top = Level(isObject: isObject, serial: serial)
    depth += 1
    return ContainerPosition(level: depth - 1, serial: serial)
  }

  private func close(to level: Int) {
    while depth > level {
      buffer.append(top.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      top = outer.removeLast()
      depth -= 1
    }
  }

  /// Makes a container the innermost again and writes the comma before its next member.
  fileprivate func advance(_ position: ContainerPosition) throws {
    if depth != position.level + 1 { close(to: position.level + 1) }
    guard top.serial == position.serial else {
      throw EncodingError.invalidValue(
        position.serial,
        .init(codingPath: [], debugDescription: "A container was used after an outer one had moved on")
      )
    }
    if top.isEmpty { top.isEmpty = false } else { buffer.append(UInt8(ascii: ",")) }
  }

  fileprivate func key(_ name: String, _ position: ContainerPosition) throws {
    try advance(position)
    string(name)
    buffer.append(UInt8(ascii: ":"))
  }
}

/// The container that a Codable container writes to.
private struct ContainerPosition {
  let level: Int
  /// No two containers share one, so that a container whose level another has taken is noticed.
  let serial: Int
}

extension JSONByteEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedJSONContainer<Key>(encoder: self, position: open(object: true)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedJSONContainer(encoder: self, position: open(object: false))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONByteEncoder: SingleValueEncodingContainer {
  func encodeNil() { literal("null") }
  func encode(_ value: Bool) { boolean(value) }
  func encode(_ value: String) { string(value) }
  func encode(_ value: Double) throws { try number(value) }
  func encode(_ value: Float) throws { try number(value) }
  func encode(_ value: Int) { integer(Int64(value)) }
  func encode(_ value: Int8) { integer(Int64(value)) }
  func encode(_ value: Int16) { integer(Int64(value)) }
  func encode(_ value: Int32) { integer(Int64(value)) }
  func encode(_ value: Int64) { integer(Int64(value)) }
  func encode(_ value: UInt) { unsigned(UInt64(value)) }
  func encode(_ value: UInt8) { unsigned(UInt64(value)) }
  func encode(_ value: UInt16) { unsigned(UInt64(value)) }
  func encode(_ value: UInt32) { unsigned(UInt64(value)) }
  func encode(_ value: UInt64) { unsigned(UInt64(value)) }
  func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

private struct KeyedJSONContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONByteEncoder
  let position: ContainerPosition

  var codingPath: [any CodingKey] { [] }

  private func key(_ key: Key) throws { try encoder.key(key.stringValue, position) }

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
  func encode(_ value: Int, forKey name: Key) throws { try integer(Int64(value), name) }
  func encode(_ value: Int8, forKey name: Key) throws { try integer(Int64(value), name) }
  func encode(_ value: Int16, forKey name: Key) throws { try integer(Int64(value), name) }
  func encode(_ value: Int32, forKey name: Key) throws { try integer(Int64(value), name) }
  func encode(_ value: Int64, forKey name: Key) throws { try integer(Int64(value), name) }
  func encode(_ value: UInt, forKey name: Key) throws { try unsigned(UInt64(value), name) }
  func encode(_ value: UInt8, forKey name: Key) throws { try unsigned(UInt64(value), name) }
  func encode(_ value: UInt16, forKey name: Key) throws { try unsigned(UInt64(value), name) }
  func encode(_ value: UInt32, forKey name: Key) throws { try unsigned(UInt64(value), name) }
  func encode(_ value: UInt64, forKey name: Key) throws { try unsigned(UInt64(value), name) }

  private func integer(_ value: Int64, _ name: Key) throws {
    try key(name)
    encoder.integer(value)
  }

  private func unsigned(_ value: UInt64, _ name: Key) throws {
    try key(name)
    encoder.unsigned(value)
  }

  func encode<Value: Encodable>(_ value: Value, forKey name: Key) throws {
    try key(name)
    try encoder.write(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey name: Key) -> KeyedEncodingContainer<Nested>
  {
    // The protocol leaves no way to fail here; a broken order shows at the nested container's first member.
    try? key(name)
    return KeyedEncodingContainer(
      KeyedJSONContainer<Nested>(encoder: encoder, position: encoder.openNested(object: true)))
  }

  func nestedUnkeyedContainer(forKey name: Key) -> any UnkeyedEncodingContainer {
    try? key(name)
    return UnkeyedJSONContainer(encoder: encoder, position: encoder.openNested(object: false))
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct UnkeyedJSONContainer: UnkeyedEncodingContainer {
  let encoder: JSONByteEncoder
  let position: ContainerPosition
  private(set) var count = 0

  init(encoder: JSONByteEncoder, position: ContainerPosition) { (self.encoder, self.position) = (encoder, position) }

  var codingPath: [any CodingKey] { [] }

  private mutating func advance() throws {
    try encoder.advance(position)
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
    return KeyedEncodingContainer(
      KeyedJSONContainer<Nested>(encoder: encoder, position: encoder.openNested(object: true)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    try? advance()
    return UnkeyedJSONContainer(encoder: encoder, position: encoder.openNested(object: false))
  }

  func superEncoder() -> any Encoder { encoder }
}
