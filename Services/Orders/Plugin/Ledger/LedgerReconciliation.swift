import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Checks the ledger periodically: stored balances equal the sums of their transfers, held amounts equal the open
/// holds, and a placed order has distributed what it received. The metric `ledger_discrepancies` counts the
/// discrepancies.
final class LedgerReconciliation: Feature {
  private let database: any Database
  private let logger: Logger
  private let discrepancies = Atomic<Int>(0)

  init(_ core: OrdersCore) {
    (database, logger) = (core.database, core.logger)
    core.environment.metrics.gauge("ledger_discrepancies", help: "Discrepancies found in the ledger.") { [weak self] in
      Double(self?.discrepancies.load(ordering: .relaxed) ?? 0)
    }
  }

  var workers: [any Service] {
    [
      PeriodicTask("ledger.expire-holds", every: .seconds(30), logger: logger) { [database] in
        try await database.write { tx in try LedgerStore.expireHolds(in: tx) }
      },
      PeriodicTask("ledger.reconcile", every: .seconds(300), logger: logger) { [self] in try await check() },
    ]
  }

  private func check() async throws {
    let wrong = try await Self.discrepancies(in: database)
    discrepancies.store(wrong.count, ordering: .relaxed)
    for complaint in wrong.prefix(10) { logger.critical("ledger discrepancy", metadata: ["at": "\(complaint)"]) }
  }

  /// The discrepancies; empty for a consistent ledger.
  static func discrepancies(in database: any Database) async throws -> [String] {
    try await database.read { db in
      let balances = try db.all(
        """
        SELECT b.account, b.currency FROM ledger_balances b
        WHERE b.posted <> (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
                           WHERE t.credit = b.account AND t.currency = b.currency)
                        - (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
                           WHERE t.debit = b.account AND t.currency = b.currency)
           OR b.held <> (SELECT COALESCE(SUM(h.amount), 0) FROM ledger_holds h
                         WHERE h.account = b.account AND h.currency = b.currency AND h.state = 'open')
           OR b.held < 0 OR b.account LIKE 'credit:%' AND b.posted < b.held
        LIMIT 100
        """
      ) { row -> String in "\(try row["account"] as String) \(try row["currency"] as String)" }
      // What a placed order received has been distributed or refunded.
      let orders = try db.all(
        """
        SELECT o.id FROM orders o
        WHERE o.status = 'placed' AND o.total - o.refunded <>
            (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
             WHERE t.order_id = o.id AND t.code = 'sale')
          - (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t
             WHERE t.order_id = o.id AND t.code = 'return')
        LIMIT 100
        """
      ) { row -> String in "order \(try row["id"] as String)" }
      // No money of a closed order remains in the order's account.
      let stuck = try db.all(
        """
        SELECT o.id FROM orders o
        WHERE (o.status IN ('placed', 'expired') OR o.status = 'canceled' AND o.payment_status <> 'paid')
          AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.order_id = o.id AND r.status <> 'succeeded')
          AND (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.credit = 'order:' || o.id)
           <> (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.debit = 'order:' || o.id)
        LIMIT 100
        """
      ) { row -> String in "account of order \(try row["id"] as String)" }
      return balances + orders + stuck
    }
  }
}
