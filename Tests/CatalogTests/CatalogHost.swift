import AuthService
import CatalogService
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit

/// Catalog and auth behind the gateway, without orders and with a manual clock.
struct CatalogHost: Sendable {
  let platform: Platform
  let time: ManualTime
  let ids = IDGenerator()
  var client: APIClient { platform.client() }
  /// Calls catalog as orders does.
  var orders: APIClient { platform.client(of: CatalogAPI.self, as: OrdersAPI.name) }

  static func run(
    database: TestDatabase = .sqlite,
    _ body: @escaping @Sendable (CatalogHost) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      var settings = ["data": folder]
      if database == .postgresql {
        // A separate database, because the names of the services' schemas are fixed.
        let url = try TestDatabase.postgresURL()
        let name = "catalog_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name)"])
        settings["database.url"] = url.replacing("/postgres", with: "/\(name)")
        settings["data.keys"] = [
          "a:\(Data(repeating: 1, count: 32).base64EncodedString())",
          "lookup:\(Data(repeating: 2, count: 32).base64EncodedString())",
        ].joined(separator: ",")
      }
      let time = ManualTime()
      let platform = try await build(settings, time: time.source)
      try await closing(platform) { try await body(CatalogHost(platform: platform, time: time)) }
    }
  }

  /// The same with open ports, running workers and the system clock.
  static func listen(_ body: @escaping @Sendable (CatalogHost) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder in
      let platform = try await build(["data": folder, "port": "0", "metrics.port": "0"], time: .system)
      try await listening(platform) { _ in try await body(CatalogHost(platform: platform, time: ManualTime())) }
    }
  }

  private static func build(_ settings: [String: String], time: TimeSource) async throws -> Platform {
    // Orders is not needed; nothing listens at this URL.
    let elsewhere = [
      "log.level": "critical", "services.orders.url": "http://127.0.0.1:1", "service.keys": ServiceProcess.serviceKeys,
    ]
    return try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self],
      settings: Settings(settings.merging(elsewhere) { first, _ in first }),
      time: time
    )
  }

  var database: any Database {
    get throws {
      guard let database = platform.database(of: "catalog") else { throw TestKitError("catalog is not mounted") }
      return database
    }
  }

  var plugin: CatalogPlugin {
    get throws {
      guard let plugin = platform.plugin(CatalogPlugin.self) else { throw TestKitError("catalog is not mounted") }
      return plugin
    }
  }

  // MARK: users

  struct Person: Sendable {
    var id: UserID
    var token: String
    var client: APIClient
  }

  func signUp(_ name: String) async throws -> Person {
    person(
      try await client.send(
        AuthAPI.SignUp(
          email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
          displayName: DisplayName(validating: "Test \(name)"), password: Password(validating: "correct horse \(name)"),
          app: .web)
      )
    )
  }

  func guest() async throws -> Person { person(try await client.send(AuthAPI.SignInAsGuest())) }

  /// A user with a role that sign-up does not assign.
  func signUp(_ name: String, as role: Role) async throws -> Person {
    let password = "correct horse \(name)"
    _ = try await platform.plugin(AuthPlugin.self)?.createAccount(
      email: EmailAddress(validating: "\(name)@example.com"),
      username: Username(validating: name),
      displayName: DisplayName(validating: "The \(role.rawValue)"),
      password: Password(validating: password),
      roles: [role]
    )
    return person(try await client.send(AuthAPI.LogIn(login: name, password: password, app: .web)))
  }

  private func person(_ session: Authentication) -> Person {
    Person(
      id: session.user.id,
      token: session.accessToken,
      client: client.with(accessToken: session.accessToken)
    )
  }

  // MARK: fixtures

  func listing(
    of owner: Person,
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
    of owner: Person,
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
  func tell<E: Event>(_ event: E, from service: any ServiceAPI.Type) async throws {
    _ = try await platform.client(of: CatalogAPI.self, as: service.name).send(
      EventsAPI.Deliver(
        body: CloudEvent(
          id: ids.text(),
          source: "/\(service.name)",
          type: E.type,
          subject: event.subject,
          time: time.source.now(),
          traceparent: nil,
          data: WireJSON.decode(JSONValue.self, from: WireJSON.encode(event))
        )
      )
    )
  }

  /// Sends a raw request that the typed client cannot produce.
  func send(
    _ method: Contracts.Operation.Method,
    _ target: String,
    _ body: String? = nil,
    type: String = "application/json",
    headers: [(name: String, value: String)] = [],
    by person: Person? = nil
  ) async throws -> WireResponse {
    let token = person.map { [(name: "authorization", value: "Bearer \($0.token)")] } ?? []
    return try await platform.transport(to: GatewayPlugin.manifest.name).send(
      WireRequest(
        method: method,
        target: target,
        headers: headers,
        body: body.map { Array($0.utf8) },
        isRepeatable: false,
        seconds: 60
      ),
      headers: token + (body == nil ? [] : [(name: "content-type", value: type)])
    )
  }

  /// Runs a body for all items concurrently.
  func atOnce<Item: Sendable, Value: Sendable>(
    _ items: some Sequence<Item>,
    _ body: @escaping @Sendable (Item) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
      for item in items { group.addTask { try await body(item) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
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
