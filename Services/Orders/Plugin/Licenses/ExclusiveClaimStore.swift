import Contracts
import Persistence

/// Which order has claimed the exclusive right to a listing; at most one per listing.
enum ExclusiveClaimStore {
  /// Whether no order has claimed the exclusive right.
  static func isFree(_ listing: ListingID, in db: any Connection) throws -> Bool {
    try !db.exists("SELECT 1 FROM exclusive_claims WHERE listing_id = \(listing)")
  }

  static func listings(of order: OrderID, in db: any Connection) throws -> [ListingID] {
    try db.values("SELECT listing_id FROM exclusive_claims WHERE order_id = \(order)")
  }

  static func insert(_ listing: ListingID, _ order: OrderID, in tx: Transaction) throws {
    try tx.execute("INSERT INTO exclusive_claims (listing_id, order_id) VALUES (\(listing), \(order))")
  }

  static func delete(of order: OrderID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM exclusive_claims WHERE order_id = \(order)")
  }
}
