import Contracts
import Persistence

/// Proves that the ledger is consistent: stored balances equal the sums of their transfers, held amounts equal the open
/// holds, a placed order has distributed what it received, and its account has only what refunds owe to the buyer.
///
/// Each proof is about one snapshot of the database, so that it may run while the ledger changes.
enum LedgerProof {
  /// The discrepancies that were found.
  struct Result: Codable, Sendable, Equatable {
    /// The first ones; the others are only counted.
    private(set) var places: [String] = []
    private(set) var count = 0

    private static let kept = 100

    mutating func add(_ found: [String]) {
      count += found.count
      places += found.prefix(max(0, Self.kept - places.count))
    }
  }

  // MARK: the open period

  /// The discrepancies of the open period: the changes since the last period was closed, and all holds, at a cost that
  /// does not depend on the ledger's age.
  static func open(in db: any Connection) throws -> [String] {
    let since = try LedgerPeriodStore.openSince(in: db)
    let accounts: SQL = """
      SELECT s.account, s.currency, s.amount
      FROM (\(LedgerPeriodStore.sums(from: since, until: Timestamp(microseconds: .max)))) s
      WHERE s.account LIKE 'earnings:%' OR s.account LIKE 'credit:%'
      """
    // Without an order, for which SQLite would read the index of orders instead of that of times.
    let orders = try db.values(
      """
      SELECT order_id AS id FROM ledger_transfers WHERE created_at >= \(since) AND order_id IS NOT NULL
      UNION SELECT id FROM orders WHERE placed_at >= \(since)
      """, as: String.self)
    var wrong = try balances(accounts, in: db) + holds(in: db)
    for first in stride(from: 0, to: orders.count, by: chunk) {
      wrong += try self.orders(Array(orders[first..<min(orders.count, first + chunk)]), in: db)
    }
    return wrong
  }

  /// Accounts whose stored balance differs from the one at the end of the last period plus what has changed since.
  ///
  /// - Parameter changes: A query of accounts, currencies, and amounts since then.
  private static func balances(_ changes: SQL, in db: any Connection) throws -> [String] {
    // The query uses subqueries: PostgreSQL would join all balances, whose number it expects to be small.
    try db.all(
      """
      SELECT s.account, s.currency FROM
        (SELECT c.account, c.currency, c.amount + COALESCE(
           (SELECT p.posted FROM ledger_period_balances p WHERE p.account = c.account AND p.currency = c.currency
            ORDER BY p.period DESC LIMIT 1), 0) AS expected,
           (SELECT b.posted FROM ledger_balances b WHERE b.account = c.account AND b.currency = c.currency) AS posted,
           (SELECT b.held FROM ledger_balances b WHERE b.account = c.account AND b.currency = c.currency) AS held
         FROM (\(changes)) c) s
      WHERE s.posted IS NULL OR s.posted <> s.expected OR s.account LIKE 'credit:%' AND s.posted < s.held
      ORDER BY s.account, s.currency
      """,
      accountName
    )
  }

  /// Accounts whose held amount differs from the sum of their open holds.
  private static func holds(in db: any Connection) throws -> [String] {
    try db.all(
      """
      SELECT h.account, h.currency FROM
        (SELECT account, currency, held FROM ledger_balances WHERE held <> 0
         UNION ALL
         SELECT account, currency, -amount AS held FROM ledger_holds WHERE state = 'open') h
      GROUP BY h.account, h.currency HAVING SUM(h.held) <> 0 ORDER BY h.account, h.currency
      """
    ) { row in "holds of \(try accountName(row))" }
  }

  private static func orders(_ ids: [String], in db: any Connection) throws -> [String] {
    let rows = try db.all(
      """
      SELECT o.id,
        CASE WHEN o.placed_at IS NOT NULL AND o.total - o.returned <>
            (SELECT COALESCE(SUM(CASE t.code WHEN 'sale' THEN t.amount WHEN 'return' THEN -t.amount ELSE 0 END), 0)
             FROM ledger_transfers t WHERE t.order_id = o.id)
          THEN 1 ELSE 0 END AS is_undistributed,
        CASE WHEN (o.status <> 'pendingPayment' OR o.payment_status <> 'paid')
          AND (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.credit = 'order:' || o.id)
            - (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.debit = 'order:' || o.id)
           <> (SELECT COALESCE(SUM(r.amount - r.settled), 0) FROM refunds r
               WHERE r.order_id = o.id AND r.status IN ('pending', 'failed'))
          THEN 1 ELSE 0 END AS is_stuck
      FROM orders o WHERE o.id IN \(list: ids) ORDER BY o.id
      """
    ) { row -> (id: String, isUndistributed: Bool, isStuck: Bool) in
      (try row["id"], try row["is_undistributed"], try row["is_stuck"])
    }
    return rows.filter(\.isUndistributed).map { "order \($0.id)" }
      + rows.filter(\.isStuck).map { "account of order \($0.id)" }
  }

