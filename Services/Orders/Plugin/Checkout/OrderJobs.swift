import Contracts
import Persistence
import ServiceKit

/// The orders that have to be looked after, one job each; ``Settlement`` does that.
struct OrderJobs: Sendable {
  struct Work: Codable, Sendable { var order: OrderID }

  static let kind = "order"

  private let jobs: PendingJobs<Work>

  /// After which the job looks at an order that a request should have brought to rest, in seconds.
  private static let handOverSeconds = 10.0

  init(_ environment: ServiceEnvironment) { jobs = PendingJobs(Self.kind, environment) }

  /// Has an order looked after, from soon on; to be called in the transaction that leaves something to do.
  func schedule(_ order: OrderID, in tx: Transaction) throws {
    let dueAt = tx.now.advanced(bySeconds: Self.handOverSeconds)
    try jobs.add(Work(order: order), id: Self.id(of: order), dueAt: dueAt, in: tx)
  }

  /// An order is at rest: nobody need look after it.
  static func cancel(_ order: OrderID, in tx: Transaction) throws { try Job.cancel(id(of: order), in: tx) }

  private static func id(of order: OrderID) -> String { "order-\(order)" }
}
