/// A `Decoder` over scanned JSON text. It stands at one value; paths are found when an error needs them, so that moving
/// on costs nothing.
struct JSONByteDecoder: Decoder {
  let document: JSONDocument
  let index: Int

  var codingPath: [any CodingKey] { document.path(to: index) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedJSONDecoding<Key>(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedJSONDecoding(self) }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  @inline(__always)
  fileprivate func at(_ index: Int) -> JSONByteDecoder { JSONByteDecoder(document: document, index: index) }

  fileprivate var isNull: Bool { document.kind(index) == .null }

  fileprivate func mismatch(_ type: any Any.Type) -> any Error {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
    return isNull ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
  }
}

extension JSONByteDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch document.kind(index) {
    case .true: true
    case .false: false
    default: throw mismatch(type)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    guard document.kind(index) == .string else { throw mismatch(type) }
    return document.string(index)
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard isNumber else { throw mismatch(type) }
    guard let value = document.double(index) else { throw tooLarge }
    return value
  }

  func decode(_ type: Float.Type) throws -> Float {
    guard isNumber else { throw mismatch(type) }
    guard let value = document.float(index) else { throw tooLarge }
    return value
  }

  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

  private var isNumber: Bool {
    let kind = document.kind(index)
    return kind == .integer || kind == .decimal
  }

  private var tooLarge: ValueError { ValueError(at: codingPath, "is a number that is too large") }

  private func integer<Number: FixedWidthInteger>() throws -> Number {
    guard isNumber else { throw mismatch(Number.self) }
    if let value = document.integer(index, as: Number.self) { return value }
    guard document.kind(index) == .integer else { throw mismatch(Number.self) }
    throw ValueError(at: codingPath, "must be from \(Number.min) to \(Number.max)")
  }
}

/// The members of an object.
struct KeyedJSONDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: JSONByteDecoder

  init(_ decoder: JSONByteDecoder) throws {
    guard decoder.document.kind(decoder.index) == .object else { throw decoder.mismatch([String: Any].self) }
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { decoder.document.names(of: decoder.index).compactMap { Key(stringValue: $0) } }

  @inline(__always)
  private func member(_ key: Key) -> JSONByteDecoder? {
    decoder.document.member(key.stringValue, of: decoder.index).map { decoder.at($0) }
  }

  @inline(__always)
  private func required(_ key: Key) throws -> JSONByteDecoder {
    guard let member = member(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: ""))
    }
    return member
  }

  @inline(__always)
  private func present(_ key: Key) -> JSONByteDecoder? {
    guard let member = member(key), !member.isNull else { return nil }
    return member
  }

  func contains(_ key: Key) -> Bool { member(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try required(key).isNull }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try required(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try required(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try required(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try required(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try required(key).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try required(key).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try required(key).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try required(key).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try required(key).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try required(key).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try required(key).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try required(key).decode(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try required(key).decode(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try required(key).decode(type) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value(from: try required(key))
  }

  // The standard library's own versions look a member up three times.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.decode(type) }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try present(key).map { try Value(from: $0) }
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try required(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try required(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try required(key) }
}

/// The elements of an array.
private struct UnkeyedJSONDecoding: UnkeyedDecodingContainer {
  private let decoder: JSONByteDecoder
  private var element: Int
  private(set) var currentIndex = 0

  init(_ decoder: JSONByteDecoder) throws {
    guard decoder.document.kind(decoder.index) == .array else { throw decoder.mismatch([Any].self) }
    self.decoder = decoder
    element = decoder.index + 1
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.document.count(decoder.index) }
  var isAtEnd: Bool { currentIndex == decoder.document.count(decoder.index) }

  private mutating func advance() throws -> JSONByteDecoder {
    guard !isAtEnd else {
      let path = codingPath + [JSONPathKey(currentIndex)]
      throw DecodingError.valueNotFound(Any.self, .init(codingPath: path, debugDescription: ""))
    }
    let current = decoder.at(element)
    element = decoder.document.next(element)
    currentIndex += 1
    return current
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, decoder.at(element).isNull else { return false }
    _ = try advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: try advance()) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try advance().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try advance().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try advance() }
}
