import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit

/// Stores licenses. Their terms never change after the sale.
struct LicenceStore: Sendable {
  let ids: IDGenerator

  // MARK: writing

  /// Grants the licenses that an order has bought.
  func grant(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    guard let holder = order.userID else { return }
    for stored in lines {
      guard let listing = stored.line.listingID, let terms = stored.terms, let seller = stored.sellerID,
        let audio = stored.audio
      else { continue }
      let prior = try Self.count(of: listing, in: tx)
      let text = LicenceContract.text(
        of: terms,
        title: stored.line.title,
        listing: listing,
        seller: seller,
        holder: holder,
        order: order.id,
        price: stored.line.gross,
        priorLicences: prior,
        at: tx.now
      )
      let hash = SHA256.hash(data: Data(text.utf8)).reduce(into: "") { hash, byte in
        hash += (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
      let expiresAt = terms.days.map { tx.now.advanced(bySeconds: Double($0) * 86_400) }
      let id: LicenceID = ids.make()
      try tx.execute(
        """
        INSERT INTO licences
          (id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, expires_at, terms,
           terms_hash, files, audio, prior_licences)
        VALUES (\(id), \(listing), \(terms.kind), \(holder), \(seller), \(order.id),
                \(stored.line.unitPrice.amount), \(order.currency), 'active', \(tx.now), \(expiresAt), \(text), \(hash),
                \(terms.files.map(\.rawValue).joined(separator: " ")), \(audio), \(prior))
        """
      )
      if terms.kind == .exclusive { try Claims.tell(listing, in: tx) }
    }
  }

  /// Revokes an order's licenses; their records are retained.
  func revoke(_ order: OrderID, in tx: Transaction) throws {
    try tx.execute("UPDATE licences SET status = 'revoked' WHERE order_id = \(order) AND status = 'active'")
  }

  /// Restores an order's licenses; the exclusive right only if no other order has claimed it.
  func restore(_ order: OrderID, in tx: Transaction) throws {
    let revoked = try tx.all(
      "SELECT id, listing_id, kind FROM licences WHERE order_id = \(order) AND status = 'revoked'"
    ) { row -> (id: LicenceID, listing: ListingID, kind: String) in
      (try row["id"], try row["listing_id"], try row["kind"])
    }
    for licence in revoked {
      let isExclusive = licence.kind == LicenceKind.exclusive.rawValue
      if isExclusive {
        guard try Claims.isFree(licence.listing, in: tx) else { continue }
        try tx.execute("INSERT INTO exclusive_claims (listing_id, order_id) VALUES (\(licence.listing), \(order))")
      }
      try tx.execute("UPDATE licences SET status = 'active' WHERE id = \(licence.id)")
      if isExclusive { try Claims.tell(licence.listing, in: tx) }
    }
  }

  // MARK: reading

  static func count(of listing: ListingID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM licences WHERE listing_id = \(listing) AND status = 'active'")
  }

  static func list(_ condition: SQL, before cursor: LicenceID?, limit: Int, at now: Timestamp, in db: any Connection)
    throws -> [(licence: Licence, audio: MediaID)]
  {
    let place: SQL = cursor.map { "id < \($0)" } ?? "1 = 1"
    return try db.all(
      """
      SELECT id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, expires_at, terms,
        terms_hash, files, prior_licences, audio
      FROM licences WHERE \(condition) AND \(place) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in
      let expiresAt: Timestamp? = try row["expires_at"]
      let status: Licence.Status = try row["status"]
      let hasExpired = status == .active && expiresAt.map { $0 <= now } ?? false
      let licence = Licence(
        id: try row["id"],
        listingID: try row["listing_id"],
        kind: try row["kind"],
        holderID: try row["holder_id"],
        sellerID: try row["seller_id"],
        orderID: try row["order_id"],
        price: try row.money("amount", "currency"),
        status: hasExpired ? .expired : status,
        grantedAt: try row["granted_at"],
        expiresAt: expiresAt,
        terms: try row["terms"],
        termsHash: try row["terms_hash"],
        files: try row[words: "files"],
        priorLicences: try row["prior_licences"]
      )
      return (licence, try row["audio"])
    }
  }
}
