import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Proves the books again and again: kept balances are the sums of their movements, holds are what is held, and a placed
/// order has passed on what it took. The metric `ledger_discrepancies` counts what is wrong.
final class LedgerCheck: Service {
  private let database: any Database
  private let logger: Logger
  private let discrepancies = Atomic<Int>(0)

  private static let everySeconds = 300

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    logger = environment.logger
    environment.metrics.gauge("ledger_discrepancies", help: "Accounts whose books do not add up.") { [weak self] in
      Double(self?.discrepancies.load(ordering: .relaxed) ?? 0)
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown { [self] in
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: .seconds(Self.everySeconds))
          try await check()
        } catch is CancellationError { return } catch {
          logger.error("the books cannot be checked", metadata: ["error": "\(error)"])
        }
      }
    }
  }

  private func check() async throws {
    let wrong = try await Self.complaints(in: database)
    discrepancies.store(wrong.count, ordering: .relaxed)
    for complaint in wrong.prefix(10) { logger.critical("the books do not add up", metadata: ["at": "\(complaint)"]) }
  }

  /// What does not add up; nothing in good books.
  static func complaints(in database: any Database) async throws -> [String] {
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
      ) { row -> String in "\(try row[0] as String) \(try row[1] as String)" }
      // What an order took has gone on to those who get it, or back.
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
      ) { row -> String in "order \(try row[0] as String)" }
      // Money that came for an order stays with nobody.
      let stuck = try db.all(
        """
        SELECT o.id FROM orders o
        WHERE (o.status IN ('placed', 'expired') OR o.status = 'canceled' AND o.payment_status <> 'paid')
          AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.order_id = o.id AND r.status <> 'succeeded')
          AND (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.credit = 'order:' || o.id)
           <> (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_transfers t WHERE t.debit = 'order:' || o.id)
        LIMIT 100
        """
      ) { row -> String in "money of order \(try row[0] as String)" }
      return balances + orders + stuck
    }
  }
}
