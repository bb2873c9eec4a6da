import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Sets up saved payment methods with Stripe: when they are added, when Stripe reports a change, and when the user asks.
struct PaymentMethodSetups: Worker {
  private struct Work: Codable, Sendable { var method: PaymentMethodID }

  private let database: any Database
  private let store: PaymentMethodStore
  private let stripe: StripeMethods?
  private let cleanup: StripeCleanup
  private let jobs: DurableJobs<Work>

  init(_ core: OrdersCore, cleanup: StripeCleanup) throws {
    (database, store, stripe) = (core.database, core.methods, core.providers.stripeMethods)
    self.cleanup = cleanup
    jobs = try DurableJobs("payment-method", core.environment) { [database, store, stripe, cleanup] work, _ in
      try await Self.advance(work.method, database, store, stripe, cleanup) ? .done : .retry()
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
    _ = try await Self.advance(id, database, store, stripe, cleanup)
  }

  /// - Returns: Whether Stripe has nothing left to do.
  private static func advance(
    _ id: PaymentMethodID, _ database: any Database, _ store: PaymentMethodStore, _ stripe: StripeMethods?,
    _ cleanup: StripeCleanup
  ) async throws -> Bool {
    guard let stripe, let method = try await database.read({ db in try store.find(id, in: db) }), method.isOpen else {
      return true
    }
    let known =
      if let setup = method.setup { try await stripe.find(setup) } else {
        try await stripe.setUp(id, store.token(of: method), of: method.userID)
      }
    return try await database.write { tx in
      guard let now = try store.find(id, in: tx) else {
        // Deleted meanwhile; Stripe may only now have what has to be forgotten.
        if let setup = known.reference { try cleanup.forget(setup: setup, in: tx) }
        return true
      }
      if now.isOpen { try store.update(id, to: known, in: tx) }
      return known.state != .pending
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
