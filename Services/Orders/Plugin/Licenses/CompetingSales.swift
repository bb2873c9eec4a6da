import Contracts
import Persistence

/// What else could sell a listing: auctions without bids, offers, and cart items.
enum CompetingSales {
  /// Ends everything else that could sell a listing whose exclusive right is sold or firmly promised, in the same
  /// transaction.
  ///
  /// - Parameters:
  ///   - auction: The auction that sells it, which continues.
  ///   - offer: The offer that sells it.
  static func end(_ listing: ListingID, auction: AuctionID? = nil, offer: OfferID? = nil, in tx: Transaction) throws {
    if let running = try AuctionStore.running(for: listing, in: tx), running.id != auction {
      try AuctionChanges.supersede(running, in: tx)
    }
    try OfferTransitions.supersede(listing, without: offer, in: tx)
    try CartStore.dropListing(listing, in: tx)
    try ExclusiveRights.publish(listing, in: tx)
  }

  /// The owner has removed a listing from catalog: it is no longer for sale. What was sold stays valid, and an auction
  /// with bids or an agreed purchase may continue.
  static func endAll(_ listing: ListingID, in tx: Transaction) throws {
    if let running = try AuctionStore.running(for: listing, in: tx), !running.state.hasBids {
      try AuctionChanges.supersede(running, in: tx)
    }
    try OfferTransitions.supersede(listing, without: nil, in: tx)
    try CartStore.dropListing(listing, in: tx)
  }
}
