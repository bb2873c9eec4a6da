import Contracts
import Persistence

/// Fills the tables of orders by SQL: orders with two lines and ten transfers each, of 10,000 people. Every tenth order
/// is one that the measured user has bought, every tenth one that they have sold.
struct LedgerRows: Sendable {
  let database: any Database
  let user: UserID
  let orders: Int
  /// The time of the last order; the others are a minute apart.
  let end: Timestamp

  private static let chunk = 5000

  /// Ids in the order of their numbers; each kind has a prefix of its own.
  private static func id(_ kind: SQL, _ number: SQL) -> SQL {
    "\(kind) || '-0000-7000-8000-' || SUBSTR(CAST(1000000000000 + \(number) AS TEXT), 2)"
  }

  private static let order = id("'00000001'", "i")
  private static let listing = id("'00000002'", "i % 50000")

  private func person(_ rest: Int) -> SQL {
    "CASE i % 10 WHEN \(rest) THEN \(user) ELSE \(Self.id("'00000003'", "i % 9973")) END"
  }

  private var at: SQL { "\(end.microseconds - Int64(orders) * 60_000_000) + i * 60000000" }

  private func numbers(_ first: Int, _ last: Int) -> SQL {
    "WITH RECURSIVE n (i) AS (SELECT CAST(\(first) AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < \(last))"
  }

  func fill() async throws {
    for first in stride(from: 1, through: orders, by: Self.chunk) {
      let last = min(orders, first + Self.chunk - 1)
      try await database.write { tx in
        try insertOrders(first, last, in: tx)
        try insertTransfers(first, last, in: tx)
      }
      try await database.write { tx in try insertOthers(first, last, in: tx) }
    }
    if database.dialect == .postgresql {
      for table in Self.tables { try await database.write { tx in try tx.execute("ANALYZE \(table)") } }
    }
  }

  private static let tables: [SQL] = [
    "orders", "order_lines", "sales", "ledger_balances", "refunds", "licenses", "offers", "auctions",
  ]

  private func insertOrders(_ first: Int, _ last: Int, in tx: Transaction) throws {
    let (order, listing) = (Self.order, Self.listing)
    try tx.execute(
      """
      INSERT INTO orders
        (id, user_id, source, status, payment_status, fulfillment_status, currency, subtotal, tax, shipping, total,
         credit, refunded, stock, created_at, placed_at, version)
      \(numbers(first, last))
      SELECT \(order), \(person(0)), 'cart', CASE WHEN i % 50 = 0 THEN 'expired' ELSE 'placed' END,
        CASE WHEN i % 50 = 0 THEN 'unpaid' ELSE 'paid' END,
        CASE WHEN i % 50 = 0 THEN NULL WHEN i % 1000 = 1 THEN 'processing' ELSE 'delivered' END, 'USD', 700, 100, 100,
        900, 0, 0, 'none', \(at), CASE WHEN i % 50 = 0 THEN NULL ELSE \(at) END, 1 FROM n
      """
    )
    try tx.execute(
      """
      INSERT INTO order_lines
        (order_id, position, listing_id, license, seller_id, title, quantity, unit_amount, tax_rate, net, tax, gross, fee)
      \(numbers(first, last)), p (position) AS (SELECT 0 UNION ALL SELECT 1)
      SELECT \(order), position, \(listing), 'lease', \(person(5)), 'Night drive', 1, 350, 0, 350, 0, 350, 50
      FROM n, p
      """
    )
    try tx.execute(
      """
      INSERT INTO sales (seller_id, sold_at, order_id, position)
      SELECT l.seller_id, o.placed_at, o.id, l.position FROM orders o JOIN order_lines l ON l.order_id = o.id
      WHERE o.placed_at IS NOT NULL AND o.created_at >= 0 AND o.id IN
        (\(numbers(first, last)) SELECT \(order) FROM n)
      """
    )
  }

