import CatalogService
import Contracts
import Foundation
import GatewayService
import OrdersService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService

/// All services in this process, with a manual clock.
struct OrdersHost: Sendable {
  let platform: Platform
  let folder: String
  let time: ManualTime
  var client: APIClient { platform.client() }

  static func run(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime = ManualTime(),
    usesSystemTime: Bool = false,
    _ body: @escaping @Sendable (OrdersHost) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      var settings = settings.merging(["data": folder, "log.level": "critical"]) { first, _ in first }
      if database == .postgresql {
        // A separate database, because the names of the services' schemas are fixed.
        let url = try TestDatabase.postgresURL()
        let name = "orders_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name)"])
        settings["database.url"] = url.replacing("/postgres", with: "/\(name)")
        settings["data.keys"] = dataKeys
      }
      let platform = try await ServiceHost.build(
        [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self],
        settings: Settings(settings),
        time: usesSystemTime ? .system : time.source
      )
      try await closing(platform) { try await body(OrdersHost(platform: platform, folder: folder, time: time)) }
    }
  }

  static let dataKeys = [
    "a:\(Data(repeating: 1, count: 32).base64EncodedString())",
    "lookup:\(Data(repeating: 2, count: 32).base64EncodedString())",
  ].joined(separator: ",")

  var orders: OrdersPlugin {
    get throws {
      guard let plugin = platform.plugin(OrdersPlugin.self) else { throw TestKitError("orders is not mounted") }
      return plugin
    }
  }

  /// Verifies URLs that the platform has signed.
  var urls: URLSigner { platform.urls }

  // MARK: users

  struct Person: Sendable {
    var id: UserID
    var client: APIClient
  }

  /// A user with a long-lived token. There is no account; orders does not need one.
  func person(_ roles: [Role] = [.user], id: UserID = IDGenerator().make()) async throws -> Person {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
    let isStaff = !Set(roles).isDisjoint(with: [.owner, .administrator, .support])
    let claims = AccessClaims(
      iss: Issuer.name,
      sub: id.rawValue,
      aud: ClientApp.web.rawValue,
      sid: IDGenerator().text(),
      scope: isStaff ? "account administration" : "account",
      roles: roles.map(\.rawValue),
      iat: time.source.now().unixSeconds - 60,
      exp: time.source.now().unixSeconds + 10 * 365 * 86_400,
      jti: IDGenerator().text()
    )
    return Person(id: id, client: client.with(accessToken: try await keys.sign(claims)))
  }

  func people(_ count: Int) async throws -> [Person] {
    var people: [Person] = []
    for _ in 0..<count { people.append(try await person()) }
    return people
  }

  /// Creates an account, for tests that read its display name.
  func account(_ name: String, _ displayName: String) async throws -> UserID {
    guard let auth = platform.plugin(AuthPlugin.self) else { throw TestKitError("auth is not mounted") }
    return try await auth.createAccount(
      email: EmailAddress(validating: "\(name)@example.com"),
      username: Username(validating: name),
      displayName: DisplayName(validating: displayName),
      password: Password(validating: "correct horse \(name)"),
      roles: [.user]
    )
  }

  /// The shop's owner.
  func owner() async throws -> Person { try await person([.owner]) }

  // MARK: fixtures

  func product(_ owner: Person, price: Int64 = 2499, stock: Int = 10, weight: Int = 0, currency: Currency = .usd)
    async throws -> Product
  {
    _ = try? await owner.client.send(
      CatalogAPI.CreateProductType(
        body: ProductType(slug: Slug(validating: "earrings"), name: ShortText(validating: "Earrings"))
      )
    )
    return try await owner.client.send(
      CatalogAPI.CreateProduct(
        type: Slug(validating: "earrings"), title: ShortText(validating: "Blue earrings"),
        price: Price(checked: Money(price, currency)), weightGrams: Grams(checked: weight),
        onHand: StockCount(checked: stock))
    )
  }

  func beat(_ seller: Person, exclusive: Int64? = 20_000, lease: Int64? = 2000) async throws -> Listing {
    var licenses: [LicenseOption] = []
    if let lease {
      licenses.append(
        LicenseOption(kind: .lease, price: Price(checked: Money(lease, .usd)), files: [.mp3], streams: 5000)
      )
    }
    if let exclusive {
      licenses.append(
        LicenseOption(kind: .exclusive, price: Price(checked: Money(exclusive, .usd)), files: [.mp3, .wav])
      )
    }
    return try await seller.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(validating: "Night drive"), tags: [Tag(validating: "lo-fi")],
        audio: MediaID(trusted: UUID().uuidString.lowercased()), licenses: licenses, acceptsOffers: true)
    )
  }

  static let address = PostalAddress(
    name: ShortText(checked: "Ada Lovelace"),
    street: ShortText(checked: "12 St James Square"),
    city: ShortText(checked: "London"),
    postalCode: ShortText(checked: "SW1Y 4JH"),
    region: Region(checked: "GB")
  )

  static func card(_ token: String = "test_success") -> PaymentChoice {
    PaymentChoice(provider: .test, token: ProviderToken(checked: token))
  }

  func add(_ product: Product, _ quantity: Int = 1, to buyer: Person) async throws {
    _ = try await buyer.client.send(
      OrdersAPI.AddCartItem(productID: product.id, quantity: Quantity(checked: quantity))
    )
  }

  func add(_ listing: Listing, _ license: LicenseKind, to buyer: Person) async throws {
    _ = try await buyer.client.send(OrdersAPI.AddCartItem(listingID: listing.id, license: license))
  }

  func checkOut(_ buyer: Person, _ token: String? = "test_success", key: String = UUID().uuidString) async throws
    -> Order
  {
    try await buyer.client.send(
      OrdersAPI.CheckOut(
        shippingAddress: Self.address, payment: token.map { Self.card($0) }),
      idempotencyKey: key
    )
  }

  func order(_ id: OrderID, _ person: Person) async throws -> Order {
    try await person.client.send(OrdersAPI.GetOrder(id: id))
  }

  func stock(_ product: Product, _ owner: Person) async throws -> StockLevel {
    try await owner.client.send(CatalogAPI.GetStock(id: product.id))
  }

  /// Runs the due jobs of orders and catalog once, because workers do not run.
  func runOnce() async throws {
    try await orders.runOnce()
    try await platform.plugin(CatalogPlugin.self)?.runOnce()
  }

  /// Whether the ledger is balanced.
  func ledgerBalances() async throws -> Bool { try await orders.ledgerDiscrepancies().isEmpty }
}

/// The code of the problem that a call fails with; `nil` on success.
func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch CallError.problem(let problem) {
    return problem.code
  } catch {
    return "\(error)"
  }
}
