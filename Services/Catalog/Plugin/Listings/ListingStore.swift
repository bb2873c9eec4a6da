import Contracts
import Persistence

/// A listing with the fields that only its own page shows.
struct StoredListing: Sendable {
  var row: ListingSummary
  var description: LongText?
  var licences: [LicenceOption]

  var visible: Listing { Listing(row, description: description, licences: licences) }
}

/// Listings in the database. Deleted listings stay as rows, because licenses refer to them, but no query returns them.
enum ListingStore {
  static let index = TextIndex("listings")

  // MARK: rows

  /// Matching listings, with whether the viewer has liked or archived them; one statement per page.
  static func rows(_ condition: SQL, _ order: SQL, limit: Int, for viewer: UserID, in db: any Connection) throws
    -> [ListingSummary]
  {
    try db.all(
      """
      SELECT \(rowColumns(for: viewer)) FROM listings l WHERE l.deleted_at IS NULL AND \(condition)
      ORDER BY \(order) LIMIT \(limit)
      """,
      row
    )
  }

  private static func rowColumns(for viewer: UserID) -> SQL {
    """
    l.id, l.kind, l.owner_id, l.name, l.tags, l.cover, l.audio, l.amount, l.currency, l.is_purchased, l.is_open_for_bids,
    l.like_count, l.comment_count, l.archive_count, l.created_at, l.accepts_offers, l.version,
    CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'listing-like' AND m.object_id = l.id AND m.user_id = \(viewer))
      THEN 1 ELSE 0 END,
    CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'archive' AND m.object_id = l.id AND m.user_id = \(viewer))
      THEN 1 ELSE 0 END
    """
  }

  private static func row(_ row: Row) throws -> ListingSummary {
    let tags: String = try row[4]
    return ListingSummary(
      id: try row[0],
      kind: try row[1] == "open" ? .open : .beat,
      ownerID: try row[2],
      name: ShortText(checked: try row[3]),
      tags: tags.isEmpty ? [] : tags.split(separator: " ").map { Tag(checked: String($0)) },
      cover: try row[5],
      audio: try row[6],
      price: Price(checked: Money(try row[7], try row[8])),
      acceptsOffers: try row[15],
      isPurchased: try row[9],
      isOpenForBids: try row[10],
      likeCount: try row[11],
      commentCount: try row[12],
      archiveCount: try row[13],
      isLiked: try row[17],
      isArchived: try row[18],
      createdAt: try row[14],
      version: try row[16]
    )
  }

  // MARK: single listings

  static func find(_ id: ListingID, for viewer: UserID, in db: any Connection) throws -> StoredListing? {
    try db.first(
      """
      SELECT \(rowColumns(for: viewer)), l.description, l.licences
      FROM listings l WHERE l.id = \(id) AND l.deleted_at IS NULL
      """
    ) { columns in
      let description: String? = try columns[19]
      let licences: String = try columns[20]
      return StoredListing(
        row: try row(columns),
        description: description.map { LongText(checked: $0) },
        licences: try WireJSON.decode([LicenceOption].self, from: licences.utf8)
      )
    }
  }

  static func required(_ id: ListingID, for viewer: UserID, in db: any Connection) throws -> StoredListing {
    guard let listing = try find(id, for: viewer, in: db) else { throw Problem(.listingNotFound) }
    return listing
  }

  static func exists(_ id: ListingID, in db: any Connection) throws -> Bool {
    try db.first("SELECT 1 FROM listings WHERE id = \(id) AND deleted_at IS NULL") { _ in } != nil
  }

  static func saleItems(_ ids: [ListingID], in db: any Connection) throws -> [SaleItems.Listing] {
    try db.all(
      """
      SELECT id, owner_id, name, licences, accepts_offers, audio, cover FROM listings
      WHERE id IN \(list: ids) AND deleted_at IS NULL
      """
    ) { row in
      let licences: String = try row[3]
      return SaleItems.Listing(
        id: try row[0],
        ownerID: try row[1],
        title: try row[2],
        licences: try WireJSON.decode([LicenceOption].self, from: licences.utf8),
        acceptsOffers: try row[4],
        audio: try row[5],
        cover: try row[6]
      )
    }
  }

  // MARK: writing

  static func insert(_ listing: StoredListing, in tx: Transaction) throws {
    let row = listing.row
    try tx.execute(
      """
      INSERT INTO listings
        (id, kind, owner_id, name, description, tags, cover, audio, amount, currency, licences, accepts_offers,
         is_purchased, is_open_for_bids, like_count, comment_count, archive_count, created_at, version)
      VALUES (\(row.id), \(row.kind.rawValue), \(row.ownerID), \(row.name.rawValue), \(listing.description?.rawValue),
              \(tags(of: row)), \(row.cover), \(row.audio), \(row.price.amount), \(row.price.currency),
              \(text(listing.licences)), \(row.acceptsOffers), 0, 0, 0, 0, 0, \(row.createdAt), \(row.version))
      """
    )
    try describe(row, in: tx)
  }

  static func update(_ listing: StoredListing, in tx: Transaction) throws {
    let row = listing.row
    try tx.execute(
      """
      UPDATE listings SET name = \(row.name.rawValue), description = \(listing.description?.rawValue),
        tags = \(tags(of: row)), cover = \(row.cover), amount = \(row.price.amount),
        currency = \(row.price.currency), licences = \(text(listing.licences)),
        accepts_offers = \(row.acceptsOffers), version = \(row.version)
      WHERE id = \(row.id)
      """
    )
    try describe(row, in: tx)
  }

  /// Deletes a listing and emits ``ListingRemoved``.
  static func remove(_ id: ListingID, in tx: Transaction) throws {
    try tx.execute("UPDATE listings SET deleted_at = \(tx.now) WHERE id = \(id)")
    try tx.execute("DELETE FROM listing_tags WHERE listing_id = \(id)")
    try index.remove(id.rawValue, in: tx)
    try tx.record(ListingRemoved(listingID: id))
  }

  /// Applies the state of the exclusive right, as reported by orders.
  static func apply(_ event: ListingSaleChanged, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE listings SET is_purchased = \(event.isPurchased), is_open_for_bids = \(event.isOpenForBids)
      WHERE id = \(event.listingID)
      """
    )
  }

  private static func describe(_ row: ListingSummary, in tx: Transaction) throws {
    try tx.execute("DELETE FROM listing_tags WHERE listing_id = \(row.id)")
    for tag in row.tags {
      try tx.execute("INSERT INTO listing_tags (tag, listing_id) VALUES (\(tag.rawValue), \(row.id))")
    }
    try index.put(row.id.rawValue, [row.name.rawValue] + row.tags.map(\.rawValue), in: tx)
  }

  private static func tags(of row: ListingSummary) -> String { row.tags.map(\.rawValue).joined(separator: " ") }

  private static func text(_ licences: [LicenceOption]) throws -> String {
    String(decoding: try WireJSON.encode(licences), as: UTF8.self)
  }
}
