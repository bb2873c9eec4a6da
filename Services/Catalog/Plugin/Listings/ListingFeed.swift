import Contracts
import Persistence

/// Keyset pagination of listings, with a key per sort order, so that pages stay stable while listings are added.
struct ListingFeed: Sendable {
  let request: CatalogAPI.ListListings
  let viewer: UserID

  /// The maximum number of search results to which filters are applied.
  private static let candidates = 400

  func page(in db: any Connection) throws -> Page<ListingSummary> {
    let limit = request.limit?.value ?? 20
    if let query = request.query {
      // Results are ranked, so there is only one page.
      let ids = try ListingStore.index.search(query, limit: hasFilters ? Self.candidates : limit, in: db).map {
        ListingID(trusted: $0)
      }
      let found = try ListingStore.rows(
        "l.id IN \(list: ids)\(filters)",
        "l.id",
        limit: Self.candidates,
        for: viewer,
        in: db
      )
      let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
      return Page(items: Array(ids.compactMap { byID[$0] }.prefix(limit)))
    }
    let sort = request.sort ?? .newest
    let place = request.cursor.flatMap { Cursor($0, sort) }
    let found = try ListingStore.rows(
      "1 = 1\(filters)\(place.map(after) ?? "")",
      Self.order(sort),
      limit: limit + 1,
      for: viewer,
      in: db
    )
    let items = Array(found.prefix(limit))
    return Page(items: items, nextCursor: found.count > limit ? items.last.map { Cursor($0, sort).text } : nil)
  }

  private var hasFilters: Bool { request.kind != nil || request.owner != nil || request.tag != nil }

  private var filters: SQL {
    var filters: SQL = ""
    if let kind = request.kind { filters = "\(filters) AND l.kind = \(kind)" }
    if let owner = request.owner { filters = "\(filters) AND l.owner_id = \(owner)" }
    if let tag = request.tag {
      filters = "\(filters) AND l.id IN (SELECT listing_id FROM listing_tags WHERE tag = \(tag))"
    }
    return filters
  }

  private static func order(_ sort: ListingSort) -> SQL {
    switch sort {
    case .newest: "l.id DESC"
    case .price: "l.amount, l.id"
    case .priceDescending: "l.amount DESC, l.id DESC"
    case .popular: "l.like_count DESC, l.id DESC"
    }
  }

  private func after(_ place: Cursor) -> SQL {
    switch place.sort {
    case .newest: " AND l.id < \(place.id)"
    case .price: " AND (l.amount, l.id) > (\(place.key), \(place.id))"
    case .priceDescending: " AND (l.amount, l.id) < (\(place.key), \(place.id))"
    case .popular: " AND (l.like_count, l.id) < (\(place.key), \(place.id))"
    }
  }

  /// A position in a feed: the sort key, and the id as a tiebreaker.
  private struct Cursor {
    var sort: ListingSort
    var key: Int64
    var id: String

    init(_ row: ListingSummary, _ sort: ListingSort) {
      self.sort = sort
      id = row.id.rawValue
      switch sort {
      case .newest: key = 0
      case .price, .priceDescending: key = row.price.amount
      case .popular: key = Int64(row.likeCount)
      }
    }

    init?(_ text: String, _ sort: ListingSort) {
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let key = Int64(parts[0]) else { return nil }
      self.sort = sort
      self.key = key
      id = String(parts[1])
    }

    var text: String { "\(key)_\(id)" }
  }
}
