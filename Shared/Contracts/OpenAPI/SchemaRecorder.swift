/// Derives a type's schema by decoding the type from a recorder. The type requests exactly the keys and value types
/// that it accepts on the wire, so the schema cannot diverge from the codec.
final class SchemaRecorder {
  /// An object type's properties in the order in which it decodes them.
  struct ObjectSchema {
    var properties: [(name: String, schema: JSONSchema)] = []
    var required: [String] = []
    /// Sets of properties of which exactly one is present.
    var alternatives: [[String]] = []
  }

  private(set) var components: [String: ObjectSchema] = [:]
  private var inProgress: Set<String> = []
  /// Greater than 0 inside an object type that is already being recorded; arrays are empty there to end the recursion.
  fileprivate var recursions = 0

  /// Adds an object that is not a type of its own.
  func add(_ object: ObjectSchema, as name: String) -> JSONSchema {
    components[name] = object
    return .reference(to: name)
  }

  /// The schema of a type; object types become components.
  func schema<Value: Decodable>(of type: Value.Type) throws -> JSONSchema { try record(type).schema }

  /// The schema and a value of the type; containing types need the value to finish decoding.
  fileprivate func record<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONSchema, value: Value) {
    if let provider = type as? any SchemaProviding.Type {
      func example<P: SchemaProviding>(_ provider: P.Type) -> (JSONSchema, Any) { (P.schema, P.example) }
      var (schema, value) = example(provider)
      if schema.type == "string", schema.enumeration == nil, let value = value as? any Encodable {
        schema.example = try JSONValue(value)
      }
      if let value = value as? Value { return (schema, value) }
    }
    let isList = type is any ExpressibleByArrayLiteral.Type
    let name = Self.name(of: type)
    let probe = Probe(recorder: self, name: name, isRecursion: !isList && inProgress.contains(name))
    probe.object.alternatives = (type as? any Alternatives.Type)?.alternatives ?? []
    inProgress.insert(name)
    if probe.isRecursion { recursions += 1 }
    let value = try Value(from: probe)
    if probe.isRecursion { recursions -= 1 } else { inProgress.remove(name) }
    return (probe.schema, value)
  }

  /// `Contracts.AuthAPI.LogIn` becomes `AuthAPI.LogIn`; generic arguments are joined with `Of`.
  static func name(of type: any Any.Type) -> String {
    String(reflecting: type)
      .split(whereSeparator: { $0 == "<" || $0 == ">" || $0 == "," || $0 == " " })
      .map { $0.split(separator: ".").dropFirst().joined(separator: ".") }
      .joined(separator: "Of")
  }

  fileprivate func finish(_ name: String, _ object: ObjectSchema) { components[name] = object }

  /// The decoder passed to one type.
  fileprivate final class Probe: Decoder, SingleValueDecodingContainer {
    let recorder: SchemaRecorder
    let name: String
    let isRecursion: Bool
    var schema = JSONSchema()
    var object = ObjectSchema()
    /// Members that may be null: those that the type checks for null.
    var nullable: Set<String> = []

    init(recorder: SchemaRecorder, name: String, isRecursion: Bool) {
      (self.recorder, self.name, self.isRecursion) = (recorder, name, isRecursion)
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
      schema = .reference(to: name)
      if !isRecursion { recorder.finish(name, object) }
      return KeyedDecodingContainer(KeyedProbe<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { UnkeyedProbe(probe: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func property<Value: Decodable>(_ key: String, _ type: Value.Type, required: Bool) throws -> Value {
      var (schema, value) = try recorder.record(type)
      schema.isNullable = nullable.contains(key)
      record(key, schema, required: required)
      return value
    }

    func record(_ key: String, _ schema: JSONSchema, required: Bool) {
      guard !object.properties.contains(where: { $0.name == key }) else { return }
      object.properties.append((key, schema))
      if required { object.required.append(key) }
      if !isRecursion { recorder.finish(name, object) }
    }

    private func scalar<Value>(_ schema: JSONSchema, _ value: Value) -> Value {
      self.schema = schema
      return value
    }

    func decodeNil() -> Bool { false }
    func decode(_ type: Bool.Type) -> Bool { scalar(.boolean, false) }
    func decode(_ type: String.Type) -> String { scalar(.string(), "") }
    func decode(_ type: Double.Type) -> Double { scalar(.number, 0) }
    func decode(_ type: Float.Type) -> Float { scalar(.number, 0) }
    func decode(_ type: Int.Type) -> Int { scalar(.integer, 0) }
    func decode(_ type: Int8.Type) -> Int8 { scalar(.integer, 0) }
    func decode(_ type: Int16.Type) -> Int16 { scalar(.integer, 0) }
    func decode(_ type: Int32.Type) -> Int32 { scalar(.integer, 0) }
    func decode(_ type: Int64.Type) -> Int64 { scalar(.integer, 0) }
    func decode(_ type: UInt.Type) -> UInt { scalar(.integer, 0) }
    func decode(_ type: UInt8.Type) -> UInt8 { scalar(.integer, 0) }
    func decode(_ type: UInt16.Type) -> UInt16 { scalar(.integer, 0) }
    func decode(_ type: UInt32.Type) -> UInt32 { scalar(.integer, 0) }
    func decode(_ type: UInt64.Type) -> UInt64 { scalar(.integer, 0) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let (schema, value) = try recorder.record(type)
      return scalar(schema, value)
    }
  }

  private struct KeyedProbe<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool {
      probe.nullable.insert(key.stringValue)
      return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try probe.property(key.stringValue, type, required: true)
    }

    // Every overload must be present: a missing one falls back to `decode`, which would make the property required.
    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
      _ = try probe.property(key.stringValue, type, required: false)
      return nil
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      try optional(type, key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<
      Nested
    > {
      probe.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { probe.unkeyedContainer() }
    func superDecoder() -> any Decoder { probe }
    func superDecoder(forKey key: Key) -> any Decoder { probe }
  }

  private struct UnkeyedProbe: UnkeyedDecodingContainer {
    let probe: Probe
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    /// One element is enough to determine the element type.
    var isAtEnd: Bool { currentIndex > 0 || probe.recorder.recursions > 0 }

    init(probe: Probe) { self.probe = probe }

    mutating func decodeNil() -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex += 1
      let (schema, value) = try probe.recorder.record(type)
      probe.schema = .array(of: schema)
      return value
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
      probe.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
    func superDecoder() -> any Decoder { probe }
  }
}
