import Contracts
import Persistence

/// Listings in the database. Deleted listings stay as rows, because licenses refer to them, but no query returns them.
enum ListingStore {
  static let index = TextIndex("listings")

  // MARK: rows

  /// Matching listings that the viewer may see, with whether the viewer has liked or archived them; one statement per
  /// page.
  static func list(_ condition: SQL, _ order: SQL, limit: Int, for viewer: ListingViewer, in db: any Connection) throws
    -> [ListingSummary]
  {
    try db.all(
      """
      SELECT \(rowColumns(for: viewer.id)) FROM listings l
      WHERE l.deleted_at IS NULL AND \(SQL.and(condition, viewer.condition)) ORDER BY \(order) LIMIT \(limit)
      """,
      row
    )
  }

  private static func rowColumns(for viewer: UserID) -> SQL {
    """
    l.id, l.kind, l.owner_id, l.name, l.tags, l.cover, l.audio, l.amount, l.currency, l.is_purchased, l.is_open_for_bids,
    l.like_count, l.comment_count, l.archive_count, l.created_at, l.accepts_offers, l.version,
    CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'listing-like' AND m.object_id = l.id AND m.user_id = \(viewer))
      THEN 1 ELSE 0 END AS is_liked,
    CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'archive' AND m.object_id = l.id AND m.user_id = \(viewer))
      THEN 1 ELSE 0 END AS is_archived
    """
  }

  private static func row(_ row: Row) throws -> ListingSummary {
    ListingSummary(
      id: try row["id"], kind: try row["kind"], ownerID: try row["owner_id"],
      name: try row["name"], tags: try row[words: "tags"], cover: try row["cover"], audio: try row["audio"],
      price: Price(checked: try row.money("amount", "currency")), acceptsOffers: try row["accepts_offers"],
      isPurchased: try row["is_purchased"], isOpenForBids: try row["is_open_for_bids"],
      likeCount: try row["like_count"], commentCount: try row["comment_count"],
      archiveCount: try row["archive_count"],
      isLiked: try row["is_liked"], isArchived: try row["is_archived"],
      createdAt: try row["created_at"], version: try row["version"]
    )
  }

  // MARK: single listings

  static func find(_ id: ListingID, for viewer: ListingViewer, in db: any Connection) throws -> Listing? {
    try db.first(
      """
      SELECT \(rowColumns(for: viewer.id)), l.description, l.licenses
      FROM listings l WHERE l.deleted_at IS NULL AND \(SQL.and("l.id = \(id)", viewer.condition))
      """
    ) { columns in
      Listing(
        try row(columns),
        description: try columns["description"],
        licenses: try columns[json: "licenses"]
      )
    }
  }

  static func get(_ id: ListingID, for viewer: ListingViewer, in db: any Connection) throws -> Listing {
    guard let listing = try find(id, for: viewer, in: db) else { throw Problem(.listingNotFound) }
    return listing
  }

  /// The public preview of a link to the listing.
  static func preview(of id: ListingID, in db: any Connection) throws -> LinkPreview? {
    try db.first(
      """
      SELECT name, description, cover, amount, currency FROM listings WHERE id = \(id) AND deleted_at IS NULL
      """
    ) { row in
      LinkPreview(
        type: .song, title: try row["name"], description: try row["description"], picture: try row["cover"],
        price: try row.money("amount", "currency"))
    }
  }

  static func exists(_ id: ListingID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM listings WHERE id = \(id) AND deleted_at IS NULL")
  }

  static func owner(of id: ListingID, in db: any Connection) throws -> UserID? {
    try db.value("SELECT owner_id FROM listings WHERE id = \(id) AND deleted_at IS NULL")
  }

  /// The listings that exist and that the viewer may see.
  static func visible(_ ids: [ListingID], to viewer: ListingViewer, in db: any Connection) throws -> Set<ListingID> {
    let condition = SQL.and("l.id IN \(list: ids)", viewer.condition)
    let found = try db.values(
      "SELECT l.id FROM listings l WHERE l.deleted_at IS NULL AND \(condition)", as: ListingID.self
    )
    return Set(found)
  }

  /// All listings of a user.
  static func ids(of owner: UserID, in db: any Connection) throws -> [ListingID] {
    try db.values("SELECT id FROM listings WHERE owner_id = \(owner) AND deleted_at IS NULL ORDER BY id")
  }

  /// Whether the listing belongs to the user, even if it is deleted.
  static func isOwned(_ id: ListingID, by user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM listings WHERE id = \(id) AND owner_id = \(user)")
  }

  static func saleItems(_ ids: [ListingID], in db: any Connection) throws -> [SaleItems.Listing] {
    try db.all(
      """
      SELECT id, owner_id, name, licenses, accepts_offers, audio, cover FROM listings
      WHERE id IN \(list: ids) AND deleted_at IS NULL
      """
    ) { row in
      SaleItems.Listing(
        id: try row["id"], ownerID: try row["owner_id"], title: try row["name"],
        licenses: try row[json: "licenses"], acceptsOffers: try row["accepts_offers"],
        audio: try row["audio"], cover: try row["cover"]
      )
    }
  }

