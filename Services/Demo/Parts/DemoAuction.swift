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
    guard let first = artists.first, let auction = try await open(0) else { return }
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

  /// The lots that are auctioned one after the other: the beats of all artists but the first, who bids.
  var lots: [(beat: Beat, producer: DemoPerson)] {
    DemoBeats(world).beats.filter { !$0.producer.isMainCharacter }
  }

  func bidders(in number: Int) -> [DemoPerson] {
    let seller = number < lots.count ? lots[number].producer.index : nil
    let others = artists.dropFirst().filter { $0.index != seller }
    // The first artist is the second to bid, and so is outbid before anyone looks.
    return Array((others.prefix(1) + artists.prefix(1) + others.dropFirst()).prefix(6))
  }

  /// Opens the auction with that number.
  /// - Returns: Its id; `nil` when its beat cannot be auctioned, because someone has bought it.
  func open(_ number: Int) async throws -> AuctionID? {
    guard number < lots.count, let listing = world.journal["beat.\(lots[number].beat.number)"] else { return nil }
    let (seller, lot) = (lots[number].producer.account, ListingID(trusted: listing))
    let id = try await world.journal.once("auction.\(number)") { _ in
      let auction = OrdersAPI.CreateAuction(
        listingID: lot, startPrice: Price(checked: Money(20_00, .usd)), reserve: Price(checked: Money(40_00, .usd)),
        closesAt: TimeSource.system.now().advanced(bySeconds: Self.length))
      // Without a key, because another attempt closes later. One that a killed run has opened is found.
      if let opened = try await seller.attempt(auction) { return opened.id.rawValue }
      return try await seller.send(OrdersAPI.ListAuctions(listing: lot, status: .open)).items.first?.id.rawValue ?? ""
    }
    return id.isEmpty ? nil : AuctionID(trusted: id)
  }

  /// Bids somewhat more than is needed.
  /// - Returns: Whether the bid was accepted.
  func bid(in auction: AuctionID, by bidder: DemoPerson, round: Int, _ key: String) async throws -> Bool {
    var random = world.random("bid.\(round)")
    guard let state = try await bidder.account.attempt(OrdersAPI.GetAuction(id: auction)), state.status == .open,
      !state.isLeading
    else { return false }
    let amount = state.minNextBid.amount + Int64(random.below(6)) * 250
    let bid = OrdersAPI.PlaceBid(id: auction, maxAmount: Price(checked: Money(amount, .usd)))
    do {
      return try await bidder.account.attempt(bid, key: "\(key)-\(amount)") != nil
    } catch let problem as Problem where problem.is(.biddingSuspended) {
      // A bidder who could not pay, because test payments are not accepted, may not bid after a while.
      return false
    }
  }
}
