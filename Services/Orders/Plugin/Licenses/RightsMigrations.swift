import Persistence

enum RightsMigrations {
  static let all = [saleVersions, endingLicenses, linesByListing, actors, regions, claims, unpaid]

  private static let saleVersions = Migration(
    "orders-070-sale-versions",
    why: "an older report of a listing's sale never overwrites a newer one",
    ["CREATE TABLE listing_sales (listing_id TEXT PRIMARY KEY, version BIGINT NOT NULL)"]
  )

  private static let endingLicenses = Migration(
    "orders-071-ending-licenses",
    why: "an exclusive license for some days ends, and its listing is for sale again",
    [
      """
      CREATE INDEX licenses_ending ON licenses (expires_at)
      WHERE kind = 'exclusive' AND status = 'active' AND expires_at IS NOT NULL
      """
    ]
  )

  private static let linesByListing = Migration(
    "orders-072-lines-by-listing",
    why: "the sale of the exclusive license ends the unpaid orders of the listing; deleted sellers leave their sales",
    [
      "CREATE INDEX order_lines_by_listing ON order_lines (listing_id, order_id) WHERE listing_id IS NOT NULL",
      "CREATE INDEX order_lines_of_seller ON order_lines (seller_id, order_id) WHERE seller_id IS NOT NULL",
    ]
  )

  private static let actors = Migration(
    "orders-073-actors",
    why: "a deleted user is removed from the history of orders without reading all of it",
    ["CREATE INDEX order_changes_by_actor ON order_changes (actor)"]
  )

  private static let regions = Migration(
    "orders-074-regions",
    why: "an order is taxed by the buyer's region, which is known when it is checked out or paid",
    ["ALTER TABLE orders ADD COLUMN region TEXT"]
  )

  private static let claims = Migration(
    "orders-076-claims-during-auctions",
    why: "while an auction runs, an unpaid cart claims nothing, so that bids do not wait for it",
    [
      """
      DELETE FROM exclusive_claims
      WHERE listing_id IN (SELECT listing_id FROM auctions WHERE status IN ('scheduled', 'open'))
        AND order_id IN (SELECT id FROM orders WHERE source = 'cart' AND status = 'pendingPayment'
                           AND payment_status <> 'paid')
      """
    ]
  )

  private static let unpaid = Migration(
    "orders-078-unpaid-orders",
    why: "a buyer has few unpaid orders, because each reserves what it contains",
    ["CREATE INDEX orders_unpaid ON orders (user_id, created_at) WHERE placed_at IS NULL"]
  )
}
