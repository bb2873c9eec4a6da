import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Brings orders to rest: keeps their stock, has them paid, places them, gives stock and money back.
///
/// What is to be done stands in the order itself. Each step of the ``Engine`` asks another party something that may be asked
/// again, and then notes the answer in one transaction that looks first whether it still matters; so a step may be done
/// twice, or by two at once, and a process that dies in the middle leaves an order that the next one goes on with: a job per
/// order sees to that until nothing is left to do.
struct Settlement: Service {
  private let engine: Engine
  private let pending: OrderJobs
  private let jobs: DurableJobs<OrderJobs.Work>

  /// How long stock and credit are kept beyond the time to pay, so that neither ends before the order does, in seconds.
  static let graceSeconds = 60.0

  init(_ environment: ServiceEnvironment, engine: Engine, pending: OrderJobs) throws {
    let time = environment.time
    self.engine = engine
    self.pending = pending
    jobs = try DurableJobs(OrderJobs.kind, environment, concurrency: 8, attempts: 10_000) { work, _ in
      guard let until = try await engine.advance(work.order) else { return .done }
      // It waits for its buyer; then it expires.
      return .retry(afterSeconds: max(1, until.seconds(since: time.now())))
    }
  }

  static func creditHold(of order: OrderID) -> String { "\(order):credit" }

  func schedule(_ order: OrderID, in tx: Transaction) throws { try pending.schedule(order, in: tx) }

  /// Does what can be done for an order now.
  func advance(_ order: OrderID) async throws { _ = try await engine.advance(order) }

  func run() async throws { try await jobs.run() }

  /// Does what is due at once, where workers do not run; answers how many orders that were.
  func round() async throws -> Int { try await jobs.round() }
}
