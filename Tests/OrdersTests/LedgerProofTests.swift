import Contracts
import Dispatch
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The proof of the ledger by periods.
@Suite(.serialized)
struct LedgerProofTests {
  enum Fault: String, CaseIterable, Sendable {
    case changedBalance, missingTransfer, distributedTwice, lostHold
  }

  private struct Sold: Sendable {
    let order: Order
    let seller: Seller
    let payout: Payout

    /// An order whose seller has requested a part of the earnings.
    static func make(_ host: TestPlatform) async throws -> Sold {
      let seller = try await Seller.make(host, sales: 0)
      let order = try await seller.sell()
      return Sold(order: order, seller: seller, payout: try await seller.request(1000))
    }

    /// Plants a fault that no part of the service causes.
    func plant(_ fault: Fault, in tx: Transaction) throws {
      let account = LedgerAccount.earnings(seller.user.id).name
      switch fault {
      case .changedBalance: try tx.execute("UPDATE ledger_balances SET posted = posted + 1 WHERE account = \(account)")
      case .lostHold: try tx.execute("UPDATE ledger_holds SET state = 'voided' WHERE id = \("payout:\(payout.id)")")
      case .missingTransfer:
        if tx.dialect == .sqlite {
          try tx.execute("DROP TRIGGER ledger_transfers_are_kept")
        } else {
          try tx.execute("DROP TRIGGER ledger_transfers_stay ON ledger_transfers")
        }
        try tx.execute("DELETE FROM ledger_transfers WHERE order_id = \(order.id) AND credit = \(account)")
      case .distributedTwice:
        try tx.execute(
          """
          INSERT INTO ledger_transfers (id, debit, credit, amount, currency, code, order_id, created_at)
          SELECT id || ':again', debit, credit, amount, currency, code, order_id, created_at FROM ledger_transfers
          WHERE order_id = \(order.id) AND credit = \(account)
          """
        )
        try tx.execute("UPDATE ledger_balances SET posted = posted + 1800 WHERE account = \(account)")
      }
    }
  }

  /// Two sales by different people, the first in closed periods.
  private func sales(_ host: TestPlatform) async throws -> (closed: Sold, open: Sold) {
    let closed = try await Sold.make(host)
    host.time.advance(seconds: 60)
    try await LedgerReconciliation.closePeriods(of: host.orders.core.database, size: 1)
    return (closed, try await Sold.make(host))
  }

  private func open(_ host: TestPlatform) async throws -> [String] {
    try await host.orders.core.database.read { try LedgerProof.open(in: $0) }
  }

