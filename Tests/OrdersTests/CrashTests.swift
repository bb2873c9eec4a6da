import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService
@testable import OrdersService

/// Orders and catalog are killed repeatedly while users buy, cancel and get refunds. Stock and ledger stay consistent.
@Suite(.serialized)
struct CrashTests {
  /// The number of responses to buyers.
  private let answered = Counter()

  private func insist<E: Endpoint>(_ request: E, _ person: TestUser, key: String? = nil) async throws -> E.Response {
    defer { answered.add() }
    return try await person.insist(request, key: key) { $0.is(.requestInProgress) || $0.is(.checkoutInProgress) }
  }

  @Test func moneyAndStockAddUpHoweverOftenServicesAreKilled() async throws {
    try await TemporaryFolder.run { folder async throws in
      var generator = SeededGenerator()
      try await ServiceProcesses.run(
        ["auth", "catalog", "orders"], folder: folder, settings: ["PAYMENTS_TEST": "true"]
      ) { group in
        try await CurlClient.running { try await buyAndKill(group, folder, $0, &generator) }
      }
      try await audit(folder, generator)
    }
  }

  private static let stock = 40
  private static let buyers = 60
  private static let kills = 12

  private func buyAndKill(
    _ services: ServiceProcesses, _ folder: String, _ curl: CurlClient, _ generator: inout SeededGenerator
  ) async throws {
    let url = await services.url
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
    let api = APIClient(transport: CurlTransport(client: curl, origin: url))
    func person(_ roles: [Role] = [.user]) async throws -> TestUser {
      let id: UserID = IDGenerator().make()
      let now = TimeSource.system.now().unixSeconds
      let scope = ClientApp.web.scopeClaim(isStaff: roles == [.owner])
      let claims = AccessClaims(
        iss: Issuer.name,
        sub: id.rawValue,
        aud: "web",
        sid: IDGenerator().text(),
        scope: scope,
        roles: roles.map(\.rawValue),
        iat: now,
        exp: now + 3600,
        jti: IDGenerator().text()
      )
      return TestUser(id: id, token: try await keys.sign(claims), client: api)
    }
    let owner = try await person([.owner])
    let type = ProductType(slug: Slug(checked: "things"), name: ShortText(checked: "Things"))
    _ = try await insist(CatalogAPI.CreateProductType(body: type), owner)
    let product = try await insist(
      CatalogAPI.CreateProduct(
        type: type.slug, title: ShortText(checked: "Thing"), price: Price(checked: Money(1999, .usd)),
        isShipped: false, onHand: StockCount(checked: Self.stock)),
      owner
    )
    var people: [TestUser] = []
    for _ in 0..<Self.buyers { people.append(try await person()) }
    // Every buyer gets at least one response, and those who find stock two.
    let responses = 1..<Self.buyers + Self.stock
    let moments = (0..<Self.kills).map { _ in Int.random(in: responses, using: &generator) }.sorted()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for (round, moment) in moments.enumerated() {
          try await eventually("\(moment) responses") { answered.value >= moment }
          try await services.restart(round % 3 == 2 ? "catalog" : "orders")
        }
      }
      for (number, buyer) in people.enumerated() {
        group.addTask { try await shop(buyer, owner, product, number) }
      }
      for try await _ in group {}
    }
    try await rest(folder)
  }

  /// Buys one product; every third buyer cancels, and every fourth pays at the second attempt.
  private func shop(_ buyer: TestUser, _ owner: TestUser, _ product: Product, _ number: Int) async throws {
    do {
      _ = try await insist(OrdersAPI.AddCartItem(productID: product.id), buyer, key: "add-\(number)")
      let token = number % 4 == 0 ? "test_decline" : "test_success"
      var order = try await insist(
        OrdersAPI.CheckOut(payment: TestPlatform.card(token)),
        buyer,
        key: "order-\(number)"
      )
      if order.paymentStatus == .failed {
        order = try await insist(
          OrdersAPI.PayOrder(id: order.id, body: TestPlatform.card()),
          buyer,
          key: "pay-\(number)"
        )
      }
      if number % 3 == 0 { _ = try await insist(OrdersAPI.CancelOrder(id: order.id), buyer) }
      if number % 5 == 1 {
        _ = try await insist(
          OrdersAPI.RefundOrder(id: order.id, amount: Money(500, .usd)),
          owner,
          key: "refund-\(number)"
        )
      }
    } catch CallError.problem(let problem) {
      let mayBe: Set<String> = ["insufficient-stock", "order-not-paid", "refund-too-large", "order-not-payable"]
      guard mayBe.contains(problem.code) else { throw CallError.problem(problem) }
    }
  }

  /// Waits until the jobs have driven every order to a final state.
  private func rest(_ folder: String) async throws {
    let database = try SQLiteDatabase(path: "\(folder)/orders.sqlite")
    try await database.settle(
      unfinished: """
        SELECT 1 FROM orders WHERE stock IN ('reserving', 'releasing')
          OR status = 'pendingPayment' AND payment_status = 'paid'
          OR EXISTS (SELECT 1 FROM refunds r WHERE r.order_id = orders.id AND r.status = 'pending')
        """)
    await database.close()
  }

  private func audit(_ folder: String, _ generator: SeededGenerator) async throws {
    let orders = try SQLiteDatabase(path: "\(folder)/orders.sqlite")
    let catalog = try SQLiteDatabase(path: "\(folder)/catalog.sqlite")
    #expect(try await LedgerReconciliation.discrepancies(in: orders) == [])
    let placed = try await orders.read { db in
      try db.all("SELECT stock, status, COUNT(*) AS count FROM orders GROUP BY stock, status") {
        row -> (String, String, Int) in
        (try row["stock"], try row["status"], try row["count"])
      }
    }
    let sold = placed.filter { $0.0 == "committed" }.reduce(0) { $0 + $1.2 }
    let held = placed.filter { $0.0 == "held" }.reduce(0) { $0 + $1.2 }
    let level = try await catalog.read { db in
      try db.first("SELECT on_hand, reserved FROM stock") { row -> (Int, Int) in
        (try row["on_hand"], try row["reserved"])
      }
    }
    #expect(level?.0 == Self.stock - sold, "\(placed) \(generator)")
    #expect(level?.1 == held, "\(placed) \(generator)")
    #expect(placed.filter { $0.0 == "committed" }.allSatisfy { $0.1 == "placed" })
    // No user has two orders.
    let twice = try await orders.read { db in
      try db.values("SELECT user_id FROM orders GROUP BY user_id HAVING COUNT(*) > 1", as: String.self)
    }
    #expect(twice == [])
    #expect(sold + held > 0)
    await orders.close()
    await catalog.close()
  }
}
