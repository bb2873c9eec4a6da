/// One page of a list, with the cursor of the next page, if there is one.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
  public var items: [Item]
  /// Opaque; sent back as `cursor`, it continues after the last item of this page. Absent on the last page.
  public var nextCursor: String?

  public init(items: [Item], nextCursor: String? = nil) { (self.items, self.nextCursor) = (items, nextCursor) }
}

/// The maximum number of items on a page: 1 to 100.
public struct PageSize: BoundedInteger {
  public static let range = 1...100
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 20) }
}
