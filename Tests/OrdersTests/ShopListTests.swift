import AuthService
import CatalogService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The shop's lists read a page by an index, however much the shop has sold.
@Suite(.serialized)
struct ShopListTests {
  /// A page of each table that a list reads, and what belongs to it; far fewer than there are in ``ShopHistory``.
  private static let maxRows = 300

  @Test("No list of the shop reads a whole table or sorts more than its page", arguments: TestDatabase.allCases)
  func listsReadTheirPage(_ database: TestDatabase) async throws {
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, Recorded<OrdersPlugin>.self],
      settings: TestPlatform.testPayments.merging(["limits.read": "0/1"]) { $1 }, database: database
    ) { host async throws in
      let history = try await ShopHistory.make(host)
      let recorder = try host.plugin(Recorded<OrdersPlugin>.self).database
      let stored = try host.database(of: OrdersAPI.self)
      if database == .postgresql { try await stored.write { tx in try ShopHistory.copy(in: tx) } }
      for list in Self.lists(of: history, by: history.owner, history.buyer, history.seller) {
        let statements = try await recorder.statements(during: list.load)
        #expect(!statements.isEmpty, "\(list.name)")
        for sql in statements {
          try await stored.read { db in
            switch database {
            case .sqlite: #expect(try QueryPlan.wholeReads(of: sql, in: db) == [], "\(list.name): \(sql.text)")
            case .postgresql:
              let rows = try QueryPlan.rowsRead(by: sql, in: db)
              #expect(rows <= Self.maxRows, "\(list.name): \(sql.text)")
            }
          }
        }
      }
    }
  }

  /// The reads that the check itself must find.
  @Test(arguments: TestDatabase.allCases)
  func wholeReadsAreFound(_ database: TestDatabase) async throws {
    try await database.run { stored in
      try await stored.write { tx in
        try tx.execute("CREATE TABLE entries (id BIGINT PRIMARY KEY, name TEXT NOT NULL, place BIGINT NOT NULL)")
        try tx.execute("CREATE INDEX entries_by_name ON entries (name)")
        for id in 1...1000 { try tx.execute("INSERT INTO entries VALUES (\(id), 'a', \(-id))") }
      }
      let bad: [SQL] = [
        "SELECT id FROM entries WHERE place = 5 LIMIT 20",
        "SELECT id FROM entries WHERE name = 'a' ORDER BY place LIMIT 20",
      ]
      let good: [SQL] = ["SELECT id FROM entries WHERE id = 5", "SELECT id FROM entries ORDER BY id LIMIT 20"]
      try await stored.read { db in
        for (statements, isWhole) in [(bad, true), (good, false)] {
          for sql in statements {
            let found =
              switch database {
              case .sqlite: try !QueryPlan.wholeReads(of: sql, in: db).isEmpty
              case .postgresql: try QueryPlan.rowsRead(by: sql, in: db) > Self.maxRows
              }
            #expect(found == isWhole, "\(sql.text)")
          }
        }
      }
    }
  }

  // MARK: lists

  private struct List: Sendable {
    var name: String
    /// Loads the first two pages.
    var load: @Sendable () async throws -> Void
  }

  private static func list<Request: PagedEndpoint, Item>(
    by user: TestUser, _ name: String = "", _ request: @escaping @Sendable (_ cursor: String?) -> Request
  ) -> List where Request.Response == Page<Item> {
    List(name: "\(Request.self) \(name)") {
      let first = try await user.client.send(request(nil))
      if let next = first.nextCursor { _ = try await user.client.send(request(next)) }
    }
  }

  private static func lists(of history: ShopHistory, by owner: TestUser, _ buyer: TestUser, _ seller: TestUser)
    -> [List]
  {
    ofUsers(history, buyer: buyer, seller: seller) + ofUsers(history, buyer: history.stranger, seller: history.stranger)
      + ofStaff(history, owner) + auctions(history, buyer) + auctions(history, history.stranger)
  }

  private static func ofUsers(_ history: ShopHistory, buyer: TestUser, seller: TestUser) -> [List] {
    let (bought, offered) = (history.listing, history.offered)
    return [
      list(by: buyer) { OrdersAPI.ListOrders(cursor: $0) },
      list(by: buyer) { OrdersAPI.ListLicenses(cursor: $0) },
      list(by: buyer, "of a listing") { OrdersAPI.ListLicenses(listing: bought, cursor: $0) },
      list(by: buyer, "made") { OrdersAPI.ListOffers(cursor: $0) },
      list(by: seller, "received") { OrdersAPI.ListOffers(cursor: $0) },
      list(by: buyer, "for a listing") { OrdersAPI.ListOffers(listing: offered, cursor: $0) },
      list(by: seller) { OrdersAPI.ListBalanceEntries(cursor: $0) },
      list(by: seller) { OrdersAPI.ListSales(cursor: $0) },
      list(by: seller) { OrdersAPI.ListPayouts(cursor: $0) },
    ]
  }

  /// Each with a filter that nearly all rows match, and with one that none does.
  private static func ofStaff(_ history: ShopHistory, _ owner: TestUser) -> [List] {
    let (order, buyer) = (history.order, history.buyer.id)
    return [
      list(by: owner) { OrdersAPI.ListAllOrders(cursor: $0) },
      list(by: owner, "placed") { OrdersAPI.ListAllOrders(status: .placed, cursor: $0) },
      list(by: owner, "expired") { OrdersAPI.ListAllOrders(status: .expired, cursor: $0) },
      list(by: owner, "delivered") { OrdersAPI.ListAllOrders(fulfillment: .delivered, cursor: $0) },
      list(by: owner, "shipped") { OrdersAPI.ListAllOrders(fulfillment: .shipped, cursor: $0) },
      list(by: owner, "placed, delivered") {
        OrdersAPI.ListAllOrders(status: .placed, fulfillment: .delivered, cursor: $0)
      },
      list(by: owner, "placed, shipped") {
        OrdersAPI.ListAllOrders(status: .placed, fulfillment: .shipped, cursor: $0)
      },
      list(by: owner) { OrdersAPI.ListRefunds(cursor: $0) },
      list(by: owner, "succeeded") { OrdersAPI.ListRefunds(status: .succeeded, cursor: $0) },
      list(by: owner, "failed") { OrdersAPI.ListRefunds(status: .failed, cursor: $0) },
      list(by: owner) { OrdersAPI.ListOrderRefunds(id: order, cursor: $0) },
      list(by: owner) { OrdersAPI.ListAllPayouts(cursor: $0) },
      list(by: owner, "requested") { OrdersAPI.ListAllPayouts(status: .requested, cursor: $0) },
      list(by: owner, "paid") { OrdersAPI.ListAllPayouts(status: .paid, cursor: $0) },
      list(by: owner) { OrdersAPI.ListAuctionStrikes(cursor: $0) },
      list(by: owner, "of a user") { OrdersAPI.ListAuctionStrikes(user: buyer, cursor: $0) },
    ]
  }

  private static func auctions(_ history: ShopHistory, _ viewer: TestUser) -> [List] {
    let (seller, auction) = (history.seller.id, history.auction)
    return [
      list(by: viewer) { OrdersAPI.ListAuctions(cursor: $0) },
      list(by: viewer, "open") { OrdersAPI.ListAuctions(status: .open, cursor: $0) },
      list(by: viewer, "scheduled") { OrdersAPI.ListAuctions(status: .scheduled, cursor: $0) },
      list(by: viewer, "sold") { OrdersAPI.ListAuctions(status: .sold, cursor: $0) },
      list(by: viewer, "of a seller") { OrdersAPI.ListAuctions(seller: seller, cursor: $0) },
      list(by: viewer, "of a listing") { OrdersAPI.ListAuctions(listing: auction.listingID, cursor: $0) },
      list(by: viewer, "bid in") { OrdersAPI.ListAuctions(bidder: .me, cursor: $0) },
      list(by: viewer, "watched") { OrdersAPI.ListAuctions(watched: true, cursor: $0) },
      list(by: viewer, "bid in, watched") { OrdersAPI.ListAuctions(bidder: .me, watched: true, cursor: $0) },
      list(by: viewer) { OrdersAPI.ListBids(id: auction.id, cursor: $0) },
    ]
  }
}