  private static func accountName(_ row: Row) throws -> String {
    "\(try row["account"] as String) \(try row["currency"] as String)"
  }

  // MARK: everything

  /// How far a full proof has come. Its chunks are bounded, and each is a snapshot of its own.
  enum Position: Codable, Sendable, Equatable {
    /// The closed periods after this one, then the balances, then the orders.
    case periods(after: Int64)
    case balances(account: String, currency: String)
    case orders(after: String)

    static let start = Position.periods(after: 0)
  }

  /// Rows of one chunk.
  private static let chunk = 300

  /// Proves the next chunk.
  /// - Returns: The position after it; `nil` at the end.
  static func advance(_ position: Position, _ result: inout Result, in db: any Connection) throws -> Position? {
    switch position {
    case .periods(let number):
      guard let period = try LedgerPeriodStore.next(after: number, in: db) else {
        result.add(try holds(in: db))
        return .balances(account: "", currency: "")
      }
      result.add(try self.period(period, in: db))
      return .periods(after: period.number)
    case .balances(let account, let currency): return try balances(after: account, currency, &result, in: db)
    case .orders(let id):
      let ids = try db.values(
        "SELECT id FROM orders WHERE id > \(id) ORDER BY id LIMIT \(chunk)", as: String.self)
      guard let last = ids.last else { return nil }
      result.add(try orders(ids, in: db))
      return .orders(after: last)
    }
  }

  /// All discrepancies, in one go; for small ledgers.
  static func all(in database: any Database) async throws -> Result {
    var (result, position) = (Result(), Optional(Position.start))
    while let next = position {
      (position, result) = try await database.read { [result] db in
        var result = result
        return (try advance(next, &result, in: db), result)
      }
    }
    return result
  }

  private static func balances(
    after account: String, _ currency: String, _ result: inout Result, in db: any Connection
  ) throws -> Position? {
    let rows = try db.all(
      """
      SELECT account, currency FROM ledger_balances WHERE (account, currency) > (\(account), \(currency))
      ORDER BY account, currency LIMIT \(chunk)
      """
    ) { row -> (account: String, currency: String) in (try row["account"], try row["currency"]) }
    guard let last = rows.last else { return .orders(after: "") }
    let since = try LedgerPeriodStore.openSince(in: db)
    let changes: SQL = """
      SELECT b.account, b.currency,
        (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
         WHERE t.credit = b.account AND t.currency = b.currency AND t.created_at >= \(since))
        - (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
           WHERE t.debit = b.account AND t.currency = b.currency AND t.created_at >= \(since)) AS amount
      FROM ledger_balances b
      WHERE (b.account, b.currency) > (\(account), \(currency))
        AND (b.account, b.currency) <= (\(last.account), \(last.currency))
      """
    result.add(try balances(changes, in: db))
    return .balances(account: last.account, currency: last.currency)
  }

  private struct Account: Hashable {
    var name: String
    var currency: String
  }

  /// Sums the transfers of a closed period anew.
  private static func period(_ period: LedgerPeriodStore.Period, in db: any Connection) throws -> [String] {
    let sums = try db.all(LedgerPeriodStore.sums(from: period.startsAt, until: period.endsAt)) {
      row -> (Account, Int64) in
      (Account(name: try row["account"], currency: try row["currency"]), try row["amount"])
    }
    let stored = try db.all(
      """
      SELECT p.account, p.currency, p.posted - COALESCE(
        (SELECT b.posted FROM ledger_period_balances b
         WHERE b.account = p.account AND b.currency = p.currency AND b.period < p.period
         ORDER BY b.period DESC LIMIT 1), 0) AS amount
      FROM ledger_period_balances p WHERE p.period = \(period.number)
      """
    ) { row -> (Account, Int64) in
      (Account(name: try row["account"], currency: try row["currency"]), try row["amount"])
    }
    let (summed, kept) = (Dictionary(uniqueKeysWithValues: sums), Dictionary(uniqueKeysWithValues: stored))
    let wrong = Set(summed.keys).union(kept.keys).filter { summed[$0] != kept[$0] }
    let orphans = try db.all(
      """
      SELECT p.account, p.currency FROM ledger_period_balances p WHERE p.period = \(period.number)
        AND (p.account LIKE 'earnings:%' OR p.account LIKE 'credit:%')
        AND NOT EXISTS (SELECT 1 FROM ledger_balances b WHERE b.account = p.account AND b.currency = p.currency)
      """,
      accountName
    )
    return wrong.map { "period \(period.number): \($0.name) \($0.currency)" }.sorted() + orphans
  }
}
