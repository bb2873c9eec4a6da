import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Cancels the Stripe subscriptions of deleted accounts, so that they are no longer charged.
struct SubscriptionCancellations: Worker {
  private struct Work: Codable, Sendable { var reference: String }

  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, stripe: StripeSubscriptions?) throws {
    let time = environment.time
    jobs = try DurableJobs("subscription-end", environment) { work, _ in
      guard let stripe else { return .drop(reason: "Stripe is no longer configured") }
      do { _ = try await stripe.end(work.reference, at: time.now()) } catch is StripeClient.Refusal {
        return .drop(reason: "Stripe has no such subscription")
      }
      return .done
    }
  }

  func end(of user: UserID, in tx: Transaction) throws {
    for reference in try SubscriptionStore.renewing(.stripe, of: user, in: tx) {
      try jobs.add(Work(reference: reference), in: tx)
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }

  /// Runs the jobs that are due, where no workers run.
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
