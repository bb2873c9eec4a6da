/// The subset of JSON Schema 2020-12 that wire types need.
public struct JSONSchema: Sendable, Equatable {
  public var type: String?
  public var format: String?
  /// A regular expression (ECMA-262) that the whole text matches.
  public var pattern: String?
  /// A valid value, for readers and generators.
  public var example: JSONValue?
  public var minLength: Int?
  public var maxLength: Int?
  public var minimum: Int64?
  public var maximum: Int64?
  public var enumeration: [String]?
  public var isNullable = false
  /// The schema of the elements of an array.
  indirect enum Items: Sendable, Equatable { case of(JSONSchema) }
  var items: Items?
  /// The name of the component that this schema refers to.
  var reference: String?

  /// A schema that accepts everything.
  public init() {}

  public static func string(format: String? = nil) -> JSONSchema {
    var schema = JSONSchema()
    schema.type = "string"
    schema.format = format
    return schema
  }

  public static var integer: JSONSchema {
    var schema = JSONSchema()
    schema.type = "integer"
    return schema
  }

  public static var number: JSONSchema {
    var schema = JSONSchema()
    schema.type = "number"
    return schema
  }

  public static var boolean: JSONSchema {
    var schema = JSONSchema()
    schema.type = "boolean"
    return schema
  }

  static func array(of element: JSONSchema) -> JSONSchema {
    var schema = JSONSchema()
    schema.type = "array"
    schema.items = .of(element)
    return schema
  }

  static func reference(to component: String) -> JSONSchema {
    var schema = JSONSchema()
    schema.reference = component
    return schema
  }

  var json: JSONValue {
    if let reference { return .object([("$ref", .string("#/components/schemas/\(reference)"))]) }
    return .object([
      ("type", type.map { isNullable ? .array([.string($0), "null"]) : .string($0) }),
      ("format", format.map { .string($0) }),
      ("pattern", pattern.map { .string($0) }),
      ("minLength", minLength.map { .integer(Int64($0)) }),
      ("maxLength", maxLength.map { .integer(Int64($0)) }),
      ("minimum", minimum.map { .integer($0) }),
      ("maximum", maximum.map { .integer($0) }),
      ("enum", enumeration.map { .array($0.map { .string($0) }) }),
      ("examples", example.map { .array([$0]) }),
      ("items", items.map { if case .of(let element) = $0 { element.json } else { .null } }),
    ])
  }
}

/// A type that provides its own schema, because decoding it from a recorder would not reveal its rule.
public protocol SchemaProviding {
  static var schema: JSONSchema { get }
  /// A valid value, which the recorder passes to the containing type.
  static var example: Self { get }
}
