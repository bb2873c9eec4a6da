import Contracts
import Persistence
import ServiceKit

/// The exclusive right of each listing: one order at a time has it, whatever it came by.
enum Claims {
  /// Whether nobody has the exclusive right or is about to.
  static func isFree(_ listing: ListingID, in db: any Connection) throws -> Bool {
    try db.first("SELECT 1 FROM exclusive_claims WHERE listing_id = \(listing)") { _ in } == nil
  }

  /// Claims a listing for an order: until that is over, nobody else buys it or bids for it.
  ///
  /// - Parameter auction: The auction that sells it.
  /// - Throws: ``Problem`` when somebody else has it, or when people bid for it.
  static func claim(_ listing: ListingID, for order: OrderID, auction: AuctionID? = nil, in tx: Transaction) throws {
    guard try isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
    if let running = try AuctionStore.running(for: listing, in: tx), running.id != auction, running.lot.leader != nil {
      throw Problem(.listingNotForSale, detail: "People are bidding for it.")
    }
    try tx.execute("INSERT INTO exclusive_claims (listing_id, order_id) VALUES (\(listing), \(order))")
  }

  /// The exclusive right is sold, or promised for good: whatever else would sell it ends in the same transaction, an auction
  /// without bids, offers, and its places in carts.
  ///
  /// - Parameters:
  ///   - auction: The auction that sells it, which goes on.
  ///   - offer: The offer that sells it.
  static func endOthers(_ listing: ListingID, auction: AuctionID? = nil, offer: OfferID? = nil, in tx: Transaction)
    throws
  {
    if let running = try AuctionStore.running(for: listing, in: tx), running.id != auction {
      try AuctionStore.overtake(running, in: tx)
    }
    try Offers.supersede(listing, without: offer, in: tx)
    try CartStore.dropListing(listing, in: tx)
    try tell(listing, in: tx)
  }

  /// Gives back what an order has claimed: the listings are for sale again.
  static func release(_ order: OrderID, in tx: Transaction) throws {
    let listings = try tx.all("SELECT listing_id FROM exclusive_claims WHERE order_id = \(order)") { row -> ListingID in
      try row[0]
    }
    try tx.execute("DELETE FROM exclusive_claims WHERE order_id = \(order)")
    for listing in listings { try tell(listing, in: tx) }
  }

  /// The owner has taken a listing out of catalog: nothing of it is for sale any more. What was sold stays valid, and who
  /// has bid or got it agreed may go on.
  static func listingRemoved(_ listing: ListingID, in tx: Transaction) throws {
    if let running = try AuctionStore.running(for: listing, in: tx), running.lot.leader == nil {
      try AuctionStore.overtake(running, in: tx)
    }
    try Offers.supersede(listing, without: nil, in: tx)
    try CartStore.dropListing(listing, in: tx)
  }

  /// Tells catalog how it stands with a listing.
  static func tell(_ listing: ListingID, in tx: Transaction) throws {
    let isSold =
      try tx.first(
        "SELECT 1 FROM licences WHERE listing_id = \(listing) AND kind = 'exclusive' AND status = 'active'"
      ) { _ in } != nil
    let isAuctioned = try AuctionStore.running(for: listing, in: tx) != nil
    try tx.record(ListingSaleChanged(listingID: listing, isPurchased: isSold, isOpenForBids: isAuctioned))
  }
}
