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
      PushRequested.self, GroupPushRequested.self, RealtimeEvent.self, TopicEvent.self,
    ],
    topics: ["auction"],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, GuestSignedIn.self]),
      .init(from: CatalogAPI.self, [ListingRemoved.self]),
      .init(from: MatchingAPI.self, [BlockChanged.self]),
    ],
    optionalDependencies: [MatchingAPI.self, MediaAPI.self],
    migrations: OrdersMigrations.all,
    sealedColumns: OrdersMigrations.sealedColumns,
    settings: OrdersSettings.all + Mailer.settings
  )

  let core: OrdersCore
  private let ledger: LedgerReconciliation
  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try OrdersCore(environment)
    let plans = try Plans(core)
    let storeKit = try StoreKit(core, plans: plans)
    let methods = try PaymentMethods(core)
    let endingSoon = try EndingSoon(core)
    (self.core, ledger) = (core, try LedgerReconciliation(core))
    features = [
      // Webhooks come before the check of callers: they are signed, and contain many numbers.
      Webhooks(core, storeKit: storeKit, plans: plans, methods: methods), PayoutAccounts(core),
      CallerCheck(admitsGuests: true), Carts(core), GuestCarts(core),
      CallerCheck(admitsGuests: false), Orders(core), Fulfillment(core), PricingRulesEditor(core), try Checkout(core),
      try OrderProcessing(core), Receipts(core), Refunds(core), try PayOrder(core), RefreshPayment(core),
      AgreedPrices(core), storeKit, methods, PaymentSettingsEditor(core), Balances(core), Sales(core),
      try Payouts(core), try Auctions(core, endingSoon: endingSoon), endingSoon, Strikes(core),
      Offers(core), Blocks.feature(core), Licenses(core), plans, try Subscribing(core, plans),
      try PlanFeatureReports(core, plans.transitions),
      try PlanMembers(core, plans.transitions), try PlanInvitations(core, plans.transitions), ledger,
    ]
  }

  /// Proves the open period of the ledger, and closes it as far as it is full.
  /// - Returns: The number of discrepancies, with those that the last full proof found.
  package func checkLedger() async throws -> Int { try await ledger.check() }

  /// The discrepancies in the ledger.
  package func ledgerDiscrepancies() async throws -> [String] {
    try await LedgerReconciliation.discrepancies(in: core.database)
  }
}

/// Refuses card numbers in the endpoints that are registered after it, and guests unless they may use them.
private struct CallerCheck: Feature {
  let admitsGuests: Bool

  func register(in routes: inout Routes) {
    routes.guardEach { [admitsGuests] call throws(Problem) in
      if !admitsGuests, case .user(let user) = call.caller, user.roles.contains(.guest) {
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
