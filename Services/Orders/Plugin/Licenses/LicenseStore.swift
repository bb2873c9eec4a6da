import Contracts
import Persistence

/// A valid license, towards which a higher one for the same listing is credited.
struct HeldLicense: Sendable {
  var listing: ListingID
  var kind: LicenseKind?
  var paid: Money
}

/// Stores licenses. Their terms never change after the sale.
enum LicenseStore {
  // MARK: writing

  static func insert(_ license: License, audio: MediaID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO licenses
        (id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, expires_at, terms,
         terms_hash, files, audio, prior_licenses)
      VALUES (\(license.id), \(license.listingID), \(license.kind), \(license.holderID), \(license.sellerID),
              \(license.orderID), \(license.price.amount), \(license.price.currency), \(license.status),
              \(license.grantedAt), \(license.expiresAt), \(license.terms), \(license.termsHash),
              \(words: license.files), \(audio), \(license.priorLicenses))
      """
    )
  }

  /// Revokes the license that an order line has bought; its record is retained.
  /// - Returns: `false` when it was not valid before.
  static func revoke(_ listing: ListingID, _ kind: LicenseKind, of order: OrderID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE licenses SET status = 'revoked'
      WHERE order_id = \(order) AND listing_id = \(listing) AND kind = \(kind) AND status = 'active'
      """
    ) > 0
  }

  /// Restores a revoked license.
  static func restore(_ listing: ListingID, _ kind: LicenseKind, of order: OrderID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE licenses SET status = 'active'
      WHERE order_id = \(order) AND listing_id = \(listing) AND kind = \(kind) AND status = 'revoked'
      """
    )
  }

  /// Ends exclusive licenses whose time has passed, the ones that ended first.
  static func expireExclusive(limit: Int, in tx: Transaction) throws -> [(listing: ListingID, order: OrderID)] {
    let due = try tx.all(
      """
      SELECT id, listing_id, order_id FROM licenses
      WHERE kind = 'exclusive' AND status = 'active' AND expires_at <= \(tx.now) ORDER BY expires_at LIMIT \(limit)
      """
    ) { row -> (id: LicenseID, listing: ListingID, order: OrderID) in
      (try row["id"], try row["listing_id"], try row["order_id"])
    }
    try tx.execute("UPDATE licenses SET status = 'expired' WHERE id IN \(list: due.map(\.id))")
    return due.map { ($0.listing, $0.order) }
  }

  // MARK: reading

  /// Whether there is a license for a recording.
  static func exists(for audio: MediaID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM licenses WHERE audio = \(audio) LIMIT 1")
  }

  static func count(of listing: ListingID, at now: Timestamp, in db: any Connection) throws -> Int {
    try db.count(
      """
      SELECT COUNT(*) FROM licenses WHERE listing_id = \(listing) AND status = 'active'
        AND (expires_at IS NULL OR expires_at > \(now))
      """
    )
  }

  static func isExclusiveSold(_ listing: ListingID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM licenses WHERE listing_id = \(listing) AND kind = 'exclusive' AND status = 'active'")
  }

  /// Valid licenses for listings that a user holds.
  static func held(by user: UserID, for listings: [ListingID], at now: Timestamp, in db: any Connection) throws
    -> [HeldLicense]
  {
    try db.all(
      """
      SELECT listing_id, kind, amount, currency FROM licenses
      WHERE holder_id = \(user) AND status = 'active' AND (expires_at IS NULL OR expires_at > \(now))
        AND listing_id IN \(list: listings)
      """
    ) { row in
      HeldLicense(
        listing: try row["listing_id"], kind: try row["kind"], paid: try row.money("amount", "currency"))
    }
  }

  /// The files that a user's valid licenses for a recording name.
  ///
  /// - Parameter seller: Whose licenses; `nil` for those of deleted accounts.
  static func files(of audio: MediaID, for user: UserID, from seller: UserID?, at now: Timestamp, in db: any Connection)
    throws -> [LicensedFile]
  {
    let isSold: SQL = if let seller { "seller_id = \(seller)" } else { "seller_id IS NULL" }
    let files = try db.all(
      """
      SELECT files FROM licenses WHERE audio = \(audio) AND holder_id = \(user) AND status = 'active'
        AND (expires_at IS NULL OR expires_at > \(now)) AND \(isSold)
      """
    ) { row in try row[words: "files"] as [LicensedFile] }
    return Set(files.joined()).sorted { $0.rawValue < $1.rawValue }
  }

  static func list(_ condition: SQL, before cursor: LicenseID?, limit: Int, at now: Timestamp, in db: any Connection)
    throws -> [(license: License, audio: MediaID)]
  {
    let filter = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, expires_at, terms,
        terms_hash, files, prior_licenses, audio
      FROM licenses WHERE \(filter) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in (try license(row, at: now), try row["audio"]) }
  }

  private static func license(_ row: Row, at now: Timestamp) throws -> License {
    let (status, expiresAt): (License.Status, Timestamp?) = (try row["status"], try row["expires_at"])
    let hasExpired = status == .active && expiresAt.map { $0 <= now } ?? false
    return License(
      id: try row["id"], listingID: try row["listing_id"], kind: try row["kind"],
      holderID: try row["holder_id"], sellerID: try row["seller_id"], orderID: try row["order_id"],
      price: try row.money("amount", "currency"),
      status: hasExpired ? .expired : status, grantedAt: try row["granted_at"], expiresAt: expiresAt,
      terms: try row["terms"], termsHash: try row["terms_hash"], files: try row[words: "files"],
      priorLicenses: try row["prior_licenses"]
    )
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE licenses SET holder_id = NULL WHERE holder_id = \(user)")
    try tx.execute("UPDATE licenses SET seller_id = NULL WHERE seller_id = \(user)")
  }
}
