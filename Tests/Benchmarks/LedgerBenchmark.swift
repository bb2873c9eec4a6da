import AuthService
import CatalogService
import Contracts
import Foundation
import GatewayService
import OrdersService
import Persistence
import ServiceKit

/// The proof of the ledger and the pages of lists among many orders, through the routers of the gateway and the services
/// in one process.
enum LedgerBenchmark {
  /// - Parameter databaseURL: An empty PostgreSQL database; SQLite by default.
  static func run(orders: Int, databaseURL: String? = nil) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.build/benchmark-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = [
      "data": folder, "log.level": "critical", "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1",
      "auth.accessTokenSeconds": "3600",
    ]
    if let databaseURL {
      settings["database.url"] = databaseURL
      settings["data.keys"] = ["a", "lookup"].enumerated().map { index, name in
        "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
      }.joined(separator: ",")
    }
    let platform = try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self], settings: Settings(settings))
    guard let auth = platform.plugin(AuthPlugin.self), let plugin = platform.plugin(OrdersPlugin.self),
      let database = platform.database(of: OrdersAPI.name)
    else { return }
    let password = "correct horse battery"
    let user = try await auth.createAccount(
      email: EmailAddress(validating: "ada@example.com"), username: Username(validating: "ada"),
      displayName: DisplayName(validating: "Ada"), password: Password(validating: password), roles: [.owner])
    let signed = try await auth.provedSession(of: "ada")
    let client = platform.client().with(accessToken: signed.accessToken)

    let start = Date()
    let end = TimeSource.system.now().advanced(bySeconds: -3600)
    try await LedgerRows(database: database, user: user, orders: orders, end: end).fill()
    print("ledger-filled \(orders) orders in \(seconds(since: start)) s")
    try await prove(plugin, database)
    try await lists(client)
    await platform.close()
  }

  private static func seconds(since start: Date) -> String { Benchmarks.format(Date().timeIntervalSince(start)) }

  private static func prove(_ plugin: OrdersPlugin, _ database: any Database) async throws {
    var start = Date()
    let found = try await plugin.checkLedger()
    let periods = try await database.read { try $0.count("SELECT COUNT(*) FROM ledger_periods") }
    print("ledger-periods \(periods) closed in \(seconds(since: start)) s, \(found) discrepancies")
    var times: [Double] = []
    for _ in 0..<100 {
      let start = Date()
      let found = try await plugin.checkLedger()
      times.append(Date().timeIntervalSince(start) * 1000)
      guard found == 0 else { throw CallError.unknown("\(found) discrepancies") }
    }
    times.sort()
    print("ledger-proof-p50 \(Benchmarks.format(Benchmarks.percentile(times, 0.5))) ms")
    print("ledger-proof-p99 \(Benchmarks.format(Benchmarks.percentile(times, 0.99))) ms")
    start = Date()
    while try await plugin.runOnce("ledger-proof") > 0 {}
    print("ledger-full-proof in \(seconds(since: start)) s")
  }

  /// Pages from the newest on; a list that ends begins again.
  private static func lists(_ client: APIClient) async throws {
    try await pages("orders", client) { OrdersAPI.ListOrders(cursor: $0) }
    try await pages("all-orders", client) { OrdersAPI.ListAllOrders(cursor: $0) }
    try await pages("all-orders-status", client) { OrdersAPI.ListAllOrders(status: .expired, cursor: $0) }
    try await pages("all-orders-fulfillment", client) {
      OrdersAPI.ListAllOrders(fulfillment: .processing, cursor: $0)
    }
    try await pages("all-orders-both", client) {
      OrdersAPI.ListAllOrders(status: .placed, fulfillment: .processing, cursor: $0)
    }
    try await pages("all-orders-none", client) {
      OrdersAPI.ListAllOrders(status: .expired, fulfillment: .shipped, cursor: $0)
    }
    try await pages("balance-entries", client) { OrdersAPI.ListBalanceEntries(cursor: $0) }
    try await pages("sales", client) { OrdersAPI.ListSales(cursor: $0) }
    try await pages("refunds", client) { OrdersAPI.ListRefunds(cursor: $0) }
    try await pages("refunds-status", client) { OrdersAPI.ListRefunds(status: .reversed, cursor: $0) }
    try await pages("licenses", client) { OrdersAPI.ListLicenses(cursor: $0) }
    try await pages("offers", client) { OrdersAPI.ListOffers(cursor: $0) }
    try await pages("auctions", client) { OrdersAPI.ListAuctions(cursor: $0) }
    try await pages("auctions-open", client) { OrdersAPI.ListAuctions(status: .open, cursor: $0) }
  }

  private static func pages<List: PagedEndpoint, Item: Sendable>(
    _ name: String, _ client: APIClient, _ request: (String?) -> List
  ) async throws where List.Response == Page<Item> {
    var (times, cursor, items): ([Double], String?, Int) = ([], nil, 0)
    for _ in 0..<500 {
      let start = Date()
      let page = try await client.send(request(cursor))
      times.append(Date().timeIntervalSince(start) * 1000)
      (cursor, items) = (page.nextCursor, items + page.items.count)
    }
    times.sort()
    let slowest = Benchmarks.format(Benchmarks.percentile(times, 0.99))
    print("list-\(name)-p99 \(slowest) ms, \(items / times.count) a page")
  }
}
