import Contracts
import Persistence
import ServiceKit

/// The exclusive right to each listing: at most one order at a time has it, whatever its source.
enum ExclusiveRights {
  /// Claims a listing for an order: until the claim is released, no one else can buy it or bid for it.
  ///
  /// - Parameter auction: The auction that sells it.
  /// - Throws: ``Problem`` when another order has claimed it, or when another auction of it has bids.
  static func claim(_ listing: ListingID, for order: OrderID, auction: AuctionID? = nil, in tx: Transaction) throws {
    guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
    if let running = try AuctionStore.running(for: listing, in: tx), running.id != auction, running.state.hasBids {
      throw Problem(.listingNotForSale, detail: "The listing has an auction with bids.")
    }
    try ExclusiveClaimStore.insert(listing, order, in: tx)
  }

  /// Ends everything else that could sell a listing whose exclusive right is sold or firmly promised, in the same
  /// transaction: an auction without bids, offers, and cart items.
  ///
  /// - Parameters:
  ///   - auction: The auction that sells it, which continues.
  ///   - offer: The offer that sells it.
  static func endOthers(_ listing: ListingID, auction: AuctionID? = nil, offer: OfferID? = nil, in tx: Transaction)
    throws
  {
    if let running = try AuctionStore.running(for: listing, in: tx), running.id != auction {
      try AuctionTransitions.supersede(running, in: tx)
    }
    try Offers.supersede(listing, without: offer, in: tx)
    try CartStore.dropListing(listing, in: tx)
    try publish(listing, in: tx)
  }

  /// Releases what an order has claimed: the listings are for sale again.
  static func release(_ order: OrderID, in tx: Transaction) throws {
    let listings = try ExclusiveClaimStore.listings(of: order, in: tx)
    try ExclusiveClaimStore.delete(of: order, in: tx)
    for listing in listings { try publish(listing, in: tx) }
  }

  /// The owner has removed a listing from catalog: it is no longer for sale. What was sold stays valid, and an auction
  /// with bids or an agreed purchase may continue.
  static func listingRemoved(_ listing: ListingID, in tx: Transaction) throws {
    if let running = try AuctionStore.running(for: listing, in: tx), !running.state.hasBids {
      try AuctionTransitions.supersede(running, in: tx)
    }
    try Offers.supersede(listing, without: nil, in: tx)
    try CartStore.dropListing(listing, in: tx)
  }

  /// Notifies catalog of the sale status of a listing.
  static func publish(_ listing: ListingID, in tx: Transaction) throws {
    let isSold = try LicenseStore.isExclusiveSold(listing, in: tx)
    let isAuctioned = try AuctionStore.running(for: listing, in: tx) != nil
    try tx.record(ListingSaleChanged(listingID: listing, isPurchased: isSold, isOpenForBids: isAuctioned))
  }
}
