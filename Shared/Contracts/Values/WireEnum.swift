/// A closed set of strings on the wire; an unknown string is rejected with its location and the list of valid values.
public protocol WireEnum: Codable, CaseIterable, Sendable, Hashable, RawRepresentable, SchemaProviding
where RawValue == String {}

extension WireEnum {
  public init(from decoder: any Decoder) throws {
    guard let value = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(
        at: decoder.codingPath,
        "must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    self = value
  }

  public static var schema: JSONSchema {
    var schema = JSONSchema.string()
    schema.enumeration = allCases.map(\.rawValue)
    return schema
  }

  public static var example: Self { allCases[allCases.startIndex] }
}
