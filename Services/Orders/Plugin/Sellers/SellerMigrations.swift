import Persistence
import ServiceKit

enum SellerMigrations {
  static let all = [sales, monthsInSQLite, monthsInPostgreSQL, payouts]

  private static let sales = Migration(
    "orders-083-sales",
    why: "sellers list their sales, newest first",
    [
      """
      CREATE TABLE sales
        (seller_id TEXT NOT NULL, sold_at BIGINT NOT NULL, order_id TEXT NOT NULL REFERENCES orders (id),
         position BIGINT NOT NULL, PRIMARY KEY (seller_id, sold_at, order_id, position))
      """,
      """
      CREATE TABLE sales_months
        (seller_id TEXT NOT NULL, month TEXT NOT NULL, currency TEXT NOT NULL, lines BIGINT NOT NULL,
         price BIGINT NOT NULL, fee BIGINT NOT NULL, earned BIGINT NOT NULL, refunded BIGINT NOT NULL,
         PRIMARY KEY (seller_id, month, currency))
      """,
      "CREATE INDEX order_lines_by_seller ON order_lines (seller_id, order_id) WHERE seller_id IS NOT NULL",
      """
      INSERT INTO sales (seller_id, sold_at, order_id, position)
      SELECT l.seller_id, o.placed_at, o.id, l.position FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.seller_id IS NOT NULL AND l.listing_id IS NOT NULL AND o.placed_at IS NOT NULL
      """,
    ]
  )

  private static let monthsInSQLite = Migration(
    "orders-084-sales-by-month-sqlite",
    why: "sums of the sales that were made before",
    on: .sqlite,
    [
      """
      INSERT INTO sales_months (seller_id, month, currency, lines, price, fee, earned, refunded)
      SELECT s.seller_id, strftime('%Y-%m', s.sold_at / 1000000, 'unixepoch') AS month, o.currency, COUNT(*), SUM(l.net),
        SUM(l.fee), SUM(l.net - l.fee), SUM(l.returned_proceeds)
      FROM sales s JOIN orders o ON o.id = s.order_id
        JOIN order_lines l ON l.order_id = s.order_id AND l.position = s.position
      GROUP BY s.seller_id, month, o.currency
      """
    ]
  )

  private static let monthsInPostgreSQL = Migration(
    "orders-084-sales-by-month-postgresql",
    why: "sums of the sales that were made before",
    on: .postgresql,
    [
      """
      INSERT INTO sales_months (seller_id, month, currency, lines, price, fee, earned, refunded)
      SELECT s.seller_id, to_char(to_timestamp(s.sold_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, o.currency,
        COUNT(*), SUM(l.net), SUM(l.fee), SUM(l.net - l.fee), SUM(l.returned_proceeds)
      FROM sales s JOIN orders o ON o.id = s.order_id
        JOIN order_lines l ON l.order_id = s.order_id AND l.position = s.position
      GROUP BY s.seller_id, month, o.currency
      """
    ]
  )

  private static let payouts = Migration(
    "orders-085-payouts",
    why: "sellers are paid what they have earned",
    [
      "CREATE TABLE payout_accounts (user_id TEXT PRIMARY KEY, account TEXT NOT NULL, changed_at BIGINT NOT NULL)",
      """
      CREATE TABLE payouts
        (id TEXT PRIMARY KEY, seller_id TEXT, amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
         status TEXT NOT NULL, account TEXT, reference TEXT, reason TEXT, created_at BIGINT NOT NULL, ended_at BIGINT)
      """,
      "CREATE INDEX payouts_by_seller ON payouts (seller_id, id)",
      "CREATE INDEX payouts_by_status ON payouts (status, id)",
    ]
  )
}
