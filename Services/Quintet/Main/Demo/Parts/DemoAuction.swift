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
    guard let first = artists.first, let id = try await open(0) else { return }
    let auction = AuctionID(trusted: id)
    let bidders = bidders(in: 0)
    try await world.each("bids", Array(0..<min(7, bidders.count * 2)), atOnce: 1) { round in
      try await world.once("auction.0.bid.\(round)") { key in
        _ = try await bid(in: auction, by: bidders[round % bidders.count], round: round, key)
      }
    }
    try await world.once("auction.0.watch") { _ in
      try await first.account.attempt(OrdersAPI.WatchAuction(id: auction))
    }
  }

  /// What is auctioned one after the other: the beats of all artists but the first, who bids.
  private var lots: [(beat: Beat, producer: DemoPerson)] {
    DemoBeats(world).beats.filter { !$0.producer.isMainCharacter }
  }

  func bidders(in number: Int) -> [DemoPerson] {
    let seller = number < lots.count ? lots[number].producer.index : nil
    let others = artists.dropFirst().filter { $0.index != seller }
    // The first artist is the second to bid, and so is outbid before anyone looks.
    return Array((others.prefix(1) + artists.prefix(1) + others.dropFirst()).prefix(6))
  }

  /// Opens the auction with that number.
  /// - Returns: Its id; `nil` when there is nothing left to auction.
  func open(_ number: Int) async throws -> String? {
    guard number < lots.count, let listing = world.journal["beat.\(lots[number].beat.number)"] else { return nil }
    let seller = lots[number].producer
    return try await world.journal.once("auction.\(number)") { key in
      let auction = OrdersAPI.CreateAuction(
        listingID: ListingID(trusted: listing), startPrice: Price(checked: Money(20_00, .usd)),
        reserve: Price(checked: Money(40_00, .usd)),
        closesAt: TimeSource.system.now().advanced(bySeconds: Self.length))
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
