import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Lets Stripe forget what is deleted here: cards, unfinished setups and the customers of deleted accounts.
struct StripeCleanup: Worker {
  enum Work: Codable, Sendable {
    case detach(ProviderToken)
    /// A card that was attached to a customer for a plan, unless it is kept, or pays for one.
    case release(ProviderToken, customer: String, SubscriptionID)
    case cancelSetup(String)
    /// The response with the setup's id has not been stored: the request is repeated, which returns it.
    case abandonSetup(PaymentMethodID, ProviderToken?, UserID)
    case deleteCustomer(String)
  }

  private let jobs: DurableJobs<Work>

  private static let kind = "stripe-cleanup"
  private static let daySeconds = 86_400.0
  /// How long a card that was declined for a plan may be tried again, in seconds.
  fileprivate static let releaseSeconds = 3600.0

  init(_ core: OrdersCore) throws {
    let (methods, customers) = (core.providers.stripeMethods, core.providers.stripeCustomers)
    let (database, kept, plans) = (core.database, core.methods, core.providers.stripeSubscriptions)
    let store = SubscriptionStore(keys: core.environment.dataKeys)
    // The longest wait is for the end of a plan.
    jobs = try DurableJobs(Self.kind, core.environment, attempts: 10_000) { work, _ in
      guard let methods, let customers else { return .drop(reason: "Stripe is no longer configured") }
      switch work {
      case .detach(let token): try await methods.detach(token)
      case .release(let token, let customer, let plan):
        let (isOpen, isKept) = try await database.read { db in
          (try store.find(plan, in: db)?.method != nil, try kept.exists(token, in: db))
        }
        if isOpen { return .retry(afterSeconds: Self.releaseSeconds) }
        guard let plans, !isKept, try await !plans.isCharged(token, of: customer) else { return .done }
        try await methods.detach(token)
      case .cancelSetup(let id): try await methods.cancel(id)
      case .abandonSetup(let id, let token, let user):
        if let setup = try await methods.setUp(id, token, of: user).reference { try await methods.cancel(setup) }
      case .deleteCustomer(let id):
        // Stripe ends the customer's subscriptions, of which others may have seats until the end of the paid period.
        if try await database.read({ db in try SubscriptionStore.isLiving(of: id, in: db) }) {
          return .retry(afterSeconds: Self.daySeconds)
        }
        do { try await customers.delete(id) } catch is StripeClient.Refusal {
          return .drop(reason: "Stripe has no such customer")
        }
      }
      return .done
    }
  }

  /// Forgets a method that is deleted.
  func forget(_ method: StoredMethod, _ token: ProviderToken?, in tx: Transaction) throws {
    switch method.state {
    case .ready: if let token { try jobs.add(.detach(token), in: tx) }
    case .pending, .requiresAction, .failed:
      if let setup = method.setup { return try forget(setup: setup, in: tx) }
      guard method.state == .pending else { return }
      try jobs.add(.abandonSetup(method.id, token, method.userID), person: method.userID, in: tx)
    }
  }

  func forget(setup: String, in tx: Transaction) throws { try jobs.add(.cancelSetup(setup), in: tx) }

  /// Forgets the customer of an account that is deleted.
  func forget(_ user: UserID, in tx: Transaction) throws {
    guard let customer = try StripeCustomerStore.find(user, in: tx) else { return }
    try StripeCustomerStore.delete(of: user, in: tx)
    try jobs.add(.deleteCustomer(customer), in: tx)
  }

  /// For code that adds jobs but does not run them.
  struct Queue: Sendable {
    private let jobs: PendingJobs<Work>
    private let keys: DataKeys

    init(_ environment: ServiceEnvironment) {
      (jobs, keys) = (PendingJobs(StripeCleanup.kind, environment), environment.dataKeys)
    }

    /// Detaches a card later, unless it is kept, or pays for a plan then.
    func release(_ token: ProviderToken, of customer: String, for plan: SubscriptionID, in tx: Transaction) throws {
      try jobs.add(
        .release(token, customer: customer, plan), id: "release-\(keys.lookup(token.rawValue, for: "release"))",
        dueAt: tx.now.advanced(bySeconds: StripeCleanup.releaseSeconds), in: tx)
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
