/// One page of a list, with the cursor of the next when there is one.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
  public var items: [Item]
  /// Opaque; given back as `cursor` it continues after the last item here. Absent on the last page.
  public var nextCursor: String?

  public init(items: [Item], nextCursor: String? = nil) {
    self.items = items
    self.nextCursor = nextCursor
  }
}

/// How many items a page holds: 1 to 100.
public struct PageSize: Codable, Sendable, Hashable, SchemaProviding {
  public let value: Int

  /// Brings a number into the allowed range.
  public init(_ value: Int) { self.value = min(100, max(1, value)) }

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer().decode(Int.self)
    guard (1...100).contains(value) else { throw ValueError(at: decoder.codingPath, "must be from 1 to 100") }
    self.value = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  public static var schema: JSONSchema {
    var schema = JSONSchema.integer
    schema.minimum = 1
    schema.maximum = 100
    return schema
  }

  public static var example: Self { Self(20) }
}
