import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Drives orders to a final state: reserves their stock, collects payment, places them, releases stock and refunds
/// money.
///
/// The order itself records what remains to be done. Each step of the ``Engine`` sends another party a request that may
/// be repeated, and then stores the result in one transaction that first checks whether it still applies. A step may
/// therefore run twice, or concurrently, and if a process dies, another one continues with the order: one job per order
/// ensures this until nothing is left to do.
struct Settlement: Service {
  private let engine: Engine
  private let pending: OrderJobs
  private let jobs: DurableJobs<OrderJobs.Work>

  /// How long stock and credit stay reserved beyond the payment deadline, so that neither ends before the order, in
  /// seconds.
  static let graceSeconds = 60.0

  init(_ environment: ServiceEnvironment, engine: Engine, pending: OrderJobs) throws {
    let time = environment.time
    self.engine = engine
    self.pending = pending
    jobs = try DurableJobs(OrderJobs.kind, environment, concurrency: 8, attempts: 10_000) { work, _ in
      guard let until = try await engine.advance(work.order) else { return .done }
      // The order waits for its payment until it expires.
      return .retry(afterSeconds: max(1, until.seconds(since: time.now())))
    }
  }

  static func creditHold(of order: OrderID) -> String { "\(order):credit" }

  func schedule(_ order: OrderID, in tx: Transaction) throws { try pending.schedule(order, in: tx) }

  /// Runs the steps of an order that can run now.
  func advance(_ order: OrderID) async throws { _ = try await engine.advance(order) }

  func run() async throws { try await jobs.run() }

  /// Runs the jobs that are due, where no workers run; returns the number of orders.
  func round() async throws -> Int { try await jobs.round() }
}
