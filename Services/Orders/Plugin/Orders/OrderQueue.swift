import Contracts
import Persistence
import ServiceKit

/// The jobs of orders with work left, one per order; ``OrderWorkflow`` runs them.
struct OrderQueue: Sendable {
  struct Work: Codable, Sendable { var order: OrderID }

  static let kind = "order"

  private let jobs: PendingJobs<Work>

  /// The delay after which the job takes over an order that a request has not driven to a final state, in seconds.
  private static let handOverSeconds = 10.0

  init(_ environment: ServiceEnvironment) { jobs = PendingJobs(Self.kind, environment) }

  /// Schedules the job of an order; call it in the transaction that leaves work to do.
  func schedule(_ order: OrderID, in tx: Transaction) throws {
    let dueAt = tx.now.advanced(bySeconds: Self.handOverSeconds)
    try jobs.add(Work(order: order), id: Self.id(of: order), dueAt: dueAt, in: tx)
  }

  /// Cancels the job of an order that has no work left.
  static func cancel(_ order: OrderID, in tx: Transaction) throws { try Job.cancel(id(of: order), in: tx) }

  private static func id(of order: OrderID) -> String { "order-\(order)" }
}
