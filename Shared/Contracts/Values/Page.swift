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
public struct PageSize: BoundedInteger {
  public static let range = 1...100
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 20) }
}
