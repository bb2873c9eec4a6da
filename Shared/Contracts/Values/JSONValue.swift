/// Any JSON value; objects keep the order of their members.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name and value of an object.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var value: JSONValue

    public init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  /// The value of a member, when this is an object that has it.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The members of an object; empty if this is none.
  public var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// The elements of an array; empty if this is none.
  public var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  /// A value as a tree, for exports, realtime events and examples.
  public init(_ value: some Encodable) throws {
    self = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
  }

  public var string: String? { if case .string(let value) = self { value } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }

  /// An object of the pairs that have a value.
  public static func object(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    .object(pairs.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }
}

extension JSONValue: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Takes the scanned value as it is. Trying one type after the other, as other decoders would need it, costs time
  /// that grows with the square of the nesting.
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? JSONByteDecoder else {
      throw DecodingError.typeMismatch(
        JSONValue.self,
        .init(codingPath: decoder.codingPath, debugDescription: "Any JSON value is read by WireJSON only")
      )
    }
    self = try decoder.document.value(decoder.index)
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for member in members { try container.encode(member.value, forKey: Name(member.name)) }
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .integer(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}

extension JSONValue: SchemaProviding {
  public static var schema: JSONSchema { JSONSchema() }
  public static var example: JSONValue { .null }
}