  /// The payment, and nine transfers of 1.00 to its recipients.
  private func insertTransfers(_ first: Int, _ last: Int, in tx: Transaction) throws {
    let order = Self.order
    try tx.execute(
      """
      INSERT INTO ledger_transfers (id, debit, credit, amount, currency, code, order_id, created_at)
      \(numbers(first, last)), p (part) AS
        (SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
         UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
      SELECT \(order) || ':' || part, CASE part WHEN 0 THEN 'provider:stripe' ELSE 'order:' || \(order) END,
        CASE part WHEN 0 THEN 'order:' || \(order) WHEN 1 THEN 'shop:tax' WHEN 2 THEN 'shop:shipping'
          WHEN 3 THEN 'shop:fees' ELSE 'earnings:' || \(person(5)) END,
        CASE part WHEN 0 THEN 900 ELSE 100 END, 'USD', CASE part WHEN 0 THEN 'payment' ELSE 'sale' END, \(order), \(at)
      FROM n, p WHERE i % 50 <> 0
      """
    )
    try tx.execute(
      """
      INSERT INTO ledger_balances (account, currency, posted, held)
      SELECT account, 'USD', COUNT(*) * 600, 0 FROM
        (\(numbers(first, last)) SELECT 'earnings:' || \(person(5)) AS account FROM n WHERE i % 50 <> 0) s
      WHERE 1 = 1 GROUP BY account
      ON CONFLICT (account, currency) DO UPDATE SET posted = ledger_balances.posted + excluded.posted
      """
    )
  }

  private func insertOthers(_ first: Int, _ last: Int, in tx: Transaction) throws {
    let (order, listing) = (Self.order, Self.listing)
    let terms = SaleItems.Listing(
      id: IDGenerator().make(), ownerID: user, title: "Night drive", licenses: [], acceptsOffers: true,
      audio: IDGenerator().make(), cover: nil)
    try tx.execute(
      """
      INSERT INTO licenses
        (id, listing_id, kind, holder_id, seller_id, order_id, amount, currency, status, granted_at, terms, terms_hash,
         files, audio, prior_licenses)
      \(numbers(first, last))
      SELECT \(Self.id("'00000004'", "i")), \(listing), 'lease', \(person(0)), \(person(5)), \(order), 350, 'USD',
        'active', \(at), 'Terms.', 'hash', 'mp3', \(listing), 0 FROM n
      """
    )
    try tx.execute(
      """
      INSERT INTO refunds
        (id, order_id, amount, currency, is_surplus, status, reason, is_by_provider, settled, loss, created_at)
      \(numbers(first, last))
      SELECT \(Self.id("'00000005'", "i")), \(order), 1, 'USD', 0,
        CASE WHEN i % 1000 = 0 THEN 'reversed' ELSE 'succeeded' END, 'damaged', 0, 0, 0, \(at) FROM n
      """
    )
    try tx.execute(
      """
      INSERT INTO offers
        (id, listing_id, license, buyer_id, seller_id, amount, currency, status, made_by, is_final, lower_bound,
         upper_bound, hours, created_at, expires_at, listing)
      \(numbers(first, last))
      SELECT \(Self.id("'00000006'", "i")), \(listing), 'lease', \(person(0)), \(person(5)), 300, 'USD', 'declined',
        'buyer', 0, 100, 400, 48, \(at), \(at), \(json: terms) FROM n
      """
    )
    try tx.execute(
      """
      INSERT INTO auctions
        (id, listing_id, seller_id, status, currency, start_price, opens_at, closes_at, original_closes_at,
         extension_count, bid_count, sequence, listing)
      \(numbers(first, last))
      SELECT \(Self.id("'00000007'", "i")), \(Self.id("'00000008'", "i")), \(person(5)),
        CASE WHEN i % 20000 = 1 THEN 'open' ELSE 'noBids' END, 'USD', 100, \(at),
        CASE WHEN i % 20000 = 1 THEN \(end.microseconds) + 86400000000 ELSE \(at) END, \(at), 0, 0, 0, \(json: terms)
      FROM n WHERE i % 10 = 5
      """
    )
  }
}
