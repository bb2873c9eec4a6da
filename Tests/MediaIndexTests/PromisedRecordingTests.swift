import Contracts
import Foundation
import OrdersService
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// A recording that an auction or an offer may sell can be delivered, whatever its seller does to the listing.
@Suite(.serialized)
struct PromisedRecordingTests {
  private static func run(
    _ database: TestDatabase = .sqlite, _ body: (ItemHost, _ seller: TestUser, _ buyer: TestUser) async throws -> Void
  ) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      try await body(host, users[0], users[1])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anAuctionKeepsItsRecordingUntilTheWinnerHasPaid(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, seller, buyer async throws in
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      let auction = try await host.auction(listing, by: seller)
      try await host.bid(10_000, on: auction, by: buyer)
      try await host.replaceRecording(of: listing, by: seller)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      host.test.time.advance(seconds: 4 * 86_400)
      try await host.test.plugin(OrdersPlugin.self).runOnce("auction")
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      let sold = try await buyer.client.send(OrdersAPI.GetAuction(id: auction.id))
      try await host.pay(#require(sold.orderID), by: buyer)
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      #expect(try await host.content(audio, by: buyer).status == 200)
    }
  }

  @Test func anAuctionThatEndsWithoutASaleKeepsNothing() async throws {
    try await Self.run { host, seller, _ async throws in
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      let auction = try await host.auction(listing, by: seller)
      try await host.replaceRecording(of: listing, by: seller)
      _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id))
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == nil)
    }
  }

  /// The winner does not pay. At no time is the recording unused.
  @Test func theNextBidderGetsTheRecordingToo() async throws {
    try await Self.run { host, seller, buyer async throws in
      let other = try await host.users("eve")[0]
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      let auction = try await host.auction(listing, by: seller)
      try await host.bid(10_000, on: auction, by: buyer)
      try await host.bid(12_000, on: auction, by: other)
      try await host.replaceRecording(of: listing, by: seller)
      for seconds in [4.0, 30.0] {
        host.test.time.advance(seconds: seconds * 86_400)
        try await host.test.plugin(OrdersPlugin.self).runOnce()
      }
      // One after the other, as the relay does.
      for event in try await host.test.recorded(MediaReferencesChanged.self, by: OrdersAPI.self) {
        try await host.test.deliver(event, from: OrdersAPI.self, to: MediaAPI.self)
        #expect(try await host.delete(audio, by: seller) == "media-in-use")
      }
      let offer = try #require(try await buyer.client.send(OrdersAPI.ListOffers()).items.first)
      let accepted = try await buyer.client.send(OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: "yes")
      try await host.pay(#require(accepted.orderID), by: buyer)
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.content(audio, by: buyer).status == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anOfferKeepsItsRecordingUntilItIsPaid(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, seller, buyer async throws in
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      let offer = try await host.offer(9000, for: listing, by: buyer)
      try await host.replaceRecording(of: listing, by: seller)
      let price = Price(checked: Money(12_000, .usd))
      let asked = try await seller.client.send(
        OrdersAPI.CounterOffer(id: offer.id, amount: price), idempotencyKey: "more")
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      let accepted = try await buyer.client.send(OrdersAPI.AcceptOffer(id: asked.id), idempotencyKey: "yes")
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      try await host.pay(#require(accepted.orderID), by: buyer)
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.content(audio, by: buyer).status == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func offersThatEndKeepNothing(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, seller, buyer async throws in
      let other = try await host.users("eve")[0]
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      let retracted = try await host.offer(9000, for: listing, by: buyer)
      _ = try await host.offer(9000, for: listing, by: other)
      try await host.replaceRecording(of: listing, by: seller)
      _ = try await buyer.client.send(OrdersAPI.RetractOffer(id: retracted.id))
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == "media-in-use")
      host.test.time.advance(seconds: 48 * 3600)
      try await host.test.plugin(OrdersPlugin.self).runOnce("offers.expire")
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: seller) == nil)
    }
  }

  @Test func aRecordingThatIsGoneIsNeitherAuctionedNorOffered() async throws {
    try await Self.run { host, seller, buyer async throws in
      let audio = try await host.beat(1, by: seller)
      let listing = try await host.exclusive(of: seller, audio: audio)
      // Its use has not been reported yet.
      host.test.time.advance(seconds: 30 * 86_400)
      #expect(try await host.delete(audio, by: seller) == nil)
      let auctioned = try await problem { _ = try await host.auction(listing, by: seller) }
      #expect(auctioned?.code == "listing-not-for-sale")
      let offered = try await problem { _ = try await host.offer(9000, for: listing, by: buyer) }
      #expect(offered?.code == "listing-not-for-sale")
    }
  }
}

extension ItemHost {
  fileprivate func exclusive(of seller: TestUser, audio: MediaID) async throws -> Listing {
    let price = Price(checked: Money(20_000, .usd))
    return try await seller.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(validating: "Night drive"), audio: audio,
        licenses: [LicenseOption(kind: .exclusive, price: price, files: [.mp3, .wav])], acceptsOffers: true))
  }

  /// The ways in which a seller may remove a recording.
  fileprivate func replaceRecording(of listing: Listing, by seller: TestUser) async throws {
    let other = try await beat(2, by: seller)
    try await relayUses(from: OrdersAPI.self)
    _ = try await seller.client.send(CatalogAPI.UpdateListing(id: listing.id, audio: other))
    try await relayUses(from: CatalogAPI.self)
  }

  fileprivate func auction(_ listing: Listing, by seller: TestUser) async throws -> Auction {
    try await seller.client.send(
      OrdersAPI.CreateAuction(
        listingID: listing.id, startPrice: Price(checked: Money(5000, .usd)),
        closesAt: test.time.source.now().advanced(bySeconds: 3 * 86_400)),
      idempotencyKey: UUID().uuidString)
  }

  fileprivate func bid(_ amount: Int64, on auction: Auction, by bidder: TestUser) async throws {
    _ = try await bidder.client.send(
      OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString)
  }

  fileprivate func offer(_ amount: Int64, for listing: Listing, by buyer: TestUser) async throws -> Offer {
    try await buyer.client.send(
      OrdersAPI.MakeOffer(listingID: listing.id, license: .exclusive, amount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString)
  }

  fileprivate func pay(_ order: OrderID, by buyer: TestUser) async throws {
    let card = PaymentChoice(provider: .test, token: ProviderToken(checked: "test_success"))
    let paid = try await buyer.client.send(OrdersAPI.PayOrder(id: order, body: card), idempotencyKey: "pay-\(order)")
    guard paid.status == .placed else { throw TestKitError("paying: \(paid.status)") }
  }
}
