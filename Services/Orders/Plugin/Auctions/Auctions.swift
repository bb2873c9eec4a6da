import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Endpoints of auctions, and the jobs that close them.
struct Auctions: Feature {
  private struct Work: Codable, Sendable { var auction: AuctionID }

  private let core: OrdersCore
  private let media: OrderMedia
  private let bidQueue: BidQueue
  private let endingSoon: EndingSoon
  private let jobs: DurableJobs<Work>

  /// The maximum planned duration of an auction, in seconds.
  private static let maxSeconds = 60.0 * 86_400

  init(_ core: OrdersCore, endingSoon: EndingSoon) throws {
    self.core = core
    media = OrderMedia(core.environment)
    bidQueue = BidQueue(database: core.database, limits: core.auctions.limits)
    self.endingSoon = endingSoon
    jobs = try DurableJobs("auction", core.environment, concurrency: 16, attempts: 10_000) { work, _ in
      let closed = try await core.database.write { tx in try core.auctions.close(work.auction, in: tx) }
      guard let closed, [.scheduled, .open].contains(closed.state.status) else { return .done }
      // Bids have extended the auction.
      return .retry(afterSeconds: max(0.05, closed.dueAt.seconds(since: core.time.now())))
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListAuctions.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(OrdersAPI.CreateAuction.self) { request, call in try await create(request, call) }
    routes.on(OrdersAPI.GetAuction.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(OrdersAPI.CancelAuction.self) { request, call in try await cancel(request.id, call) }
    routes.on(OrdersAPI.ListBids.self) { request, _ in try await bids(request) }
    routes.on(OrdersAPI.PlaceBid.self) { request, call in
      let bid = BidQueue.PendingBid(
        id: core.ids.make(),
        bidder: try call.user.id,
        maximum: request.maxAmount.money,
        received: ReceiptTime(at: core.time.now()),
        idempotencyKey: call.idempotencyKey
      )
      return try await bidQueue.place(bid, on: request.id)
    }
    routes.on(OrdersAPI.BuyNow.self) { request, call in try await buyNow(request.id, call) }
    routes.on(OrdersAPI.ListAuctionEvents.self) { request, _ in try await events(request) }
    routes.on(OrdersAPI.WatchAuction.self) { request, call in
      try await watch(request.id, call.user.id) { try WatchStore.insert($0, by: $1, in: $2) }
    }
    routes.on(OrdersAPI.UnwatchAuction.self) { request, call in
      try await watch(request.id, call.user.id) { try WatchStore.delete($0, by: $1, in: $2) }
    }
    routes.topics("auction") { reader, topics in try await followable(topics, by: reader) }
  }

  // MARK: reading

  private func list(_ request: OrdersAPI.ListAuctions, for viewer: UserID) async throws -> Page<Auction> {
    let (page, now) = (try request.page(by: AuctionID.self), core.time.now())
    let status: SQL? = request.status.map { status in
      switch status {
      // The condition of the index `auctions_current`.
      case .open:
        """
        status NOT IN ('sold', 'reserveNotMet', 'noBids', 'canceled', 'unpaid')
          AND opens_at <= \(now) AND closes_at > \(now)
        """
      case .scheduled: "status = 'scheduled' AND opens_at > \(now)"
      default: "status = \(status)"
      }
    }
    let condition = SQL.and(
      request.listing.map { "listing_id = \($0)" }, request.seller.map { "seller_id = \($0)" }, status
    )
    let isWatched = request.watched == true
    let selection: AuctionStore.Selection =
      switch request.bidder {
      case .me: .bidIn(by: viewer, isWatched: isWatched)
      case nil: isWatched ? .watched(by: viewer) : .all
      }
    return try await core.database.read { db in
      let found = try page.fetch(
        { try AuctionStore.list(selection, condition, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(try AuctionView.of(found.rows, for: viewer, at: now, in: db))
    }
  }

  private func get(_ id: AuctionID, for viewer: UserID) async throws -> Auction {
    let now = core.time.now()
    return try await core.database.read { db in
      let auction = try AuctionStore.get(id, in: db)
      guard let visible = try AuctionView.of([auction], for: viewer, at: now, in: db).first else {
        throw Problem(.auctionNotFound)
      }
      return visible
    }
  }

  private func bids(_ request: OrdersAPI.ListBids) async throws -> Page<Bid> {
    let page = try request.page(by: BidID.self, limit: 50)
    return try await core.database.read { db in
      let auction = try AuctionStore.get(request.id, in: db)
      return try page.fetch({ try BidderStore.bids(on: auction, before: $0, limit: $1, in: db) }, key: \.id).page
    }
  }

  private func events(_ request: OrdersAPI.ListAuctionEvents) async throws -> AuctionFeed {
    let now = core.time.now()
    return try await core.database.read { db in
      _ = try AuctionStore.get(request.id, in: db)
      let limit = request.limit?.value ?? 100
      let items = try AuctionStore.events(of: request.id, after: request.after ?? 0, limit: limit, in: db)
      return AuctionFeed(items: items, serverTime: now)
    }
  }

  /// Everyone who may get an auction may follow it.
  private func followable(_ topics: [Topic], by reader: TopicReader) async throws -> [Topic] {
    guard !reader.roles.contains(.guest) else { return [] }
    let ids = topics.compactMap { AuctionID(String($0.id)) }
    let known = try await core.database.read { try AuctionStore.existing(ids, in: $0) }
    return topics.filter { topic in known.contains { $0.topic == topic } }
  }

  // MARK: the seller

  private func create(_ request: OrdersAPI.CreateAuction, _ call: Call) async throws -> Auction {
    let seller = try call.user.id
    if let done: AuctionID = try await core.database.read({ db in try db.storedResponse(to: call.idempotencyKey) }) {
      return try await get(done, for: seller)
    }
    try core.switches.require(.auctions)
    guard let listing = try await core.catalog.listing(request.listingID) else { throw Problem(.listingNotForSale) }
    guard listing.ownerID == seller else { throw Problem(.notTheSeller) }
    guard let terms = listing.licenses.first(where: { $0.kind == .exclusive }) else {
      throw Problem(.listingNotForSale, detail: "The listing does not offer an exclusive license.")
    }
    let now = core.time.now()
    let opensAt = max(request.opensAt ?? now, now)
    try Self.check(request, terms.price.currency, opensAt)
    let state = AuctionState(
      status: opensAt > now ? .scheduled : .open,
      seller: seller,
      currency: request.startPrice.currency,
      startPrice: request.startPrice.amount,
      reserve: request.reserve?.amount,
      buyNow: request.buyNow?.amount,
      opensAt: opensAt,
      closesAt: request.closesAt,
      originalClosesAt: request.closesAt
    )
    let auction = StoredAuction(id: core.ids.make(), listingID: listing.id, state: state, listing: listing)
    try await media.require(listing, for: auction.id.topic)
    let id = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        try ExclusiveRights.requireAuctionable(listing.id, in: tx)
        guard try AuctionStore.running(for: listing.id, in: tx) == nil else { throw Problem(.auctionRunning) }
        try AuctionChanges.begin(auction, in: tx)
        try jobs.add(Work(auction: auction.id), id: "auction-\(auction.id)", dueAt: auction.dueAt, in: tx)
        try endingSoon.schedule(auction, in: tx)
        try ExclusiveRights.publish(listing.id, in: tx)
        try tx.audit("auction.created", object: "auction:\(auction.id)", by: call.auditActor)
        return auction.id
      }
    }
    return try await get(id, for: seller)
  }

  private static func check(_ request: OrdersAPI.CreateAuction, _ currency: Currency, _ opensAt: Timestamp) throws {
    func invalid(_ field: String, _ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.\(field)", message: message)])
    }
    guard request.startPrice.amount > 0 else { throw invalid("startPrice.amount", "must be above zero") }
    for (name, price) in [("startPrice", request.startPrice), ("reserve", request.reserve), ("buyNow", request.buyNow)]
    {
      if let price, price.currency != currency {
        throw invalid("\(name).currency", "must be the listing's currency, \(currency)")
      }
    }
    if let reserve = request.reserve, reserve.amount < request.startPrice.amount {
      throw invalid("reserve.amount", "must not be below the start price")
    }
    if let buyNow = request.buyNow, buyNow.amount < max(request.startPrice.amount, request.reserve?.amount ?? 0) {
      throw invalid("buyNow.amount", "must not be below the start price or the reserve")
    }
    let seconds = request.closesAt.seconds(since: opensAt)
    guard seconds >= 60, seconds <= maxSeconds else {
      throw invalid("closesAt", "must be between one minute and 60 days after the opening")
    }
  }

  private func cancel(_ id: AuctionID, _ call: Call) async throws -> Auction {
    let seller = try call.user.id
    try await core.database.write { tx in
      var auction = try AuctionStore.get(id, in: tx)
      guard auction.state.seller == seller else { throw Problem(.notTheSeller) }
      guard auction.state.status != .canceled else { return }
      try AuctionChanges.end(by: auction.state.canceling(at: tx.now), &auction, in: tx)
      try ExclusiveRights.publish(auction.listingID, in: tx)
      try tx.audit("auction.canceled", object: "auction:\(id)", by: call.auditActor)
    }
    return try await get(id, for: seller)
  }

  // MARK: the buyer

  private func buyNow(_ id: AuctionID, _ call: Call) async throws -> Order {
    let (buyer, received) = (try call.user.id, ReceiptTime(at: core.time.now()))
    let order = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) { try core.auctions.buyNow(id, by: buyer, received, in: tx) }
    }
    return try await core.database.read { db in try core.view.one(order, in: db) }
  }

  private func watch(
    _ id: AuctionID, _ user: UserID, _ change: @escaping @Sendable (AuctionID, UserID, Transaction) throws -> Void
  ) async throws {
    try await core.database.write { tx in
      guard try !AuctionStore.existing([id], in: tx).isEmpty else { throw Problem(.auctionNotFound) }
      try change(id, user, tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [
      ("bids", .array(try BidderStore.bids(of: user, in: db))),
      ("watchedAuctions", try JSONValue(WatchStore.auctions(of: user, in: db))),
    ]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try core.auctions.erase(user, in: tx)
    try core.auctions.erase(seller: user, in: tx)
  }
}
