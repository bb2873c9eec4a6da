/// An integer within a range. Decoding anything else fails with the field's location, and the OpenAPI document
/// states the same range.
public protocol BoundedInteger: Codable, Hashable, Sendable, SchemaProviding {
  static var range: ClosedRange<Int> { get }
  var value: Int { get }
  /// Creates a value from a number that is known to be in the range.
  init(checked: Int)
}

extension BoundedInteger {
  /// `nil` outside the range.
  public init?(_ value: Int) {
    guard Self.range.contains(value) else { return nil }
    self.init(checked: value)
  }

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer().decode(Int.self)
    guard Self.range.contains(value) else {
      throw ValueError(at: decoder.codingPath, "must be from \(Self.range.lowerBound) to \(Self.range.upperBound)")
    }
    self.init(checked: value)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  public static var schema: JSONSchema {
    var schema = JSONSchema.integer
    schema.minimum = Int64(range.lowerBound)
    schema.maximum = Int64(range.upperBound)
    return schema
  }

  public static var example: Self { Self(checked: range.lowerBound) }
}
