import CatalogService
import Contracts
import Foundation
import GatewayService
import OrdersService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService

/// All services in this process.
extension TestPlatform {
  /// Payments that move no money are enabled by settings.
  static let testPayments = [
    "payments.test": "true", "payments.testSecret": "test-webhook-secret", "storekit.sandbox": "true",
  ]

  static let shop: [any ServicePlugin.Type] = [
    GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self,
  ]

  static func orders(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime? = ManualTime(),
    _ body: (TestPlatform) async throws -> Void
  ) async throws {
    try await run(
      shop,
      settings: testPayments.merging(settings) { $1 },
      database: database,
      time: time,
      body
    )
  }

  var orders: OrdersPlugin { get throws { try plugin(OrdersPlugin.self) } }

  /// Verifies a URL as media-index does.
  func isLicensed(_ url: String, at now: Timestamp) async throws -> Bool {
    try await platform.serviceURLs(of: MediaAPI.self).isValid(url, by: OrdersAPI.self, at: now)
  }

  // MARK: users

  /// A user with a long-lived token. There is no account; orders does not need one.
  func person(_ roles: [Role] = [.user], id: UserID = IDGenerator().make()) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
    let isStaff = !Set(roles).isDisjoint(with: [.owner, .administrator, .support])
    let claims = AccessClaims(
      iss: Issuer.name,
      sub: id.rawValue,
      aud: ClientApp.web.rawValue,
      sid: IDGenerator().text(),
      scope: ClientApp.web.scopeClaim(isStaff: isStaff),
      roles: roles.map(\.rawValue),
      iat: time.source.now().unixSeconds - 60,
      exp: time.source.now().unixSeconds + 10 * 365 * 86_400,
      jti: IDGenerator().text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: client)
  }

  func people(_ count: Int) async throws -> [TestUser] {
    var people: [TestUser] = []
    for _ in 0..<count { people.append(try await person()) }
    return people
  }

  /// Creates an account, for tests that read its display name.
  func account(_ name: String, _ displayName: String) async throws -> UserID {
    try await plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"),
      username: Username(validating: name),
      displayName: DisplayName(validating: displayName),
      password: Password(validating: "correct horse \(name)"),
      roles: [.user]
    )
  }

  /// The shop's owner.
  func owner() async throws -> TestUser { try await person([.owner]) }

  // MARK: fixtures

  /// - Parameter isShipped: By default, what has a weight is shipped.
  func product(
    _ owner: TestUser, price: Int64 = 2499, stock: Int = 10, weight: Int = 0, isShipped: Bool? = nil,
    currency: Currency = .usd
  ) async throws -> Product {
    _ = try? await owner.client.send(
      CatalogAPI.CreateProductType(
        body: ProductType(slug: Slug(validating: "earrings"), name: ShortText(validating: "Earrings"))
      )
    )
    return try await owner.client.send(
      CatalogAPI.CreateProduct(
        type: Slug(validating: "earrings"), title: ShortText(validating: "Blue earrings"),
        price: Price(checked: Money(price, currency)), isShipped: isShipped ?? (weight > 0),
        weightGrams: Grams(checked: weight), onHand: StockCount(checked: stock))
    )
  }

  func beat(_ seller: TestUser, exclusive: Int64? = 20_000, lease: Int64? = 2000) async throws -> Listing {
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

  func add(_ product: Product, _ quantity: Int = 1, to buyer: TestUser) async throws {
    _ = try await buyer.client.send(
      OrdersAPI.AddCartItem(productID: product.id, quantity: Quantity(checked: quantity))
    )
  }

  func add(_ listing: Listing, _ license: LicenseKind, to buyer: TestUser) async throws {
    _ = try await buyer.client.send(OrdersAPI.AddCartItem(listingID: listing.id, license: license))
  }

  func checkOut(_ buyer: TestUser, _ token: String? = "test_success", key: String = UUID().uuidString) async throws
    -> Order
  {
    try await buyer.client.send(
      OrdersAPI.CheckOut(
        shippingAddress: Self.address, payment: token.map { Self.card($0) }),
      idempotencyKey: key
    )
  }

  func order(_ id: OrderID, _ person: TestUser) async throws -> Order {
    try await person.client.send(OrdersAPI.GetOrder(id: id))
  }

  func stock(_ product: Product, _ owner: TestUser) async throws -> StockLevel {
    try await owner.client.send(CatalogAPI.GetStock(id: product.id))
  }

  /// Runs the due jobs of orders and catalog once, because workers do not run.
  func runOnce() async throws {
    try await orders.runOnce()
    try await plugin(CatalogPlugin.self).runOnce()
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
