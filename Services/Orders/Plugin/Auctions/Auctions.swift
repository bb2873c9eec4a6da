import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Endpoints of auctions, and the jobs that close them.
struct Auctions: Service {
  private struct Work: Codable, Sendable { var auction: AuctionID }

  private let database: any Database
  private let store: AuctionStore
  private let shelf: Shelf
  private let lanes: BidLanes
  private let view: OrderView
  private let ids: IDGenerator
  private let time: TimeSource
  private let jobs: DurableJobs<Work>

  /// The maximum planned duration of an auction, in seconds.
  private static let longestSeconds = 60.0 * 86_400

  init(
    _ environment: ServiceEnvironment,
    store: AuctionStore,
    shelf: Shelf,
    view: OrderView
  ) throws {
    let (database, time) = (try environment.database, environment.time)
    self.database = database
    self.store = store
    self.shelf = shelf
    self.view = view
    ids = environment.ids
    self.time = time
    lanes = BidLanes(database: database)
    jobs = try DurableJobs("auction", environment, concurrency: 16, attempts: 10_000) { work, _ in
      let closed = try await database.write { tx in try store.close(work.auction, in: tx) }
      guard let lot = closed?.lot, [.scheduled, .open].contains(lot.status) else { return .done }
      // Bids have extended the auction.
      return .retry(afterSeconds: max(0.05, lot.closesAt.seconds(since: time.now())))
    }
  }

  func run() async throws { try await jobs.run() }

  /// Closes auctions that are due, where no workers run; returns their number.
  func round() async throws -> Int { try await jobs.round() }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListAuctions.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(OrdersAPI.CreateAuction.self) { request, call in try await create(request, call) }
    routes.on(OrdersAPI.GetAuction.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(OrdersAPI.CancelAuction.self) { request, call in try await cancel(request.id, call) }
    routes.on(OrdersAPI.ListBids.self) { request, _ in try await bids(request) }
    routes.on(OrdersAPI.PlaceBid.self) { request, call in
      let bid = BidLanes.PendingBid(
        id: ids.make(),
        bidder: try call.user.id,
        maximum: request.maxAmount.money,
        keyed: call.keyed
      )
      return try await lanes.place(bid, on: request.id)
    }
    routes.on(OrdersAPI.BuyNow.self) { request, call in try await buyNow(request.id, call) }
    routes.on(OrdersAPI.ListAuctionEvents.self) { request, _ in try await events(request) }
  }

  // MARK: reading

  private func list(_ request: OrdersAPI.ListAuctions, for viewer: UserID) async throws -> Page<Auction> {
    let (limit, now) = (request.limit?.value ?? 20, time.now())
    var condition: SQL = "1 = 1"
    if let listing = request.listing { condition = "\(condition) AND listing_id = \(listing)" }
    if let seller = request.seller { condition = "\(condition) AND seller_id = \(seller)" }
    switch request.status {
    case nil: break
    case .open?:
      condition = "\(condition) AND status IN ('scheduled', 'open') AND opens_at <= \(now) AND closes_at > \(now)"
    case .scheduled?: condition = "\(condition) AND status = 'scheduled' AND opens_at > \(now)"
    case let status?: condition = "\(condition) AND status = \(status)"
    }
    let wanted = condition
    return try await database.read { db in
      let cursor = request.cursor.flatMap { AuctionID($0) }
      let found = try AuctionStore.list(wanted, before: cursor, limit: limit + 1, in: db)
      let auctions = Array(found.prefix(limit))
      let items = try AuctionView.of(auctions, for: viewer, at: now, in: db)
      return Page(items: items, nextCursor: found.count > limit ? items.last?.id.rawValue : nil)
    }
  }

  private func get(_ id: AuctionID, for viewer: UserID) async throws -> Auction {
    let now = time.now()
    return try await database.read { db in
      let auction = try AuctionStore.required(id, in: db)
      guard let visible = try AuctionView.of([auction], for: viewer, at: now, in: db).first else {
        throw Problem(.auctionNotFound)
      }
      return visible
    }
  }

  private func bids(_ request: OrdersAPI.ListBids) async throws -> Page<Bid> {
    let limit = request.limit?.value ?? 50
    let place: SQL = request.cursor.flatMap { BidID($0) }.map { "b.id < \($0)" } ?? "1 = 1"
    return try await database.read { db in
      let auction = try AuctionStore.required(request.id, in: db)
      let found = try db.all(
        """
        SELECT b.id, COALESCE(n.name, 'someone') AS bidder, b.price, b.at FROM auction_bids b
        LEFT JOIN auction_bidders n ON n.auction_id = b.auction_id AND n.bidder_id = b.bidder_id
        WHERE b.auction_id = \(request.id) AND \(place) ORDER BY b.id DESC LIMIT \(limit + 1)
        """
      ) { row in
        Bid(id: try row["id"], bidder: try row["bidder"], price: auction.money(try row["price"]), at: try row["at"])
      }
      let items = Array(found.prefix(limit))
      return Page(items: items, nextCursor: found.count > limit ? items.last?.id.rawValue : nil)
    }
  }

