import Contracts
import Persistence

/// Keyset pagination of listings, with a key per sort order, so that pages stay stable while listings are added.
struct ListingFeed: Sendable {
  let request: CatalogAPI.ListListings
  let viewer: ListingViewer

  func page(in db: any Connection) throws -> Page<ListingSummary> {
    let page = try request.page(by: Cursor.self)
    if let query = request.query {
      // Results are ranked, so there is only one page.
      let found = try ListingStore.index.search(
        TextQuery(query, where: values), limit: page.limit,
        keeping: { ids in
          let visible = try ListingStore.visible(ids.map { ListingID(trusted: $0) }, to: viewer, in: db)
          return Set(visible.map(\.rawValue))
        }, in: db)
      let ids = found.documents.map { ListingID(trusted: $0) }
      let rows = try ListingStore.list("l.id IN \(list: ids)", "l.id", limit: page.limit, for: viewer, in: db)
      let byID = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
      return Page(items: ids.compactMap { byID[$0] })
    }
    let sort = request.sort ?? .newest
    return try page.fetch(
      { after, limit in
        let filter = SQL.and(filters, after.map { Self.filter(after: $0, sort) })
        return try ListingStore.list(filter, Self.order(sort), limit: limit, for: viewer, in: db)
      }, key: { Cursor($0, sort) }
    ).page
  }

  private var values: TextFilter {
    .given(
      request.kind.map { "kind:\($0.rawValue)" }, request.owner.map { "owner:\($0)" },
      request.tag.map { "tag:\($0.rawValue)" })
  }

  private var filters: SQL {
    .and(
      request.kind.map { "l.kind = \($0)" }, request.owner.map { "l.owner_id = \($0)" },
      request.tag.map { "l.id IN (SELECT listing_id FROM listing_tags WHERE tag = \($0))" }
    )
  }

  private static func order(_ sort: ListingSort) -> SQL {
    switch sort {
    case .newest: "l.id DESC"
    case .price: "l.amount, l.id"
    case .priceDescending: "l.amount DESC, l.id DESC"
    case .popular: "l.like_count DESC, l.id DESC"
    }
  }

  private static func filter(after last: Cursor, _ sort: ListingSort) -> SQL {
    switch sort {
    case .newest: "l.id < \(last.id)"
    case .price: "(l.amount, l.id) > (\(last.key), \(last.id))"
    case .priceDescending: "(l.amount, l.id) < (\(last.key), \(last.id))"
    case .popular: "(l.like_count, l.id) < (\(last.key), \(last.id))"
    }
  }

  /// A position in a feed: the sort key, and the id as a tiebreaker.
  private struct Cursor: PageCursor {
    var key: Int64
    var id: ListingID

    init(_ row: ListingSummary, _ sort: ListingSort) {
      id = row.id
      switch sort {
      case .newest: key = 0
      case .price, .priceDescending: key = row.price.amount
      case .popular: key = Int64(row.likeCount)
      }
    }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let key = Int64(parts[0]), let id = ListingID(String(parts[1])) else { return nil }
      (self.key, self.id) = (key, id)
    }

    var cursor: String { "\(key)_\(id)" }
  }
}
