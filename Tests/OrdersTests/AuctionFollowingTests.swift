import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The auctions of a user: those they have bid in and those they watch, what they are notified of, and what is left of
/// them.
@Suite(.serialized)
struct AuctionFollowingTests {
  private func list(_ request: OrdersAPI.ListAuctions, _ user: TestUser) async throws -> [AuctionID] {
    try await user.client.send(request).items.map(\.id)
  }

  private func open(_ count: Int, _ host: TestPlatform) async throws -> [Auction] {
    let seller = try await host.person()
    var auctions: [Auction] = []
    for _ in 0..<count { auctions.append(try await host.auction(host.beat(seller), seller)) }
    return auctions
  }

  @Test(arguments: TestDatabase.allCases)
  func auctionsAreListedByWhatTheyAre(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let auctions = try await open(3, host)
      let ids = auctions.map(\.id)
      let ada = try await host.person()
      #expect(try await list(.init(), ada) == ids.reversed())
      #expect(try await list(.init(listing: auctions[1].listingID), ada) == [ids[1]])
      #expect(try await list(.init(seller: auctions[0].sellerID, status: .open), ada) == ids.reversed())
      #expect(try await list(.init(seller: ada.id), ada).isEmpty)
      #expect(try await list(.init(status: .sold), ada).isEmpty)
      let first = try await ada.client.send(OrdersAPI.ListAuctions(limit: PageSize(checked: 2)))
      #expect(first.items.map(\.id) == [ids[2], ids[1]])
      let cursor = try #require(first.nextCursor)
      #expect(try await list(.init(limit: PageSize(checked: 2), cursor: cursor), ada) == [ids[0]])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func biddersListTheirAuctions(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let auctions = try await open(3, host)
      let (ada, bob) = (try await host.person(), try await host.person())
      try await ada.bid(2000, auctions[0])
      try await ada.bid(3000, auctions[2])
      try await bob.bid(9000, auctions[2])
      let own = try await ada.client.send(OrdersAPI.ListAuctions(bidder: .me)).items
      #expect(own.map(\.id) == [auctions[2].id, auctions[0].id])
      #expect(own.map(\.isLeading) == [false, true])
      #expect(own.map(\.ownMaximum) == [Money(3000, .usd), Money(2000, .usd)])
      #expect(try await list(.init(listing: auctions[0].listingID, bidder: .me), ada) == [auctions[0].id])
      let first = try await ada.client.send(OrdersAPI.ListAuctions(bidder: .me, limit: PageSize(checked: 1)))
      let cursor = try #require(first.nextCursor)
      #expect(try await list(.init(bidder: .me, limit: PageSize(checked: 1), cursor: cursor), ada) == [auctions[0].id])
      #expect(try await list(.init(bidder: .me), try await host.person()).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func auctionsAreWatched(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let auctions = try await open(3, host)
      let (ada, bob) = (try await host.person(), try await host.person())
      for auction in [auctions[0], auctions[2], auctions[2]] {
        _ = try await ada.client.send(OrdersAPI.WatchAuction(id: auction.id))
      }
      try await ada.bid(2000, auctions[2])
      #expect(try await list(.init(watched: true), ada) == [auctions[2].id, auctions[0].id])
      #expect(try await list(.init(bidder: .me, watched: true), ada) == [auctions[2].id])
      #expect(try await list(.init(watched: true), bob).isEmpty)
      #expect(try await ada.auction(auctions[0]).isWatched)
      #expect(try await !bob.auction(auctions[0]).isWatched)
      for _ in 0..<2 { _ = try await ada.client.send(OrdersAPI.UnwatchAuction(id: auctions[0].id)) }
      #expect(try await list(.init(watched: true), ada) == [auctions[2].id])
      let unknown = OrdersAPI.WatchAuction(id: host.ids.make())
      #expect(await refusal { _ = try await ada.client.send(unknown) } == "auction-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func biddersAndWatchersAreNotifiedOnceBeforeTheEnd(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let auction = try await open(1, host)[0]
      let (ada, bob, eve) = (try await host.person(), try await host.person(), try await host.person())
      try await ada.bid(2000, auction)
      for user in [ada, bob] { _ = try await user.client.send(OrdersAPI.WatchAuction(id: auction.id)) }
      func endings() async throws -> [TopicEvent] {
        try await host.recorded(TopicEvent.self, by: OrdersAPI.self).filter { $0.name == "auction.endingSoon" }
      }
      host.time.advance(seconds: 2699)
      try await host.runOnce()
      #expect(try await endings().isEmpty)
      host.time.advance(seconds: 1)
      async let one: Void = host.runOnce()
      async let two: Void = host.runOnce()
      _ = try await (one, two)
      let event = try #require(try await endings().first)
      #expect(event.topic == Topic("auction", auction.id.rawValue))
      #expect(Set(event.users) == [ada.id, bob.id])
      let push = try await host.recorded(GroupPushRequested.self, by: OrdersAPI.self)
      #expect(push.map { Set($0.users) } == [[ada.id, bob.id]])
      // An extension does not repeat it.
      host.time.advance(seconds: 890)
      try await eve.bid(9000, auction)
      try await host.runOnce()
      #expect(try await endings().count == 1)
    }
  }

  @Test func auctionsThatHaveEndedEarlyAreNotAnnounced() async throws {
    try await TestPlatform.orders { host async throws in
      let seller = try await host.person()
      let auction = try await host.auction(host.beat(seller), seller)
      _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id))
      host.time.advance(seconds: 3000)
      try await host.runOnce()
      let names = try await host.recorded(TopicEvent.self, by: OrdersAPI.self).map(\.name)
      #expect(!names.contains("auction.endingSoon"))
    }
  }

  // MARK: deleted users

  /// Everything in the tables of auctions as one text.
  private func stored(_ host: TestPlatform) async throws -> String {
    try await host.database(of: OrdersAPI.self).read { db in
      let texts: [SQL] = [
        "SELECT COALESCE(bidder_id, '') FROM auction_bids", "SELECT bidder_id FROM auction_bidders",
        "SELECT COALESCE(leader_id, '') FROM auctions", "SELECT user_id FROM auction_watches",
        "SELECT user_id FROM auction_strikes", "SELECT COALESCE(bidder_id, '') FROM second_chances",
      ]
      return try texts.flatMap { try db.values($0, as: String.self) }.joined(separator: " ")
    }
  }

  @Test("M18: a deleted user's id is in no auction, and a running one goes on", arguments: TestDatabase.allCases)
  func deletedBiddersLeaveNoID(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let auctions = try await open(2, host)
      let (ada, bob) = (try await host.person(), try await host.person())
      for auction in auctions {
        try await bob.bid(3000, auction)
        try await ada.bid(8000, auction)
        _ = try await ada.client.send(OrdersAPI.WatchAuction(id: auction.id))
      }
      let before = try await bob.auction(auctions[0])
      try await host.erase(ada)
      #expect(try await !stored(host).contains(ada.id.rawValue))
      let after = try await bob.auction(auctions[0])
      #expect(after == before)
      #expect(
        try await bob.client.send(OrdersAPI.ListBids(id: auctions[0].id)).items.map(\.bidder) == [
          "bidder 2", "bidder 1",
        ])
      // Names of bidders stay unique.
      let eve = try await host.person()
      try await eve.bid(9000, auctions[1])
      #expect(try await bob.auction(auctions[1]).leader == "bidder 3")
      try await host.close()
      // The deleted leader cannot pay: the next bidder gets the chance at once.
      #expect(try await bob.auction(auctions[0]).status == .unpaid)
      #expect(try await bob.chances().map(\.amount) == [Money(3000, .usd)])
      // After the end, the id goes too.
      try await host.erase(eve)
      #expect(try await !stored(host).contains(eve.id.rawValue))
      #expect(try await bob.auction(auctions[1]).leader == nil)
    }
  }

  @Test("M18: of a deleted seller's auctions, those that have sold nothing are deleted")
  func unsoldAuctionsOfDeletedSellersAreDeleted() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let sold = try await host.auction(host.beat(seller), seller)
      let unsold = try await host.auction(host.beat(seller), seller, reserve: 9000)
      let running = try await host.auction(host.beat(seller), seller, seconds: 90_000)
      let empty = try await host.auction(host.beat(seller), seller, seconds: 90_000)
      for auction in [sold, unsold, running] { try await ada.bid(2000, auction) }
      try await host.close()
      try await host.erase(seller)
      // A sold and unpaid auction is not sold any more.
      #expect(try await list(.init(), ada) == [running.id])
      #expect(await refusal { _ = try await ada.auction(sold) } == "auction-not-found")
      #expect(await refusal { _ = try await ada.auction(empty) } == "auction-not-found")
    }
  }
}