  private func events(_ request: OrdersAPI.ListAuctionEvents) async throws -> AuctionFeed {
    let now = time.now()
    return try await database.read { db in
      _ = try AuctionStore.required(request.id, in: db)
      let limit = request.limit?.value ?? 100
      let items = try AuctionStore.events(of: request.id, after: request.after ?? 0, limit: limit, in: db)
      return AuctionFeed(items: items, serverTime: now)
    }
  }

  // MARK: the seller

  private func create(_ form: OrdersAPI.CreateAuction, _ call: Call) async throws -> Auction {
    let seller = try call.user.id
    if let done: AuctionID = try await database.read({ db in try db.answer(of: call.keyed) }) {
      return try await get(done, for: seller)
    }
    guard let listing = try await shelf.listing(form.listingID) else { throw Problem(.listingNotForSale) }
    guard listing.ownerID == seller else { throw Problem(.notTheSeller) }
    guard let terms = listing.licences.first(where: { $0.kind == .exclusive }) else {
      throw Problem(.listingNotForSale, detail: "The listing does not offer an exclusive license.")
    }
    let now = time.now()
    let opensAt = max(form.opensAt ?? now, now)
    try Self.check(form, terms.price.currency, opensAt)
    let lot = Lot(
      status: opensAt > now ? .scheduled : .open,
      seller: seller,
      currency: form.startPrice.currency,
      startPrice: form.startPrice.amount,
      reserve: form.reserve?.amount,
      buyNow: form.buyNow?.amount,
      opensAt: opensAt,
      closesAt: form.closesAt,
      originalClosesAt: form.closesAt
    )
    let auction = StoredAuction(id: ids.make(), listingID: listing.id, lot: lot, listing: listing)
    let id = try await database.write { [jobs] tx in
      try tx.once(call.keyed) {
        guard try Claims.isFree(listing.id, in: tx) else { throw Problem(.listingNotForSale) }
        guard try AuctionStore.running(for: listing.id, in: tx) == nil else { throw Problem(.auctionRunning) }
        try AuctionStore.insert(auction, in: tx)
        try jobs.add(Work(auction: auction.id), id: "auction-\(auction.id)", dueAt: lot.closesAt, in: tx)
        try Claims.tell(listing.id, in: tx)
        try tx.audit("auction.created", object: "auction:\(auction.id)", by: call.auditActor)
        return auction.id
      }
    }
    return try await get(id, for: seller)
  }

  private static func check(_ form: OrdersAPI.CreateAuction, _ currency: Currency, _ opensAt: Timestamp) throws {
    func invalid(_ field: String, _ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.\(field)", message: message)])
    }
    guard form.startPrice.amount > 0 else { throw invalid("startPrice.amount", "must be above zero") }
    for (name, price) in [("startPrice", form.startPrice), ("reserve", form.reserve), ("buyNow", form.buyNow)] {
      if let price, price.currency != currency {
        throw invalid("\(name).currency", "must be the listing's currency, \(currency)")
      }
    }
    if let reserve = form.reserve, reserve.amount < form.startPrice.amount {
      throw invalid("reserve.amount", "must not be below the start price")
    }
    if let buyNow = form.buyNow, buyNow.amount < max(form.startPrice.amount, form.reserve?.amount ?? 0) {
      throw invalid("buyNow.amount", "must not be below the start price or the reserve")
    }
    let seconds = form.closesAt.seconds(since: opensAt)
    guard seconds >= 60, seconds <= longestSeconds else {
      throw invalid("closesAt", "must be between one minute and 60 days after the opening")
    }
  }

  private func cancel(_ id: AuctionID, _ call: Call) async throws -> Auction {
    let seller = try call.user.id
    try await database.write { tx in
      var auction = try AuctionStore.required(id, in: tx)
      guard auction.lot.seller == seller else { throw Problem(.notTheSeller) }
      guard auction.lot.status != .canceled else { return }
      try AuctionStore.take(auction.lot.canceling(at: tx.now), in: &auction, in: tx)
      try Claims.tell(auction.listingID, in: tx)
      try tx.audit("auction.canceled", object: "auction:\(id)", by: call.auditActor)
    }
    return try await get(id, for: seller)
  }

  // MARK: the buyer

  private func buyNow(_ id: AuctionID, _ call: Call) async throws -> Order {
    let buyer = try call.user.id
    let order = try await database.write { [store] tx in
      try tx.once(call.keyed) {
        var auction = try AuctionStore.required(id, in: tx)
        let accepted = try auction.lot.buyingNow(by: buyer, at: tx.now)
        auction.lot.status = accepted.lot.status
        let order = try store.sales.sell(auction, to: buyer, at: accepted.lot.price ?? 0, in: tx)
        auction.orderID = order
        try AuctionStore.take(accepted, in: &auction, in: tx)
        try Claims.tell(auction.listingID, in: tx)
        return order
      }
    }
    return try await database.read { [view] db in try view.one(order, in: db) }
  }
}
