import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Sets up saved payment methods with Stripe: when they are added, when Stripe reports a change, and when the user asks.
struct PaymentMethodSetups: Worker {
  private struct Work: Codable, Sendable { var method: PaymentMethodID }

  private let core: OrdersCore
  private let cleanup: StripeCleanup
  private let jobs: DurableJobs<Work>

  init(_ core: OrdersCore, cleanup: StripeCleanup) throws {
    self.core = core
    self.cleanup = cleanup
    jobs = try DurableJobs("payment-method", core.environment) { work, _ in
      try await Self.advance(work.method, core, cleanup) ? .done : .retry()
    }
  }

  /// How long a request may take before the job takes over, in seconds. Stripe refuses two at once.
  static let handOverSeconds = 10.0

  /// Schedules the job of a method; call it in the transaction that leaves work to do.
  func schedule(_ method: StoredMethod, afterSeconds seconds: Double = 0, in tx: Transaction) throws {
    try jobs.add(
      Work(method: method.id), id: "payment-method-\(method.id)", person: method.userID,
      dueAt: tx.now.advanced(bySeconds: seconds), in: tx)
  }

  /// Asks Stripe for the state of a method that is not set up yet, and stores it.
  func advance(_ id: PaymentMethodID) async throws {
    _ = try await Self.advance(id, core, cleanup)
  }

  /// - Returns: Whether Stripe has nothing left to do.
  private static func advance(
    _ id: PaymentMethodID, _ core: OrdersCore, _ cleanup: StripeCleanup
  ) async throws -> Bool {
    guard let stripe = core.providers.stripeMethods,
      let method = try await core.database.read({ db in try core.methods.find(id, in: db) }), method.isOpen
    else { return true }
    let known =
      if let setup = method.setup { try await stripe.find(setup) } else {
        try await stripe.setUp(id, core.methods.token(of: method), of: method.userID)
      }
    return try await core.database.write { tx in
      guard let now = try core.methods.find(id, in: tx) else {
        // Deleted meanwhile; Stripe may only now have what has to be forgotten.
        if let setup = known.reference { try cleanup.forget(setup: setup, in: tx) }
        return true
      }
      if now.isOpen { try core.methods.update(id, to: known, in: tx) }
      return known.state != .pending
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
