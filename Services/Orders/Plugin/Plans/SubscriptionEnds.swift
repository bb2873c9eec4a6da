import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Ends the subscriptions of accounts that are deleted at Stripe too, so that nobody pays for what nobody has.
struct SubscriptionEnds: Service {
  private struct Work: Codable, Sendable { var reference: String }

  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, stripe: StripeSubscriptions?) throws {
    let time = environment.time
    jobs = try DurableJobs("subscription-end", environment) { work, _ in
      guard let stripe else { return .drop(reason: "Stripe is not set up any more") }
      do { _ = try await stripe.end(work.reference, at: time.now()) } catch is StripeClient.Refusal {
        return .drop(reason: "Stripe knows no such subscription")
      }
      return .done
    }
  }

  func end(of user: UserID, in tx: Transaction) throws {
    let references = try tx.all(
      """
      SELECT reference FROM subscriptions
      WHERE user_id = \(user) AND provider = \(PaymentProviderName.stripe.rawValue) AND renews = 1
      """
    ) { row -> String in try row[0] }
    for reference in references { try jobs.add(Work(reference: reference), in: tx) }
  }

  func run() async throws { try await jobs.run() }

  /// Does what is due at once, where workers do not run.
  func round() async throws -> Int { try await jobs.round() }
}
