import Contracts
import Persistence

/// The closed periods of the ledger with the balances at their ends, and the results of full proofs.
///
/// No transfer enters a closed period: each one is dated at the latest period's end or later, which its transaction
/// reads (``openSince(in:)``). On SQLite, transactions follow each other. On PostgreSQL, a transaction may commit long
/// after its time, and another instance's clock may be behind; but they are serializable: one that has read an older
/// end than the one being closed, and inserts a transfer that closing has not seen, cannot commit beside it, because
/// neither could have come first. One of the two is repeated. That closing keeps a distance from the present limits such
/// conflicts to the few transactions that run beside it; it is not what correctness relies on.
enum LedgerPeriodStore {
  struct Period: Sendable, Equatable {
    var number: Int64
    /// Its first transfers may be at this time.
    var startsAt: Timestamp
    /// Its transfers are before this time.
    var endsAt: Timestamp
  }

  // MARK: reading

  /// The end of the last closed period.
  static func openSince(in db: any Connection) throws -> Timestamp {
    try db.value("SELECT ends_at FROM ledger_periods ORDER BY number DESC LIMIT 1", as: Timestamp.self)
      ?? Timestamp(microseconds: 0)
  }

  /// The closed period after another one.
  static func next(after number: Int64, in db: any Connection) throws -> Period? {
    let ends = try db.all(
      "SELECT number, ends_at FROM ledger_periods WHERE number >= \(number) ORDER BY number LIMIT 2"
    ) { row -> (number: Int64, endsAt: Timestamp) in (try row["number"], try row["ends_at"]) }
    guard let end = ends.first(where: { $0.number > number }) else { return nil }
    let startsAt = ends.first { $0.number == number }?.endsAt ?? Timestamp(microseconds: 0)
    return Period(number: end.number, startsAt: startsAt, endsAt: end.endsAt)
  }

  /// The sums of transfers by account and currency. The accounts of orders are left out: there is one per order, and
  /// it is checked with its order.
  static func sums(from start: Timestamp, until end: Timestamp) -> SQL {
    """
    SELECT e.account, e.currency, CAST(SUM(e.amount) AS BIGINT) AS amount FROM
      (SELECT credit AS account, currency, amount FROM ledger_transfers
       WHERE created_at >= \(start) AND created_at < \(end)
       UNION ALL
       SELECT debit AS account, currency, -amount AS amount FROM ledger_transfers
       WHERE created_at >= \(start) AND created_at < \(end)) e
    WHERE e.account NOT LIKE 'order:%' GROUP BY e.account, e.currency
    """
  }

  // MARK: closing

  /// Closes the oldest part of the open period if it has as many transfers as a period.
  ///
  /// - Parameters:
  ///   - size: The number of transfers, more if several are at the same time.
  ///   - left: At least so many transfers stay open.
  ///   - latest: Transfers at or after this time stay open.
  /// - Returns: Whether a period was closed.
  static func close(_ size: Int, leaving left: Int = 0, before latest: Timestamp, in tx: Transaction) throws -> Bool {
    let last = try tx.first("SELECT number, ends_at FROM ledger_periods ORDER BY number DESC LIMIT 1") {
      row -> (number: Int64, endsAt: Timestamp) in (try row["number"], try row["ends_at"])
    }
    let (number, start) = ((last?.number ?? 0) + 1, last?.endsAt ?? Timestamp(microseconds: 0))
    func time(ofTransfer offset: Int) throws -> Timestamp? {
      try tx.value(
        """
        SELECT created_at FROM ledger_transfers WHERE created_at >= \(start)
        ORDER BY created_at LIMIT 1 OFFSET \(offset)
        """
      )
    }
    guard let first = try time(ofTransfer: 0), let next = try time(ofTransfer: size) else { return false }
    if left > 0, try time(ofTransfer: size + left) == nil { return false }
    // Transfers of one moment are in one period.
    let end = max(next, Timestamp(microseconds: first.microseconds + 1))
    guard end <= latest else { return false }
    let isNew = try tx.execute(
      """
      INSERT INTO ledger_periods (number, ends_at, closed_at) VALUES (\(number), \(end), \(tx.now))
      ON CONFLICT (number) DO NOTHING
      """
    )
    // Otherwise another instance has closed it.
    guard isNew == 1 else { return false }
    try tx.execute(
      """
      INSERT INTO ledger_period_balances (account, currency, period, posted)
      SELECT s.account, s.currency, \(number), s.amount + COALESCE(
        (SELECT b.posted FROM ledger_period_balances b WHERE b.account = s.account AND b.currency = s.currency
         ORDER BY b.period DESC LIMIT 1), 0)
      FROM (\(sums(from: start, until: end))) s
      """
    )
    return true
  }

  // MARK: full proofs

  /// Records that a full proof begins, unless one has begun since a time.
  /// - Returns: Whether it is recorded.
  static func beginProof(unlessSince time: Timestamp, in tx: Transaction) throws -> Bool {
    guard try !tx.exists("SELECT 1 FROM ledger_proofs WHERE started_at > \(time) LIMIT 1") else { return false }
    return try tx.execute(
      """
      INSERT INTO ledger_proofs (started_at, discrepancies, places) VALUES (\(tx.now), 0, '[]')
      ON CONFLICT (started_at) DO NOTHING
      """
    ) == 1
  }

  static func endProof(_ startedAt: Timestamp, _ result: LedgerProof.Result, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE ledger_proofs SET ended_at = \(tx.now), discrepancies = \(result.count), places = \(json: result.places)
      WHERE started_at = \(startedAt)
      """
    )
  }

  /// The number of discrepancies that the last full proof found.
  static func lastResult(in db: any Connection) throws -> Int {
    try db.count(
      """
      SELECT discrepancies FROM ledger_proofs WHERE ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1
      """
    )
  }
}
