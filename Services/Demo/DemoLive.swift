import Contracts

/// Goes on in the finished world: bids, pays, opens the next auction, writes messages, is present. It ends when its
/// process does.
struct DemoLive: Sendable {
  let world: DemoWorld

  private static let lines = [
    "Just listened to it again.", "Are you there?", "I will send it tonight.", "Ha, exactly!", "Good question.",
    "Let me think about it.", "See you tomorrow then.", "Did you see the new one?", "That works for me.",
  ]

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await auction() }
      group.addTask { try await talk() }
      try await group.waitForAll()
    }
  }

  private func auction() async throws {
    let auctions = DemoAuction(world)
    var round = 100
    for number in auctions.lots.indices {
      // The first artist is left to whoever has signed in.
      let bidders = auctions.bidders(in: number).filter { !$0.isMainCharacter }
      guard let first = bidders.first, let auction = try await auctions.open(number) else { continue }
      // A bid every ten seconds or so.
      while true {
        let state = try await first.account.send(OrdersAPI.GetAuction(id: auction))
        guard state.status == .open else { break }
        var random = world.random("live.\(number).\(round)")
        if state.closesAt.seconds(since: state.serverTime) > Self.quietSeconds {
          let key = "demo-live-\(auction)-\(round)"
          _ = try await auctions.bid(in: auction, by: random.pick(bidders), round: round, key)
          round += 1
        }
        try await Task.sleep(for: .seconds(random.number(in: 5...15)))
      }
      // The order is made some seconds after the end, when all bids that came in time are decided.
      try await Task.sleep(for: .seconds(10))
      try await settle(auction, bidders)
    }
  }

  /// A bid in the last two minutes extends an auction. These are left to whoever has signed in, so that it ends in time.
  private static let quietSeconds = 125.0

  /// The winner pays.
  private func settle(_ auction: AuctionID, _ bidders: [DemoPerson]) async throws {
    for bidder in bidders {
      let state = try await bidder.account.send(OrdersAPI.GetAuction(id: auction))
      guard state.status == .sold, let order = state.orderID else { continue }
      try await DemoPurchases(world).pay(order, as: bidder, "demo-live-\(order)")
    }
  }

  private func talk() async throws {
    var random = DemoRandom(UInt64(TimeSource.system.now().unixSeconds), "talk")
    while true {
      for person in random.pick(6, of: world.people) {
        try await person.account.send(MatchingAPI.ReportPresence())
      }
      let person = random.pick(world.people(of: .roomi) + world.people(of: .archived))
      let talks = try await person.account.send(MatchingAPI.ListConversations(limit: PageSize(checked: 10))).items
      if !person.isMainCharacter, let talk = talks.filter({ !$0.isClosed }).first {
        try await person.account.attempt(MatchingAPI.SendTyping(id: talk.id))
        try await Task.sleep(for: .seconds(2))
        let text = try MessageText(validating: random.pick(Self.lines))
        let message = MatchingAPI.SendMessage(id: talk.id, messageID: MessageID(trusted: random.uuid()), text: text)
        try await person.account.attempt(message)
      }
      try await Task.sleep(for: .seconds(random.number(in: 3...9)))
    }
  }
}
