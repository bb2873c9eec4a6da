/// One page of a list, with the cursor of the next page, if there is one.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
  public var items: [Item]
  /// Opaque; sent back as `cursor`, it continues after the last item of this page. Absent on the last page.
  public var nextCursor: String?

  public init(items: [Item], nextCursor: String? = nil) { (self.items, self.nextCursor) = (items, nextCursor) }
}

/// A list in pages. Its order has to be total, so that pages are stable while rows are added (key-set pagination).
public protocol PagedEndpoint: Endpoint {
  /// How many items a page has; the server chooses by default.
  var limit: PageSize? { get }
  /// The `nextCursor` of the page before.
  var cursor: String? { get }
}

extension PagedEndpoint {
  /// The page that is asked for.
  /// - Throws: ``Problem`` 422 for a cursor that this list has not given out.
  public func page<Cursor: PageCursor>(by key: Cursor.Type, limit defaultLimit: Int = 20) throws(Problem)
    -> PageRequest<Cursor>
  {
    let after = cursor.flatMap { Cursor(cursor: $0) }
    guard cursor == nil || after != nil else {
      throw Problem(.invalidRequest, errors: [.init(location: "query.cursor", message: "is not a cursor of this list")])
    }
    return PageRequest(after: after, limit: limit?.value ?? defaultLimit)
  }
}

/// The key of a row in the order of its list, as text that clients give back.
public protocol PageCursor: Sendable {
  init?(cursor: String)
  var cursor: String { get }
}

extension ID: PageCursor {
  public init?(cursor: String) { self.init(cursor) }
  public var cursor: String { rawValue }
}

extension PageCursor where Self: ValidatedString {
  public init?(cursor: String) { try? self.init(validating: cursor) }
  public var cursor: String { rawValue }
}

/// The requested page of a list.
public struct PageRequest<Cursor: PageCursor>: Sendable {
  /// The key of the last row of the page before; `nil` for the first page.
  public let after: Cursor?
  /// The number of rows of the page.
  public let limit: Int

  /// Fetches the rows of the page, and one more to know whether another page follows.
  ///
  /// - Parameters:
  ///   - load: Loads the rows after a key, at most so many, in the order of the list.
  ///   - key: The key of a row.
  public func fetch<Row>(_ load: (_ after: Cursor?, _ limit: Int) throws -> [Row], key: (Row) -> Cursor) rethrows
    -> FetchedPage<Row>
  {
    let rows = try load(after, limit + 1)
    let page = Array(rows.prefix(limit))
    return FetchedPage(rows: page, nextCursor: rows.count > limit ? page.last.map { key($0).cursor } : nil)
  }
}

/// The rows of a page, before they become its items.
public struct FetchedPage<Row> {
  public let rows: [Row]
  public let nextCursor: String?

  /// The page with one item for each row, or fewer.
  public func with<Item>(_ items: [Item]) -> Page<Item> { Page(items: items, nextCursor: nextCursor) }
}

extension FetchedPage: Sendable where Row: Sendable {}

extension FetchedPage where Row: Codable & Sendable {
  /// The page whose items are the rows.
  public var page: Page<Row> { Page(items: rows, nextCursor: nextCursor) }
}

/// The maximum number of items on a page: 1 to 100.
public struct PageSize: BoundedInteger {
  public static let range = 1...100
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 20) }
}
