/// Turns one value into the text of a path or query part, or several for an array.
struct ScalarEncoder: Encoder {
  final class Output {
    var values: [String] = []
  }

  let output = Output()
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func texts(of value: some Encodable) throws -> [String] {
    let encoder = ScalarEncoder()
    try value.encode(to: encoder)
    return encoder.output.values
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    preconditionFailure("An endpoint's path and query properties hold scalars; objects belong in `body`.")
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { ScalarList(output: output) }
  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarContainer(output: output) }
}

private struct ScalarContainer: SingleValueEncodingContainer {
  let output: ScalarEncoder.Output
  var codingPath: [any CodingKey] { [] }

  func encodeNil() {}
  func encode(_ value: Bool) { output.values.append(value ? "true" : "false") }
  func encode(_ value: String) { output.values.append(value) }
  func encode(_ value: Double) { output.values.append(value.description) }
  func encode(_ value: Float) { output.values.append(value.description) }
  func encode(_ value: Int) { output.values.append(String(value)) }
  func encode(_ value: Int8) { output.values.append(String(value)) }
  func encode(_ value: Int16) { output.values.append(String(value)) }
  func encode(_ value: Int32) { output.values.append(String(value)) }
  func encode(_ value: Int64) { output.values.append(String(value)) }
  func encode(_ value: UInt) { output.values.append(String(value)) }
  func encode(_ value: UInt8) { output.values.append(String(value)) }
  func encode(_ value: UInt16) { output.values.append(String(value)) }
  func encode(_ value: UInt32) { output.values.append(String(value)) }
  func encode(_ value: UInt64) { output.values.append(String(value)) }
  func encode<Value: Encodable>(_ value: Value) throws { output.values += try ScalarEncoder.texts(of: value) }
}

private struct ScalarList: UnkeyedEncodingContainer {
  let output: ScalarEncoder.Output
  var codingPath: [any CodingKey] { [] }
  var count: Int { output.values.count }

  func encodeNil() {}
  func encode<Value: Encodable>(_ value: Value) throws { output.values += try ScalarEncoder.texts(of: value) }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    preconditionFailure("An endpoint's query properties hold scalars or arrays of scalars.")
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { ScalarEncoder() }
}

/// Reads the texts of one path or query part as a value.
struct ScalarDecoder: Decoder {
  let texts: [String]
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw ValueError(at: codingPath, "must be a single value")
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { ScalarTexts(texts: texts, codingPath: codingPath) }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension ScalarDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { texts.isEmpty }

  private func parse<Value: LosslessStringConvertible>(_ expected: String) throws -> Value {
    guard texts.count == 1, let value = Value(texts[0]) else { throw ValueError(at: codingPath, "must be \(expected)") }
    return value
  }

  func decode(_ type: Bool.Type) throws -> Bool { try parse("true or false") }
  func decode(_ type: String.Type) throws -> String { try parse("given once") }
  func decode(_ type: Double.Type) throws -> Double { try parse("a number") }
  func decode(_ type: Float.Type) throws -> Float { try parse("a number") }
  func decode(_ type: Int.Type) throws -> Int { try parse("an integer") }
  func decode(_ type: Int8.Type) throws -> Int8 { try parse("an integer") }
  func decode(_ type: Int16.Type) throws -> Int16 { try parse("an integer") }
  func decode(_ type: Int32.Type) throws -> Int32 { try parse("an integer") }
  func decode(_ type: Int64.Type) throws -> Int64 { try parse("an integer") }
  func decode(_ type: UInt.Type) throws -> UInt { try parse("a positive integer") }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try parse("a positive integer") }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try parse("a positive integer") }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try parse("a positive integer") }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try parse("a positive integer") }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

private struct ScalarTexts: UnkeyedDecodingContainer {
  let texts: [String]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  var count: Int? { texts.count }
  var isAtEnd: Bool { currentIndex == texts.count }

  init(texts: [String], codingPath: [any CodingKey]) { (self.texts, self.codingPath) = (texts, codingPath) }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard !isAtEnd else { throw ValueError(at: codingPath, "has too few values") }
    defer { currentIndex += 1 }
    return try Value(from: ScalarDecoder(texts: [texts[currentIndex]], codingPath: codingPath))
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw ValueError(at: codingPath, "must be a list of single values")
  }
  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw ValueError(at: codingPath, "must be a list of single values")
  }
  func superDecoder() throws -> any Decoder { ScalarDecoder(texts: texts, codingPath: codingPath) }
}
