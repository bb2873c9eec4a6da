import Contracts
import Logging
import Persistence
import ServiceKit

/// The dependencies that the features of orders share: the stores of its tables, the other services, and the workflow
/// of orders.
struct OrdersCore: Sendable {
  let environment: ServiceEnvironment
  let settings: Settings
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let auth: APIClient
  let catalog: CatalogClient
  let carts: CartStore
  let orders: OrderStore
  let payments: PaymentStore
  let attempts: PaymentAttempts
  let offers: OfferStore
  let auctions: AuctionTransitions
  let providers: Providers
  let methods: PaymentMethodStore
  let agreedOrders: AgreedOrders
  let transitions: OrderTransitions
  let workflow: OrderWorkflow
  let view: OrderView

  init(_ environment: ServiceEnvironment) throws {
    let keys = environment.dataKeys
    (self.environment, settings, logger) = (environment, environment.settings, environment.logger)
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    auth = environment.client(of: AuthAPI.self)
    catalog = CatalogClient(catalog: environment.client(of: CatalogAPI.self))
    (carts, orders) = (CartStore(ids: ids), OrderStore(keys: keys))
    (payments, offers) = (PaymentStore(keys: keys), OfferStore(keys: keys))
    providers = try Providers(environment)
    (methods, attempts) = (PaymentMethodStore(keys: keys), PaymentAttempts(keys: keys))
    view = OrderView(orders: orders, payments: payments)
    let queue = OrderWorkflow.Queue(environment)
    agreedOrders = AgreedOrders(
      orders: orders, offers: offers, ids: ids,
      paySeconds: Double(try settings[OrdersSettings.auctionPayHours]) * 3600, queue: queue
    )
    auctions = AuctionTransitions(
      sales: agreedOrders, limits: try AuctionLimits(settings),
      buyNowSeconds: Double(try settings[OrdersSettings.payMinutes]) * 60)
    transitions = OrderTransitions(
      orders: orders, payments: payments, attempts: attempts, carts: carts, licenses: LicenseStore(ids: ids),
      postings: SalePostings(feeBasisPoints: try settings[OrdersSettings.feeBasisPoints]), auctions: auctions,
      cancellations: PaymentCancellations.Queue(environment), ids: ids
    )
    workflow = OrderWorkflow(
      database: database, orders: orders, payments: payments, catalog: catalog.catalog, providers: providers,
      transitions: transitions, queue: queue, time: time, logger: logger
    )
  }
}
