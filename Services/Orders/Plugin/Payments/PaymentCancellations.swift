import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Cancels payments at their provider that must no longer succeed: those of orders that have ended, and those that
/// another payment has replaced. What succeeds in spite of it is refunded as surplus.
struct PaymentCancellations: Worker {
  /// The jobs, for those who only add them.
  struct Queue: Sendable {
    fileprivate struct Work: Codable, Sendable { var payment: PaymentID }

    fileprivate static let kind = "payment-cancel"

    private let jobs: PendingJobs<Work>

    init(_ environment: ServiceEnvironment) { jobs = PendingJobs(Self.kind, environment) }

    /// Schedules the cancellation of a payment that the provider knows and may still complete.
    func schedule(_ payment: StoredPayment, in tx: Transaction) throws {
      guard payment.provider != .storekit, payment.status != .succeeded, payment.reference != nil else { return }
      try jobs.add(Work(payment: payment.id), id: "\(Self.kind)-\(payment.id)", in: tx)
    }
  }

  private let jobs: DurableJobs<Queue.Work>

  init(_ core: OrdersCore) throws {
    jobs = try DurableJobs(Queue.kind, core.environment, concurrency: 8) { work, _ in
      let found = try await core.database.read { db in try core.payments.find(work.payment, in: db) }
      guard let payment = found, let reference = payment.reference, payment.status != .succeeded else { return .done }
      guard let provider = try? core.providers[payment.provider] else {
        return .drop(reason: "the payment provider is no longer configured")
      }
      let outcome = try await provider.cancel(reference)
      switch outcome {
      case .declined: return .done
      case .pending, .requiresAction: return .retry()
      case .succeeded:
        try await core.database.write { tx in
          try core.transitions.paid(payment, outcome, in: tx)
          try core.queue.schedule(payment.orderID, in: tx)
        }
        try await core.workflow.advance(payment.orderID)
        return .done
      }
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
