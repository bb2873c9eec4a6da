import AuthService
import CatalogService
import Contracts
import Foundation
import GatewayService
import Logging
import NIOCore
import OrdersService
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Bids on one contended auction and searches among 100,000 listings, through the routers of the gateway and the
/// services in one process, durable on SQLite.
enum ShopBenchmark {
  private static let listings = 100_000

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-bench-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let platform = try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self],
      settings: Settings([
        "data": folder, "log.level": "error", "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1",
        "limits.search": "0/1", "auth.accessTokenSeconds": "3600",
      ])
    )
    var people: [APIClient] = []
    for number in 0..<51 { people.append(try await signUp(platform.client(), "user\(number)")) }
    try await bids(seller: people[50], bidders: Array(people[..<50]))
    try await searches(people[50])
    await platform.close()
  }

  private static func signUp(_ client: APIClient, _ name: String) async throws -> APIClient {
    let signed = try await client.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: name), password: Password(validating: "correct horse battery"))
    )
    return client.with(accessToken: signed.accessToken)
  }

  private static func listing(_ number: Int) throws -> CatalogAPI.CreateListing {
    let words = [
      "night", "drive", "velvet", "ocean", "amber", "river", "static", "copper", "meadow", "signal", "violet",
    ]
    let name = "\(words[number % 11]) \(words[number / 11 % 11])\(number / 121)"
    let price = Price(checked: Money(20_000, .usd))
    return CatalogAPI.CreateListing(
      kind: .beat, name: try ShortText(validating: name), tags: [try Tag(validating: words[number % 7])],
      audio: IDGenerator().make(), licenses: [LicenseOption(kind: .exclusive, price: price, files: [.wav])])
  }

  private final class Tally: Sendable {
    let next = Atomic<Int64>(0)
    let accepted = Atomic<Int>(0)
    let latencies = Mutex<[Double]>([])
  }

  /// 128 concurrent bids by 50 bidders, each higher than the one before.
  private static func bids(seller: APIClient, bidders: [APIClient]) async throws {
    let beat = try await seller.send(listing(0))
    let auction = try await seller.send(
      OrdersAPI.CreateAuction(
        listingID: beat.id, startPrice: Price(checked: Money(100, .usd)),
        closesAt: TimeSource.system.now().advanced(bySeconds: 86_400))
    )
    let count = 40_000
    let tally = Tally()
    await Benchmarks.measure("bid-decisions", count: count) {
      await withTaskGroup(of: Void.self) { group in
        for lane in 0..<128 {
          group.addTask {
            var own: [Double] = []
            while true {
              let number = tally.next.add(1, ordering: .relaxed).newValue
              guard number <= count else { break }
              let amount = Price(checked: Money(1_000 + number * 12_000, .usd))
              let start = Date()
              let request = OrdersAPI.PlaceBid(id: auction.id, maxAmount: amount)
              let receipt = try? await bidders[lane % 50].send(request, idempotencyKey: "bid-\(number)")
              own.append(Date().timeIntervalSince(start) * 1000)
              if receipt != nil { tally.accepted.add(1, ordering: .relaxed) }
            }
            tally.latencies.withLock { $0 += own }
          }
        }
      }
    }
    let sorted = tally.latencies.withLock { $0.sorted() }
    print("bid-accepted \(tally.accepted.load(ordering: .relaxed)) of-\(count)")
    print("bid-p50 \(Benchmarks.format(Benchmarks.percentile(sorted, 0.5))) ms")
    print("bid-p99 \(Benchmarks.format(Benchmarks.percentile(sorted, 0.99))) ms")
  }

  private static func searches(_ seller: APIClient) async throws {
    try await Benchmarks.measure("create-listing", count: listings) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<64 {
          group.addTask {
            for number in stride(from: lane, to: listings, by: 64) { _ = try await seller.send(listing(number)) }
          }
        }
        try await group.waitForAll()
      }
    }
    for (name, query) in [
      ("beginnings", "velv"), ("two-words", "night ocean4"), ("two-letters", "ve"), ("misspelt", "velvte"),
      ("rare", "copper500"),
    ] {
      var times: [Double] = []
      for _ in 0..<200 {
        let start = Date()
        _ = try await seller.send(CatalogAPI.ListListings(query: query))
        times.append(Date().timeIntervalSince(start) * 1000)
      }
      print("search-\(name)-p99 \(Benchmarks.format(Benchmarks.percentile(times.sorted(), 0.99))) ms")
    }
  }

  /// A bare Hummingbird route on a port that reads the rows of a page of listings and encodes them, without tokens,
  /// limits, metrics or logs.
  ///
  /// - Parameter path: The database file of a catalog service.
  static func serveBare(_ path: String) async throws {
    let database = try SQLiteDatabase(path: path)
    try await BareServer.run("application/json") {
      let rows = try await database.read { db in try page(in: db) }
      return ByteBuffer(bytes: try WireJSON.encode(Page(items: rows)))
    }
  }

  private static func page(in db: any Connection) throws -> [ListingSummary] {
    let viewer = "01890a5d-ac96-774b-bcce-b302099a8057"
    return try db.all(
      """
      SELECT l.id, l.kind, l.owner_id, l.name, l.tags, l.cover, l.audio, l.amount, l.currency, l.is_purchased,
        l.is_open_for_bids, l.like_count, l.comment_count, l.archive_count, l.created_at, l.accepts_offers, l.version,
        CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'listing-like' AND m.object_id = l.id
          AND m.user_id = \(viewer)) THEN 1 ELSE 0 END AS is_liked,
        CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'archive' AND m.object_id = l.id
          AND m.user_id = \(viewer)) THEN 1 ELSE 0 END AS is_archived
      FROM listings l WHERE l.deleted_at IS NULL ORDER BY l.id DESC LIMIT 21
      """
    ) { row in
      ListingSummary(
        id: try row["id"],
        kind: try row["kind"],
        ownerID: try row["owner_id"],
        name: try row["name"],
        tags: try row[words: "tags"],
        cover: try row["cover"],
        audio: try row["audio"],
        price: Price(checked: try row.money("amount", "currency")),
        acceptsOffers: try row["accepts_offers"],
        isPurchased: try row["is_purchased"],
        isOpenForBids: try row["is_open_for_bids"],
        likeCount: try row["like_count"],
        commentCount: try row["comment_count"],
        archiveCount: try row["archive_count"],
        isLiked: try row["is_liked"],
        isArchived: try row["is_archived"],
        createdAt: try row["created_at"],
        version: try row["version"]
      )
    }
  }
}
