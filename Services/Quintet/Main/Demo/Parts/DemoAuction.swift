import Contracts

/// Archived: an auction that closes soon, with bidders.
struct DemoAuction: DemoPart {
  static let length = 300.0

  let world: DemoWorld
  private let artists: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    artists = world.people(of: .archived)
  }

  func fill() async throws {
    // The first artist bids too, so the second one sells.
    guard let seller = seller, let listing = listing(0) else { return }
    let id = try await open(0, listing, by: seller)
    try await world.each("bids", Array(0..<min(7, bidders.count * 2)), atOnce: 1) { round in
      try await world.once("auction.0.bid.\(round)") { key in
        _ = try await bid(in: AuctionID(trusted: id), by: bidders[round % bidders.count], round: round, key)
      }
    }
    if let first = artists.first {
      try await world.once("auction.0.watch") { _ in
        try await first.account.attempt(OrdersAPI.WatchAuction(id: AuctionID(trusted: id)))
      }
    }
  }

  var seller: DemoPerson? { artists.dropFirst().first }

  var bidders: [DemoPerson] {
    let others = Array(artists.dropFirst(2))
    return Array((others.prefix(1) + artists.prefix(1) + others.dropFirst()).prefix(6))
  }

  /// What is auctioned after that many auctions: the beats that the seller has not auctioned yet.
  func listing(_ number: Int) -> ListingID? {
    let own = DemoBeats(world).beats.filter { $0.producer.index == seller?.index }
    guard !own.isEmpty, number < own.count else { return nil }
    return world.journal["beat.\(own[number].beat.number)"].map { ListingID(trusted: $0) }
  }

  func open(_ number: Int, _ listing: ListingID, by seller: DemoPerson) async throws -> String {
    try await world.journal.once("auction.\(number)") { key in
      let closing = TimeSource.system.now().advanced(bySeconds: Self.length)
      let auction = OrdersAPI.CreateAuction(
        listingID: listing, startPrice: Price(checked: Money(20_00, .usd)), reserve: Price(checked: Money(90_00, .usd)),
        closesAt: closing)
      return try await seller.account.send(auction, key: key).id.rawValue
    }
  }

  /// Bids somewhat more than is needed.
  /// - Returns: Whether the bid was accepted.
  func bid(in auction: AuctionID, by bidder: DemoPerson, round: Int, _ key: String) async throws -> Bool {
    var random = world.random("bid.\(auction).\(round)")
    guard let state = try await bidder.account.attempt(OrdersAPI.GetAuction(id: auction)), state.status == .open,
      !state.isLeading
    else { return false }
    let amount = state.minNextBid.amount + Int64(random.below(6)) * 250
    let bid = OrdersAPI.PlaceBid(id: auction, maxAmount: Price(checked: Money(amount, .usd)))
    return try await bidder.account.attempt(bid, key: key) != nil
  }
}
