import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Reports entitlements again when the settings give a plan other features than were reported: a batch in each transaction.
///
/// While the instances of the service restart one after another, some have the former settings: only one whose
/// settings give the plan the new features reports them.
struct PlanFeatureReports: Feature {
  struct Work: Codable, Sendable {
    var plan: String
    var features: Set<FeatureName>
    /// The last subscription of the batch before.
    var after: SubscriptionID?
  }

  private static let kind = "plan-features"
  private static let batch = 100
  /// The delay after which another instance may take over a report, in seconds.
  private static let handOverSeconds = 30.0
  /// Enough for a restart that takes days.
  private static let attempts = 10_000

  let workers: [any Service]

  init(_ core: OrdersCore, _ transitions: SubscriptionTransitions) throws {
    let (database, pending) = (core.database, PendingJobs<Work>(Self.kind, core.environment))
    let features = Dictionary(
      transitions.plans.map { ($0.name, Set($0.plan.features)) }, uniquingKeysWith: { first, _ in first })
    let worker = try DurableJobs<Work>(Self.kind, core.environment, attempts: Self.attempts) { work, job in
      guard features[work.plan] ?? [] == work.features else { return .retry(afterSeconds: Self.handOverSeconds) }
      try await database.write { tx in
        guard try job.complete(in: tx) else { return }
        let found = try transitions.store.active(work.plan, after: work.after, limit: Self.batch, in: tx)
        for subscription in found { try transitions.report(subscription, in: tx) }
        guard found.count == Self.batch else { return }
        var rest = work
        rest.after = found.last?.id
        try Self.add(rest, to: pending, in: tx)
      }
      return .done
    }
    let comparison = Comparison(database: database, features: features, pending: pending)
    let task = PeriodicTask("plans.features", every: .seconds(86_400), logger: core.logger) {
      try await comparison.run()
    }
    workers = [task, worker]
  }

  private static func add(_ work: Work, to pending: PendingJobs<Work>, in tx: Transaction) throws {
    try pending.add(work, id: "plan-features-\(work.plan)", in: tx)
  }

  /// Compares the settings with what was last reported, once: settings do not change while a service runs, and later they may
  /// be those from before.
  private final class Comparison: Sendable {
    private let database: any Database
    private let features: [String: Set<FeatureName>]
    private let pending: PendingJobs<Work>
    private let isDone = Mutex(false)

    init(database: any Database, features: [String: Set<FeatureName>], pending: PendingJobs<Work>) {
      (self.database, self.features, self.pending) = (database, features, pending)
    }

    func run() async throws {
      guard !isDone.withLock({ $0 }) else { return }
      let known = try await database.read { db in try PlanFeatureStore.all(in: db) }
      let changed = Set(features.keys).union(known.keys).filter { known[$0] != features[$0] ?? [] }
      if !changed.isEmpty {
        try await database.write { [features, pending] tx in
          for plan in changed.sorted() {
            let work = Work(plan: plan, features: features[plan] ?? [])
            try PlanFeatureStore.save(plan, work.features, in: tx)
            try PlanFeatureReports.add(work, to: pending, in: tx)
          }
        }
      }
      isDone.withLock { $0 = true }
    }
  }
}
