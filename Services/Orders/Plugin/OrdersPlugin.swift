public import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

/// The orders service: carts, orders, payments, auctions, offers, licenses and plans.
public struct OrdersPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: OrdersAPI.name,
    api: OrdersAPI.self,
    calls: [AuthAPI.self, CatalogAPI.self],
    emits: [ListingSaleChanged.self, EntitlementChanged.self, RealtimeEvent.self],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self]),
      .init(from: CatalogAPI.self, [ListingRemoved.self]),
    ],
    migrations: OrdersMigrations.all,
    sealedColumns: OrdersMigrations.sealedColumns,
    settings: OrdersSettings.all
  )

  private let carts: Carts
  private let rules: PricingRulesStore
  private let checkout: Checkout
  private let orders: Orders
  private let receipts: Receipts
  private let refunds: Refunds
  private let payOrder: PayOrder
  private let webhooks: Webhooks
  private let storeKit: StoreKit
  private let methods: PaymentMethods
  private let balances: Balances
  private let auctions: Auctions
  private let offers: Offers
  private let licences: Licences
  private let plans: Plans
  private let subscriptionEnds: SubscriptionEnds
  let privacy: OrdersPrivacy
  let settlement: Settlement
  let database: any Database
  let shelf: Shelf
  public let workers: [any Service]

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let database = try environment.database
    let (ids, time, keys) = (environment.ids, environment.time, environment.dataKeys)
    let catalog = environment.client(of: CatalogAPI.self)
    let shelf = Shelf(catalog: catalog)
    let cartStore = CartStore(ids: ids)
    let orderStore = OrderStore(keys: keys)
    let payments = PaymentStore(keys: keys)
    let offerStore = OfferStore(keys: keys)
    let providers = try Providers(environment)
    let methods = PaymentMethods(database: database, keys: keys, ids: ids, providers: providers)
    let view = OrderView(orders: orderStore, payments: payments)
    let orderJobs = OrderJobs(environment)
    let sales = AuctionSales(
      orders: orderStore,
      offers: offerStore,
      ids: ids,
      paySeconds: Double(try settings[OrdersSettings.auctionPayHours]) * 3600,
      jobs: orderJobs
    )
    let auctionStore = AuctionStore(sales: sales)
    let steps = OrderSteps(
      orders: orderStore,
      payments: payments,
      carts: cartStore,
      licences: LicenceStore(ids: ids),
      books: SaleBooks(feeBasisPoints: try settings[OrdersSettings.feeBasisPoints]),
      auctions: auctionStore,
      ids: ids
    )
    let engine = Engine(
      database: database,
      orders: orderStore,
      payments: payments,
      catalog: catalog,
      providers: providers,
      steps: steps,
      time: time,
      logger: environment.logger
    )
    let settlement = try Settlement(environment, engine: engine, pending: orderJobs)
    let plans = Plans(
      database: database,
      settings: try settings[OrdersSettings.plans],
      stripe: providers.stripeSubscriptions,
      methods: methods,
      ids: ids,
      time: time,
      logger: environment.logger
    )
    let storeKit = StoreKit(
      database: database,
      orders: orderStore,
      payments: payments,
      verifier: providers.storeKit,
      bundle: try settings[OrdersSettings.storeKitBundle],
      appID: try settings[OrdersSettings.storeKitAppID],
      isProduction: try settings[OrdersSettings.isProduction],
      steps: steps,
      settlement: settlement,
      plans: plans,
      view: view,
      ids: ids
    )
    let prices = CartPrices(shelf: shelf)
    let auctions = try Auctions(environment, store: auctionStore, shelf: shelf, view: view)
    let erasures = try Erasures(environment)
    let subscriptionEnds = try SubscriptionEnds(environment, stripe: providers.stripeSubscriptions)
    self.subscriptionEnds = subscriptionEnds

    self.database = database
    self.shelf = shelf
    self.settlement = settlement
    self.methods = methods
    self.plans = plans
    self.storeKit = storeKit
    self.auctions = auctions
    carts = Carts(database: database, store: cartStore, shelf: shelf, prices: prices, ids: ids, time: time)
    rules = PricingRulesStore(database: database)
    checkout = Checkout(
      database: database,
      carts: cartStore,
      prices: prices,
      orders: orderStore,
      payments: payments,
      methods: methods,
      providers: providers,
      settlement: settlement,
      view: view,
      ids: ids,
      time: time,
      paySeconds: Double(try settings[OrdersSettings.payMinutes]) * 60
    )
    orders = Orders(database: database, store: orderStore, view: view, steps: steps, settlement: settlement)
    receipts = Receipts(database: database, view: view, auth: environment.client(of: AuthAPI.self))
    refunds = Refunds(database: database, orders: orderStore, payments: payments, settlement: settlement, ids: ids)
    payOrder = PayOrder(
      database: database,
      orders: orderStore,
      payments: payments,
      methods: methods,
      providers: providers,
      settlement: settlement,
      view: view,
      ids: ids
    )
    webhooks = Webhooks(
      database: database,
      payments: payments,
      providers: providers,
      steps: steps,
      settlement: settlement,
      storeKit: storeKit,
      plans: plans
    )
    balances = Balances(database: database, ids: ids)
    offers = Offers(database: database, store: offerStore, sales: sales, shelf: shelf, ids: ids, time: time)
    licences = Licences(database: database, time: time, signer: environment.urls)
    privacy = OrdersPrivacy(
      database: database,
      view: view,
      steps: steps,
      settlement: settlement,
      subscriptions: subscriptionEnds,
      offers: offerStore,
      erasures: erasures,
      time: time
    )
    workers = [settlement, auctions, plans, subscriptionEnds, erasures, try LedgerCheck(environment)]
  }

  public func register(in routes: inout Routes) {
    // Webhooks come before the check for card numbers: they are verified, and contain many numbers.
    webhooks.register(in: &routes)
    routes.checking { call throws(Problem) in
      if case .user(let user) = call.caller, user.roles.contains(.guest) {
        throw Problem(.forbidden, detail: "Guests must sign up before they buy or sell.")
      }
      try call.refuseCardNumbers()
    }
    carts.register(in: &routes)
    rules.register(in: &routes)
    checkout.register(in: &routes)
    orders.register(in: &routes)
    receipts.register(in: &routes)
    refunds.register(in: &routes)
    payOrder.register(in: &routes)
    storeKit.register(in: &routes)
    methods.register(in: &routes)
    balances.register(in: &routes)
    auctions.register(in: &routes)
    offers.register(in: &routes)
    licences.register(in: &routes)
    plans.register(in: &routes)
    routes.on(UserDeleted.self) { [privacy] event, tx in try privacy.forget(event.userID, in: tx) }
    routes.on(ListingRemoved.self) { event, tx in try Claims.listingRemoved(event.listingID, in: tx) }
  }

  public func personalData(of user: UserID) async throws -> JSONValue { try await privacy.personalData(of: user) }

  /// Processes orders that are due, closes auctions and ends plans, where no workers run.
  package func round() async throws {
    _ = try await settlement.round()
    _ = try await auctions.round()
    try await plans.round()
    _ = try await subscriptionEnds.round()
  }

  /// The discrepancies in the ledger.
  package func ledgerComplaints() async throws -> [String] { try await LedgerCheck.complaints(in: database) }
}
