import Contracts
import CurlClient
import Foundation
import HTTPTypes
import Persistence
import ServiceKit
import Synchronization
import TestKit

@testable import AuthService
@testable import OrdersService

/// The shop as processes, with a proxy on every way that a step's request may take, Stripe's stand-in, and purchases
/// that Apple has signed.
struct KillShop: Sendable {
  let services: ServiceProcesses
  let proxies: [KillStep.Way: ForwardingProxy]
  let stripe: StripeStandIn
  let apple: AppleStore
  let orders: any Database
  let catalog: any Database
  let goods: Goods
  let owner: TestUser
  let http: CurlClient
  /// The gateway.
  let url: String
  private let keys: SigningKeys

  /// The goods for sale: two products and a license.
  struct Goods: Sendable {
    static let stock = 10_000
    var products: [Product]
    var beat: Listing

    var initial: [String: Int64] {
      Dictionary(products.map { ($0.id.rawValue, Int64(Self.stock)) }) { first, _ in first }
    }
  }

  // MARK: running

  static func run(_ kind: TestDatabase, _ body: (KillShop) async throws -> Void) async throws {
    let stripe = try await StripeStandIn.run(time: nil)
    let apple = try AppleStore()
    let proxies: [KillStep.Way: ForwardingProxy] = [
      .ordersToCatalog: try ForwardingProxy(), .gatewayToOrders: try ForwardingProxy(),
      .ordersToStripe: try ForwardingProxy(to: stripe.url),
    ]
    func proxyURL(_ way: KillStep.Way) -> String { proxies[way]?.url ?? "" }
    try await TemporaryFolder.run { folder async throws in
      let root = "\(folder)/root.pem"
      try apple.signer.pem().write(toFile: root, atomically: true, encoding: .utf8)
      try await kind.withSettings { stored async throws in
        let settings = stripe.settings.merging(stored) { $1 }.merging([
          "storekit.bundleId": AppleStore.bundle, "storekit.rootFile": root, "storekit.sandbox": "true",
          "limits.read": "0/1", "limits.write": "0/1", "database.connections": "4",
        ]) { $1 }
        let environment = Dictionary(
          settings.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
        ) { first, _ in first }
        let own = [
          "orders": [
            ServiceHost.environmentVariable(of: "services.catalog.url"): proxyURL(.ordersToCatalog),
            ServiceHost.environmentVariable(of: "stripe.url"): proxyURL(.ordersToStripe),
          ],
          "gateway": [ServiceHost.environmentVariable(of: "services.orders.url"): proxyURL(.gatewayToOrders)],
        ]
        try await ServiceProcesses.run(["auth", "catalog", "orders"], folder: folder, settings: environment, own: own) {
          services async throws in
          proxies[.ordersToCatalog]?.forward(to: try services.address(of: "catalog"))
          proxies[.gatewayToOrders]?.forward(to: try services.address(of: "orders"))
          func open(_ name: String) throws -> any Database {
            guard let url = stored["database.url"] else { return try SQLiteDatabase(path: "\(folder)/\(name).sqlite") }
            return try PostgresDatabase(url: url, schema: name, connections: 2)
          }
          let (orders, catalog) = (try open("orders"), try open("catalog"))
          try await attempt {
            try await CurlClient.running { http in
              let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
              let url = await services.url
              let client = APIClient(transport: CurlTransport(client: http, origin: url))
              let owner = try await person([.owner], client, keys)
              let goods = try await stockUp(owner, seller: try await person([.user], client, keys))
              try await body(
                KillShop(
                  services: services, proxies: proxies, stripe: stripe, apple: apple, orders: orders, catalog: catalog,
                  goods: goods, owner: owner, http: http, url: url, keys: keys))
            }
          } finally: {
            await orders.close()
            await catalog.close()
          }
        }
      }
    }
    stripe.kill()
  }