  // MARK: writing

  static func insert(_ listing: Listing, in tx: Transaction) throws {
    let row = listing.summary
    try tx.execute(
      """
      INSERT INTO listings
        (id, kind, owner_id, name, description, tags, cover, audio, amount, currency, licenses, accepts_offers,
         is_purchased, is_open_for_bids, like_count, comment_count, archive_count, created_at, version)
      VALUES (\(row.id), \(row.kind), \(row.ownerID), \(row.name), \(listing.description),
              \(tags(of: row)), \(row.cover), \(row.audio), \(row.price.amount), \(row.price.currency),
              \(text(listing.licenses)), \(row.acceptsOffers), 0, 0, 0, 0, 0, \(row.createdAt), \(row.version))
      """
    )
    try describe(row, in: tx)
  }

  static func update(_ listing: Listing, in tx: Transaction) throws {
    let row = listing.summary
    try tx.execute(
      """
      UPDATE listings SET name = \(row.name), description = \(listing.description),
        tags = \(tags(of: row)), cover = \(row.cover), audio = \(row.audio), amount = \(row.price.amount),
        currency = \(row.price.currency), licenses = \(text(listing.licenses)),
        accepts_offers = \(row.acceptsOffers), version = \(row.version)
      WHERE id = \(row.id)
      """
    )
    try describe(row, in: tx)
  }

  /// Deletes a listing and emits ``ListingRemoved``.
  static func delete(_ id: ListingID, in tx: Transaction) throws {
    try tx.execute("UPDATE listings SET deleted_at = \(tx.now) WHERE id = \(id)")
    try tx.execute("DELETE FROM listing_tags WHERE listing_id = \(id)")
    try index.remove(id.rawValue, in: tx)
    try tx.record(ListingRemoved(listingID: id))
  }

  /// Removes the owner and what the owner wrote from deleted listings.
  static func eraseOwner(_ owner: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE listings SET owner_id = '', name = '', description = NULL WHERE owner_id = \(owner)")
  }

  /// Applies the state of the exclusive right, as reported by orders.
  ///
  /// - Returns: `false` when a newer report has been applied, or the listing does not exist.
  static func apply(_ event: ListingSaleChanged, in tx: Transaction) throws -> Bool {
    let version = event.version ?? 0
    return try tx.execute(
      """
      UPDATE listings SET is_purchased = \(event.isPurchased), is_open_for_bids = \(event.isOpenForBids),
        sale_version = \(version)
      WHERE id = \(event.listingID) AND sale_version <= \(version)
      """
    ) > 0
  }

  /// - Returns: `false` when the listing does not exist.
  static func countLikes(of id: ListingID, by change: Int, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE listings SET like_count = like_count + \(change) WHERE id = \(id) AND deleted_at IS NULL")
      > 0
  }

  /// - Returns: `false` when the listing does not exist.
  static func countArchived(_ id: ListingID, by change: Int, in tx: Transaction) throws -> Bool {
    try tx.execute(
      "UPDATE listings SET archive_count = archive_count + \(change) WHERE id = \(id) AND deleted_at IS NULL"
    ) > 0
  }

  static func countComments(on id: ListingID, by change: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE listings SET comment_count = comment_count + \(change) WHERE id = \(id)")
  }

  private static func describe(_ row: ListingSummary, in tx: Transaction) throws {
    try tx.execute("DELETE FROM listing_tags WHERE listing_id = \(row.id)")
    for tag in row.tags {
      try tx.execute("INSERT INTO listing_tags (tag, listing_id) VALUES (\(tag), \(row.id))")
    }
    try index.put(document(row.id, row.kind, of: row.ownerID, name: row.name.rawValue, row.tags), in: tx)
  }

  private static func document(_ id: ListingID, _ kind: ListingKind, of owner: UserID, name: String, _ tags: [Tag])
    -> TextDocument
  {
    TextDocument(
      id.rawValue, [name, tags.map(\.rawValue).joined(separator: " ")],
      values: ["kind:\(kind.rawValue)", "owner:\(owner)"] + tags.map { "tag:\($0.rawValue)" })
  }

  /// Indexes the listings that exist.
  static func fillIndex(_ database: any Database) async throws {
    try await index.fill(database, version: 1) { after, limit, tx in
      try tx.all(
        """
        SELECT id, kind, owner_id, name, tags FROM listings
        WHERE id > \(after) AND deleted_at IS NULL ORDER BY id LIMIT \(limit)
        """
      ) { row in
        let (id, tags): (ListingID, [Tag]) = (try row["id"], try row[words: "tags"])
        return document(id, try row["kind"], of: try row["owner_id"], name: try row["name"], tags)
      }
    }
  }

  private static func tags(of row: ListingSummary) -> String { row.tags.map(\.rawValue).joined(separator: " ") }

  private static func text(_ licenses: [LicenseOption]) throws -> String {
    String(decoding: try WireJSON.encode(licenses), as: UTF8.self)
  }
}