  @Test(
    "M23: a discrepancy in the open period is found at once",
    arguments: TestDatabase.allCases.flatMap { database in Fault.allCases.map { (database, $0) } })
  func openPeriod(_ database: TestDatabase, _ fault: Fault) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let sold = try await sales(host).open
      let ledger = try host.orders.core.database
      #expect(try await open(host) == [])
      #expect(try await LedgerProof.all(in: ledger) == LedgerProof.Result())
      try await ledger.write { tx in try sold.plant(fault, in: tx) }
      #expect(try await !open(host).isEmpty)
      // Nor is it closed away.
      host.time.advance(seconds: 3600)
      #expect(try await host.orders.checkLedger() > 0)
      #expect(try await host.orders.checkLedger() > 0)
    }
  }

  @Test(
    "M23: a discrepancy in a closed period is found by the full proof",
    arguments: TestDatabase.allCases.flatMap { database in Fault.allCases.map { (database, $0) } })
  func closedPeriod(_ database: TestDatabase, _ fault: Fault) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let sold = try await sales(host).closed
      let ledger = try host.orders.core.database
      #expect(try await host.orders.checkLedger() == 0)
      try await host.runOnce()
      #expect(try await host.orders.checkLedger() == 0)
      try await ledger.write { tx in try sold.plant(fault, in: tx) }
      #expect(try await open(host).isEmpty == (fault != .lostHold))
      // The next day.
      host.time.advance(seconds: 86_401)
      _ = try await host.orders.checkLedger()
      try await host.runOnce()
      #expect(try await ledger.read { try LedgerPeriodStore.lastResult(in: $0) } > 0)
      #expect(try await host.orders.checkLedger() > 0)
      let discrepancies = try await ledger.read { db in
        try db.values("SELECT places FROM ledger_proofs ORDER BY started_at DESC LIMIT 1", as: String.self)
      }
      let (seller, order) = (sold.seller.user.id.rawValue, sold.order.id.rawValue)
      #expect(discrepancies.contains { $0.contains(fault == .missingTransfer ? order : seller) })
    }
  }

  @Test("M23: the open period is all that the proof sums", arguments: TestDatabase.allCases)
  func periodsAreClosed(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let seller = try await Seller.make(host, sales: 0)
      let ledger = try host.orders.core.database
      for _ in 0..<4 {
        _ = try await seller.sell()
        host.time.advance(seconds: 60)
      }
      let total = try await ledger.read { try $0.count("SELECT COUNT(*) FROM ledger_transfers") }
      try await LedgerReconciliation.closePeriods(of: ledger, size: 4)
      let since = try await ledger.read { try LedgerPeriodStore.openSince(in: $0) }
      let open = try await ledger.read { db in
        try db.count("SELECT COUNT(*) FROM ledger_transfers WHERE created_at >= \(since)")
      }
      #expect(total > 8)
      #expect(open <= 4)
      let earned = try await ledger.read { db in
        try db.values(
          """
          SELECT posted FROM ledger_period_balances WHERE account = \(LedgerAccount.earnings(seller.user.id).name)
          ORDER BY period
          """, as: Int64.self)
      }
      #expect(earned == earned.sorted())
      #expect(earned.allSatisfy { $0 % 1800 == 0 })
      // A recent sale stays open.
      _ = try await seller.sell()
      try await LedgerReconciliation.closePeriods(of: ledger, size: 1)
      let now = host.time.source.now()
      #expect(try await ledger.read { try LedgerPeriodStore.openSince(in: $0) } <= now.advanced(bySeconds: -20))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M23: an instance whose clock is behind posts into the open period", arguments: TestDatabase.allCases)
  func lateClocks(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let ledger = try host.orders.core.database
      let user: UserID = host.ids.make()
      for number in 0..<2 {
        try await grant(number, to: user, in: ledger)
        host.time.advance(seconds: 60)
      }
      let end = try await close(in: ledger)
      // The clock of another instance, an hour behind.
      host.time.advance(seconds: -3600)
      try await grant(2, to: user, in: ledger)
      let at = try await ledger.read { db in
        try db.value("SELECT created_at FROM ledger_transfers WHERE id = 'grant-2'", as: Timestamp.self)
      }
      #expect(at == end)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M23: a transaction that began before a period was closed does not enter it")
  func lateCommits() async throws {
    try await TestPlatform.orders(database: .postgresql) { host async throws in
      let ledger = try host.orders.core.database
      let (user, other): (UserID, UserID) = (host.ids.make(), host.ids.make())
      try await grant(0, to: user, in: ledger)
      host.time.advance(seconds: 10)
      let (attempts, mayCommit) = (Counter(), DispatchSemaphore(value: 0))
      // As requests, which have several connections.
      async let late: Void = Workload.shared {
        try await ledger.write { tx in
          let transfer = Transfer(
            id: "late", from: .goodwill, to: .credit(user), amount: Money(1, .usd), code: "grant")
          try LedgerStore.post([transfer], in: tx)
          attempts.add()
          if attempts.value == 1 { mayCommit.wait() }
        }
      }
      let end: Timestamp
      do {
        try await eventually("the first attempt") { attempts.value > 0 }
        host.time.advance(seconds: 100)
        try await grant(1, to: other, in: ledger)
        host.time.advance(seconds: 100)
        end = try await close(in: ledger)
      } catch {
        mayCommit.signal()
        throw error
      }
      mayCommit.signal()
      try await late
      #expect(attempts.value > 1)
      let at = try await ledger.read { db in
        try db.value("SELECT created_at FROM ledger_transfers WHERE id = 'late'", as: Timestamp.self)
      }
      #expect(try #require(at) >= end)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M23: the full proof continues where it was", arguments: TestDatabase.allCases)
  func theFullProofIsResumed(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let ledger = try host.orders.core.database
      let user: UserID = host.ids.make()
      for number in 0..<30 {
        try await grant(number, to: user, in: ledger)
        host.time.advance(seconds: 60)
      }
      try await LedgerReconciliation.closePeriods(of: ledger, size: 1)
      try await ledger.write { tx in try tx.execute("UPDATE ledger_balances SET posted = posted + 1") }
      _ = try await host.orders.checkLedger()
      var runs = 0
      while try await ledger.read({ try $0.exists("SELECT 1 FROM jobs WHERE kind = 'ledger-proof'") }) {
        try #require(runs < 10)
        runs += 1
        try await host.orders.runOnce()
      }
      #expect(runs > 1)
      #expect(try await ledger.read { try LedgerPeriodStore.lastResult(in: $0) } == 1)
      #expect(try await ledger.read { try $0.count("SELECT COUNT(*) FROM ledger_proofs") } == 1)
    }
  }

  private func grant(_ number: Int, to user: UserID, in ledger: any Database) async throws {
    let transfer = Transfer(
      id: "grant-\(number)", from: .goodwill, to: .credit(user), amount: Money(100, .usd), code: "grant")
    try await ledger.write { tx in try LedgerStore.post([transfer], in: tx) }
  }

  /// Closes one period as late as possible.
  /// - Returns: Its end.
  private func close(in ledger: any Database) async throws -> Timestamp {
    let isClosed = try await ledger.write { tx in try LedgerPeriodStore.close(1, before: tx.now, in: tx) }
    #expect(isClosed)
    return try await ledger.read { try LedgerPeriodStore.openSince(in: $0) }
  }
}