  private static func stockUp(_ owner: TestUser, seller: TestUser) async throws -> Goods {
    let type = ProductType(slug: Slug(checked: "things"), name: ShortText(checked: "Things"))
    _ = try await owner.insist(CatalogAPI.CreateProductType(body: type))
    var products: [Product] = []
    for (name, price) in [("Thing", Int64(1999)), ("Other thing", 499)] {
      products.append(
        try await owner.insist(
          CatalogAPI.CreateProduct(
            type: type.slug, title: ShortText(checked: name), price: Price(checked: Money(price, .usd)),
            isShipped: false, onHand: StockCount(checked: Goods.stock))))
    }
    let lease = LicenseOption(kind: .lease, price: Price(checked: Money(2000, .usd)), files: [.mp3], streams: 5000)
    let beat = try await seller.insist(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(checked: "Night drive"), tags: [Tag(checked: "lo-fi")],
        audio: MediaID(trusted: UUID().uuidString.lowercased()), licenses: [lease]))
    return Goods(products: products, beat: beat)
  }

  private static func person(_ roles: [Role], _ client: APIClient, _ keys: SigningKeys) async throws -> TestUser {
    let (id, now): (UserID, Int64) = (IDGenerator().make(), TimeSource.system.now().unixSeconds)
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: IDGenerator().text(),
      scope: ClientApp.web.scopeClaim(isStaff: roles == [.owner]), roles: roles.map(\.rawValue), iat: now,
      exp: now + 3600, jti: IDGenerator().text())
    return TestUser(id: id, token: try await keys.sign(claims), client: client)
  }

  func buyer() async throws -> TestUser { try await Self.person([.user], owner.client, keys) }

  // MARK: what buyers, staff and providers do

  /// Insists like an app that keeps its idempotency key.
  func insist<E: Endpoint>(_ request: E, _ person: TestUser, key: String? = nil) async throws -> E.Response {
    try await person.insist(request, key: key) { $0.is(.requestInProgress) || $0.is(.checkoutInProgress) }
  }

  /// - Parameter goods: Without them, only the license: Apple does not sell goods.
  func fillCart(_ buyer: TestUser, goods withGoods: Bool = true) async throws {
    for (product, quantity) in zip(withGoods ? goods.products : [], [2, 1]) {
      _ = try await insist(
        OrdersAPI.AddCartItem(productID: product.id, quantity: Quantity(checked: quantity)), buyer,
        key: UUID().uuidString)
    }
    _ = try await insist(
      OrdersAPI.AddCartItem(listingID: goods.beat.id, license: .lease), buyer, key: UUID().uuidString)
  }

  /// - Parameter card: Without one, the app completes the payment at Stripe.
  func checkOut(_ buyer: TestUser, card: String?) async throws -> Order {
    let payment = PaymentChoice(provider: .stripe, token: card.map { ProviderToken(checked: $0) })
    return try await insist(OrdersAPI.CheckOut(payment: payment), buyer, key: UUID().uuidString)
  }

  func pendingForApple(_ buyer: TestUser) async throws -> Order {
    try await fillCart(buyer, goods: false)
    return try await insist(OrdersAPI.CheckOut(), buyer, key: UUID().uuidString)
  }

  func submit(_ order: Order, _ buyer: TestUser) async throws {
    let signed = SignedText(checked: try apple.purchase(of: order))
    _ = try await insist(OrdersAPI.SubmitTransaction(signedTransaction: signed, orderID: order.id), buyer)
  }

  /// The buyer completes the payment in the app.
  func confirmAtStripe(_ order: Order) async throws {
    let payment = order.payment?.id.rawValue
    let intents = try await stripe.get("/v1/payment_intents?limit=100")["data"]?.elements ?? []
    guard let intent = intents.first(where: { $0["metadata"]?["payment"]?.string == payment })?["id"]?.string else {
      throw TestKitError("Stripe does not know the payment of \(order.id)")
    }
    try await stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
  }

  /// Delivers Stripe's events about an order until they are accepted, or all events there have been.
  func deliverStripe(about order: Order? = nil) async throws {
    for event in try await events(order.map { _ in 100 }).reversed() {
      let named = event["data"]?["object"]?["metadata"]?["payment"]?.string
      if let order, named != order.payment?.id.rawValue { continue }
      let body = String(decoding: try WireJSON.encode(event), as: UTF8.self)
      try await deliver(body, to: "stripe") {
        StripeShop.signature(of: body, at: TimeSource.system.now().unixSeconds, secret: "whsec_test")
      }
    }
  }

  /// - Parameter limit: The number of the newest events; without it, all.
  private func events(_ limit: Int?) async throws -> [JSONValue] {
    guard let limit else { return try await stripe.list("/v1/events") }
    return try await stripe.get("/v1/events?limit=\(limit)")["data"]?.elements ?? []
  }

  func deliverRefundByApple(of order: Order) async throws {
    try await deliver(try apple.refund(of: order), to: "storekit") { nil }
  }

  private func deliver(_ body: String, to provider: String, signature: () -> String?) async throws {
    try await eventually("a notification of \(provider) is accepted") {
      var headers: HTTPFields = [.contentType: "application/json"]
      if let signature = signature(), let name = HTTPField.Name("Stripe-Signature") { headers[name] = signature }
      let request = ClientRequest(
        .post, origin: url, target: "/v1/payments/webhooks/\(provider)", headers: headers,
        body: .bytes(Array(body.utf8)))
      guard let status = try? await http.execute(request).status else { return false }
      if (400..<500).contains(status), status != 429 { throw TestKitError("\(provider)'s notification got \(status)") }
      return status == 200
    }
  }

  // MARK: the end

  private static let unfinished: SQL = """
    SELECT 1 FROM orders
    WHERE status = 'pendingPayment' OR stock IN ('reserving', 'held', 'releasing', 'reducing')
      OR EXISTS (SELECT 1 FROM refunds WHERE status = 'pending') OR EXISTS (SELECT 1 FROM jobs WHERE kind = 'payment-cancel')
    """

  /// Waits until the jobs have finished what the services left when they were killed.
  func settle() async throws { try await orders.settle(unfinished: Self.unfinished) }

  func books() async throws -> KillBooks {
    var provider = try await ProviderBooks.of(stripe)
    provider.charges += apple.books.charges
    provider.returns += apple.books.returns
    return try await KillBooks(orders: orders, catalog: catalog, provider: provider)
  }
}
