import Contracts
public import ServiceKit
import ServiceLifecycle

/// The orders service: carts, orders, payments, auctions, offers, licenses and plans.
public struct OrdersPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: OrdersAPI.name,
    api: OrdersAPI.self,
    calls: [AuthAPI.self, CatalogAPI.self, MatchingAPI.self, MediaAPI.self],
    emits: [
      ListingSaleChanged.self, EntitlementChanged.self, OfferChanged.self, MediaReferencesChanged.self,
      RealtimeEvent.self, TopicEvent.self,
    ],
    topics: ["auction"],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self]),
      .init(from: CatalogAPI.self, [ListingRemoved.self]),
      .init(from: MatchingAPI.self, [BlockChanged.self]),
    ],
    optionalDependencies: [MatchingAPI.self, MediaAPI.self],
    migrations: OrdersMigrations.all,
    sealedColumns: OrdersMigrations.sealedColumns,
    settings: OrdersSettings.all
  )

  let core: OrdersCore
  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try OrdersCore(environment)
    let plans = try Plans(core)
    let storeKit = try StoreKit(core, plans: plans)
    self.core = core
    features = [
      // Webhooks come before the check of callers: they are signed, and contain many numbers.
      Webhooks(core, storeKit: storeKit, plans: plans), CallerCheck(),
      Orders(core), Carts(core), PricingRulesEditor(core), try Checkout(core), try OrderProcessing(core),
      Receipts(core), Refunds(core), PayOrder(core), storeKit, PaymentMethods(core), Balances(core), try Auctions(core),
      Offers(core), Blocks.feature, Licenses(core), plans, LedgerReconciliation(core),
    ]
  }

  /// The discrepancies in the ledger.
  package func ledgerDiscrepancies() async throws -> [String] {
    try await LedgerReconciliation.discrepancies(in: core.database)
  }
}

/// Refuses guests and card numbers in the endpoints that are registered after it.
private struct CallerCheck: Feature {
  func register(in routes: inout Routes) {
    routes.guardEach { call throws(Problem) in
      if case .user(let user) = call.caller, user.roles.contains(.guest) {
        throw Problem(.forbidden, detail: "Guests must sign up before they buy or sell.")
      }
      try call.refuseCardNumbers()
    }
  }
}

/// Continues with the orders that requests have left behind.
private struct OrderProcessing: Feature {
  let worker: any Worker

  init(_ core: OrdersCore) throws { worker = try core.workflow.worker(core.environment) }

  var workers: [any Service] { [worker] }
}
