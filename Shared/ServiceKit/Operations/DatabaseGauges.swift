import Contracts
import Logging
import Observability
import Persistence

/// Gauges of what a service's database holds. One process of the service samples them in the background, so that a
/// scrape waits for no database, and shows those of the others also while one is away.
struct DatabaseGauges: Sendable {
  private let service: String
  private let database: any Database
  private let time: TimeSource
  private let pending, dead, oldestEvent, due, dropped, oldestJob: Metrics.SampledGauge

  init(of service: String, _ database: any Database, _ time: TimeSource, in metrics: Metrics) {
    (self.service, self.database, self.time) = (service, database, time)
    func gauge(_ name: String, _ help: String) -> Metrics.SampledGauge {
      metrics.sampledGauge(name, help: help, labels: [("service", service)])
    }
    pending = gauge("outbox_pending", "Pending deliveries.")
    dead = gauge("outbox_dead", "Dead-lettered deliveries.")
    oldestEvent = gauge("outbox_oldest_seconds", "Age of the oldest pending event.")
    due = gauge("jobs_due", "Background jobs that should run now.")
    dropped = gauge("jobs_dropped", "Background jobs that failed for good.")
    oldestJob = gauge("jobs_oldest_seconds", "For how long the oldest due background job has been due.")
  }

  func worker(_ logger: Logger) -> PeriodicTask {
    PeriodicTask("metrics.sample", per: .platform, every: .seconds(15), logger: logger) { try await sample() }
  }

  private func sample() async throws {
    let counts = try await Outbox(database: database).counts()
    pending.set(Double(counts.waiting))
    dead.set(Double(counts.dead))
    oldestEvent.set(counts.oldest.map { time.now().seconds(since: $0) } ?? 0)
    let jobs = try await JobQueues(of: service, database).list()
    due.set(Double(jobs.map(\.due).reduce(0, +)))
    dropped.set(Double(jobs.map(\.dropped).reduce(0, +)))
    oldestJob.set(jobs.map(\.oldestSeconds).max() ?? 0)
  }
}
