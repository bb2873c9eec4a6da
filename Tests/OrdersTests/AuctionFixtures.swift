import Contracts
import Foundation
import Persistence
import TestKit

@testable import OrdersService

/// Auctions as sellers and bidders use them.
extension TestPlatform {
  func auction(
    _ beat: Listing,
    _ seller: TestUser,
    start: Int64 = 1000,
    reserve: Int64? = nil,
    buyNow: Int64? = nil,
    seconds: Double = 3600
  ) async throws -> Auction {
    func price(_ amount: Int64?) -> Price? { amount.map { Price(checked: Money($0, .usd)) } }
    return try await seller.client.send(
      OrdersAPI.CreateAuction(
        listingID: beat.id, startPrice: Price(checked: Money(start, .usd)), reserve: price(reserve),
        buyNow: price(buyNow), closesAt: time.source.now().advanced(bySeconds: seconds))
    )
  }

  /// Lets the time of an auction pass, until the bids received in time must be decided, and runs the due jobs.
  func close(afterSeconds seconds: Double = 3600) async throws {
    time.advance(seconds: seconds + ReceiptTime.maxWaitSeconds)
    try await runOnce()
  }

  /// Lets the time pass in which the winner has to pay, or the recipient of an offer to accept it.
  func letPaymentsExpire(afterSeconds seconds: Double = 49 * 3600) async throws {
    time.advance(seconds: seconds)
    try await runOnce()
  }

  /// The stored auction.
  func stored(_ auction: Auction) async throws -> StoredAuction {
    try await orders.core.database.read { try AuctionStore.get(auction.id, in: $0) }
  }
}

extension TestUser {
  @discardableResult
  func bid(_ amount: Int64, _ auction: Auction, key: String = UUID().uuidString, currency: Currency = .usd)
    async throws -> BidReceipt
  {
    try await client.send(
      OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(amount, currency))), idempotencyKey: key)
  }

  func auction(_ auction: Auction) async throws -> Auction {
    try await client.send(OrdersAPI.GetAuction(id: auction.id))
  }

  /// The seller's offers to the user.
  func chances() async throws -> [Offer] {
    try await client.send(OrdersAPI.ListOffers()).items.filter { $0.madeBy == .seller && $0.status == .pending }
  }

  func decline(_ offer: Offer) async throws { _ = try await client.send(OrdersAPI.DeclineOffer(id: offer.id)) }
}
