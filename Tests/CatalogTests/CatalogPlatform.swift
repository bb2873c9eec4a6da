import AuthService
import CatalogService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit

/// Catalog and auth behind the gateway.
extension TestPlatform {
  private static let catalogPlugins: [any ServicePlugin.Type] = [
    GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self,
  ]
  /// Orders is not needed; nothing listens at this URL.
  private static let withoutOrders = ["services.orders.url": "http://127.0.0.1:1"]

  static func catalog(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime = ManualTime(),
    _ body: (TestPlatform) async throws -> Void
  ) async throws {
    let settings = settings.merging(withoutOrders) { $1 }
    try await run(catalogPlugins, settings: settings, database: database, time: time, body)
  }

  /// The same with open ports and running workers.
  static func listeningCatalog(
    settings: [String: String] = [:],
    time: ManualTime? = nil,
    _ body: (TestPlatform) async throws -> Void
  ) async throws {
    try await listen(catalogPlugins, settings: settings.merging(withoutOrders) { $1 }, time: time) { test, _ in
      try await body(test)
    }
  }

  var catalog: CatalogPlugin { get throws { try plugin(CatalogPlugin.self) } }

  /// The database of catalog.
  var database: any Database { get throws { try database(of: CatalogAPI.self) } }

  /// Calls catalog as orders does.
  var orders: APIClient { platform.client(of: CatalogAPI.self, as: OrdersAPI.name) }

  // MARK: users

  func user(_ name: String) async throws -> TestUser { TestUser(try await client.signUp(name), client) }

  func guest() async throws -> TestUser { TestUser(try await client.send(AuthAPI.SignInAsGuest()), client) }

  /// A user with a role that sign-up does not assign.
  func user(_ name: String, as role: Role) async throws -> TestUser {
    let password = "correct horse \(name)"
    _ = try await plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"),
      username: Username(validating: name),
      displayName: DisplayName(validating: "The \(role.rawValue)"),
      password: Password(validating: password),
      roles: [role]
    )
    return TestUser(try await plugin(AuthPlugin.self).provedSession(of: name), client)
  }

  /// The shop's owner; the account is created by the first call.
  func owner() async throws -> APIClient {
    let known = try? await plugin(AuthPlugin.self).provedSession(of: "boss")
    if let known { return client.with(accessToken: known.accessToken) }
    return try await user("boss", as: .owner).client
  }

  /// A section of catalog's export of a user.
  func export(_ section: String, of user: UserID) async throws -> JSONValue? {
    try await catalog.export(user, from: database)[section]
  }

  /// The mails so far. Delivers pending mail first, because workers do not run.
  func mails(to address: String? = nil) async throws -> [Mail] {
    while try await catalog.runOnce("mail") > 0 {}
    return try mails(deliveredTo: address)
  }

  // MARK: fixtures

  func listing(
    of owner: TestUser,
    _ name: String = "Night drive",
    kind: ListingKind = .beat,
    tags: [String] = [],
    cents: Int64 = 2999
  ) async throws -> Listing {
    try await owner.client.send(
      CatalogAPI.CreateListing(
        kind: kind, name: ShortText(validating: name), tags: tags.map { try Tag(validating: $0) }, audio: ids.make(),
        price: Self.price(cents))
    )
  }

  static func price(_ cents: Int64) throws -> Price {
    guard let price = Price(Money(cents, .usd)) else { throw TestKitError("a price must not be negative") }
    return price
  }

  /// Creates a product of the type `bows`, and the type if it does not exist.
  func product(
    of owner: TestUser,
    _ title: String = "Red bow",
    sku: String? = nil,
    onHand: Int = 0,
    variants: [VariantForm]? = nil
  ) async throws -> Product {
    let bows = try Slug(validating: "bows")
    _ = try? await owner.client.send(
      CatalogAPI.CreateProductType(body: ProductType(slug: bows, name: ShortText(validating: "Bows")))
    )
    return try await owner.client.send(
      CatalogAPI.CreateProduct(
        type: bows, title: ShortText(validating: title), price: Self.price(1250),
        sku: sku.map { try SKU(validating: $0) }, onHand: variants == nil ? StockCount(onHand) : nil, variants: variants
      )
    )
  }

  // MARK: calls

  /// Delivers an event as its service would.
  func deliver(_ event: some Event, from service: any ServiceAPI.Type) async throws {
    try await deliver(event, from: service, to: CatalogAPI.self)
  }
}

/// The items of all pages of a list.
func allPages<Item: Codable & Sendable>(
  _ page: (_ cursor: String?) async throws -> Page<Item>
) async throws -> [Item] {
  var items: [Item] = []
  var cursor: String?
  repeat {
    let next = try await page(cursor)
    items += next.items
    cursor = next.nextCursor
  } while cursor != nil
  return items
}
