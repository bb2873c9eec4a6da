import Contracts
import Logging
import Observability
import Persistence
import ServiceKit
import ServiceLifecycle

/// Checks the ledger: what is new every minute, and all of it every day by a durable job, in chunks. The metric
/// `ledger_discrepancies` counts what both have found.
final class LedgerReconciliation: Feature {
  private let core: OrdersCore
  private let fullProof: FullProof
  private let discrepancies: Metrics.SampledGauge

  /// The transfers of a period, about those of 400 orders.
  static let periodSize = 2000
  /// The most transfers that stay open because of a discrepancy: a proof of more would take too long. What is closed
  /// with it is found by the full proof.
  private static let openLimit = 20 * periodSize
  /// How long a transfer stays open at least, in seconds: longer than transactions take.
  static let openSeconds = 20.0
  private static let fullProofSeconds = 86_400.0

  init(_ core: OrdersCore) throws {
    self.core = core
    fullProof = try FullProof(core)
    discrepancies = core.environment.metrics.sampledGauge(
      "ledger_discrepancies", help: "Discrepancies found in the ledger.")
  }

  var workers: [any Service] {
    [
      PeriodicTask("ledger.expire-holds", per: .platform, every: .seconds(30), logger: core.logger) { [core] in
        try await core.database.write { tx in try LedgerStore.expireHolds(in: tx) }
      },
      PeriodicTask("ledger.reconcile", per: .platform, every: .seconds(60), logger: core.logger) { [self] in
        _ = try await check()
      },
      fullProof.worker,
    ]
  }

  /// Proves the open period, and closes what is full of it. A period with a discrepancy stays open, so that it is
  /// reported until it is corrected.
  /// - Returns: The number of discrepancies, with those that the last full proof found.
  func check() async throws -> Int {
    let since = core.time.now().advanced(bySeconds: -Self.fullProofSeconds)
    try await core.database.write { [fullProof] tx in
      if try LedgerPeriodStore.beginProof(unlessSince: since, in: tx) { try fullProof.schedule(in: tx) }
    }
    try await Self.closePeriods(of: core.database, leaving: Self.openLimit)
    let (wrong, before) = try await core.database.read { db in
      (try LedgerProof.open(in: db), try LedgerPeriodStore.lastResult(in: db))
    }
    discrepancies.set(Double(wrong.count + before))
    for discrepancy in wrong.prefix(10) {
      core.logger.critical("ledger discrepancy", metadata: ["at": "\(discrepancy)"])
    }
    if wrong.isEmpty { try await Self.closePeriods(of: core.database) }
    return wrong.count + before
  }

  /// Closes all periods that are full.
  static func closePeriods(of database: any Database, size: Int = periodSize, leaving left: Int = 0) async throws {
    while try await database.write({ tx in
      try LedgerPeriodStore.close(size, leaving: left, before: tx.now.advanced(bySeconds: -openSeconds), in: tx)
    }) {}
  }

  /// All discrepancies; empty for a consistent ledger.
  static func discrepancies(in database: any Database) async throws -> [String] {
    let open = try await database.read { try LedgerProof.open(in: $0) }
    let all = try await LedgerProof.all(in: database).places
    return all + open.filter { !all.contains($0) }
  }
}

/// Proves the whole ledger by a durable job. Each run proves some chunks and stores how far it has come in the
/// transaction that replaces the job, so that another process continues after a crash.
struct FullProof: Sendable {
  private struct Work: Codable, Sendable {
    var startedAt: Timestamp
    var position: LedgerProof.Position
    var result: LedgerProof.Result
  }

  private let pending: PendingJobs<Work>
  let worker: any Worker

  private static let kind = "ledger-proof"
  /// Chunks of one run.
  private static let chunks = 20

  init(_ core: OrdersCore) throws {
    let (database, logger) = (core.database, core.logger)
    let pending = PendingJobs<Work>(Self.kind, core.environment)
    self.pending = pending
    worker = try DurableJobs<Work>(Self.kind, core.environment, attempts: 10_000) { work, job in
      var (work, position) = (work, Optional(work.position))
      for _ in 0..<Self.chunks {
        guard let next = position else { break }
        (position, work.result) = try await database.read { [result = work.result] db in
          var result = result
          return (try LedgerProof.advance(next, &result, in: db), result)
        }
      }
      let (done, end) = (work, position)
      try await database.write { tx in
        // Another run has continued from here if this one's claim has expired.
        guard try job.complete(in: tx) else { return }
        guard let end else { return try LedgerPeriodStore.endProof(done.startedAt, done.result, in: tx) }
        let rest = Work(startedAt: done.startedAt, position: end, result: done.result)
        try pending.add(rest, id: Self.kind, in: tx)
      }
      if end == nil, done.result.count > 0 {
        let found: Logger.Metadata = ["count": "\(done.result.count)", "at": "\(done.result.places.prefix(10))"]
        logger.critical("ledger discrepancies", metadata: found)
      }
      return .done
    }
  }

  /// Schedules a proof; one that has not ended begins anew.
  func schedule(in tx: Transaction) throws {
    try pending.add(Work(startedAt: tx.now, position: .start, result: LedgerProof.Result()), id: Self.kind, in: tx)
  }
}
