import Contracts
import Logging
import Persistence
import ServiceKit

/// The dependencies that the features of orders share: the stores of its tables, the other services, and the workflow
/// of orders.
final class OrdersCore: Sendable {
  let environment: ServiceEnvironment
  let settings: Settings
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let dataKeys: DataKeys
  let switches: FeatureSwitches
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
  let creation: OrderCreation
  let offerTransitions: OfferTransitions
  let refunds: RefundTransitions
  let withdrawals: PaymentWithdrawals
  let cancellation: OrderCancellation
  let transitions: OrderTransitions
  let queue: OrderQueue
  let workflow: OrderWorkflow
  let view: OrderView

  init(_ environment: ServiceEnvironment) throws {
    (self.environment, settings, logger) = (environment, environment.settings, environment.logger)
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (dataKeys, switches) = (environment.dataKeys, environment.switches)
    auth = environment.client(of: AuthAPI.self)
    catalog = CatalogClient(catalog: environment.client(of: CatalogAPI.self))
    (carts, orders) = (CartStore(ids: ids), OrderStore(keys: dataKeys))
    (payments, offers) = (PaymentStore(keys: dataKeys), OfferStore(keys: dataKeys))
    providers = try Providers(environment)
    (methods, attempts) = (PaymentMethodStore(keys: dataKeys), PaymentAttempts(keys: dataKeys))
    view = OrderView(orders: orders, payments: payments)
    // From what is stored upwards: each of them names only what stands above.
    queue = OrderQueue(environment)
    creation = OrderCreation(orders: orders, queue: queue)
    offerTransitions = OfferTransitions(offers: offers)
    agreedOrders = AgreedOrders(
      creation: creation, offers: offerTransitions, ids: ids,
      paySeconds: Double(try settings[OrdersSettings.auctionPayHours]) * 3600)
    auctions = AuctionTransitions(
      sales: agreedOrders, limits: try AuctionLimits(settings),
      buyNowSeconds: Double(try settings[OrdersSettings.payMinutes]) * 60, ids: ids)
    let postings = SalePostings(feeBasisPoints: try settings[OrdersSettings.feeBasisPoints])
    refunds = RefundTransitions(orders: orders, payments: payments, postings: postings, ids: ids)
    withdrawals = PaymentWithdrawals(payments: payments, cancellations: PaymentCancellations.Queue(environment))
    cancellation = OrderCancellation(
      orders: orders, withdrawals: withdrawals, refunds: refunds, auctions: auctions, queue: queue)
    transitions = OrderTransitions(
      orders: orders, carts: carts, attempts: attempts, payments: payments, withdrawals: withdrawals,
      licenses: LicenseTransitions(ids: ids), postings: postings, auctions: auctions, refunds: refunds,
      cancellation: cancellation)
    workflow = OrderWorkflow(
      database: database, orders: orders, payments: payments, catalog: catalog.catalog, providers: providers,
      transitions: transitions, cancellation: cancellation, refunds: refunds, queue: queue, time: time, logger: logger)
  }
}
