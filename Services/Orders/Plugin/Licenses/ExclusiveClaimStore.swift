import Contracts
import Persistence

/// The orders that have claimed the exclusive right to a listing; at most one per listing.
enum ExclusiveClaimStore {
  /// Whether no order has claimed the exclusive right.
  static func isFree(_ listing: ListingID, in db: any Connection) throws -> Bool {
    try holder(of: listing, in: db) == nil
  }

  /// The order that has claimed the exclusive right.
  static func holder(of listing: ListingID, in db: any Connection) throws -> OrderID? {
    try db.value("SELECT order_id FROM exclusive_claims WHERE listing_id = \(listing)")
  }

  static func listings(of order: OrderID, in db: any Connection) throws -> [ListingID] {
    try db.values("SELECT listing_id FROM exclusive_claims WHERE order_id = \(order)")
  }

  static func insert(_ listing: ListingID, _ order: OrderID, in tx: Transaction) throws {
    try tx.execute("INSERT INTO exclusive_claims (listing_id, order_id) VALUES (\(listing), \(order))")
  }

  /// - Returns: `false` when the order has not claimed it.
  @discardableResult
  static func delete(_ listing: ListingID, of order: OrderID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM exclusive_claims WHERE listing_id = \(listing) AND order_id = \(order)") > 0
  }

  static func delete(of order: OrderID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM exclusive_claims WHERE order_id = \(order)")
  }

  /// Deletes the claim of a cart that is checked out but not paid.
  static func deleteUnpaid(_ listing: ListingID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM exclusive_claims WHERE listing_id = \(listing) AND EXISTS
        (SELECT 1 FROM orders o WHERE o.id = exclusive_claims.order_id AND o.source = 'cart'
           AND o.status = 'pendingPayment' AND o.payment_status <> 'paid')
      """
    )
  }
}
