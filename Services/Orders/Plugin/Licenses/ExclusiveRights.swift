import Contracts
import Persistence
import ServiceKit

/// The exclusive right to each listing: at most one order at a time has it, whatever its source.
///
/// - An order claims the right when it is made. While an auction of the listing runs, a cart or a buy-now claims it
///   only when it is paid, before the first bid: an unpaid order never stands in the way of bids. So does a cart whose
///   buyer has let an earlier order for it lapse: no one blocks a sale by checking out again and again.
/// - No license for a listing is granted after its exclusive license: that sale ends the listing's unpaid orders, and a
///   payment that still arrives for one of them is refunded in full.
enum ExclusiveRights {
  // MARK: claims

  /// Claims a listing for an order: until the claim is released, no one else can buy it or bid for it.
  ///
  /// - Parameter auction: The auction that sells it.
  /// - Throws: ``Problem`` when another order has claimed it, or while another auction of it runs.
  static func claim(_ listing: ListingID, for order: OrderID, auction: AuctionID? = nil, in tx: Transaction) throws {
    guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
    if let running = try runningAuction(of: listing, in: tx), running.id != auction {
      throw Problem(.auctionRunning, detail: "The exclusive license is being auctioned.")
    }
    try ExclusiveClaimStore.insert(listing, order, in: tx)
  }

  /// Whether an order can claim a listing: no other has, and no auction of it has bids.
  static func isFree(_ listing: ListingID, in db: any Connection) throws -> Bool {
    try ExclusiveClaimStore.isFree(listing, in: db)
      && AuctionStore.running(for: listing, in: db)?.state.hasBids != true
  }

  /// Claims a listing for a cart that is checked out, unless that is left to ``secure(_:for:in:)``.
  ///
  /// - Throws: ``Problem`` when another order has claimed it, or when its auction has bids.
  static func claimAtCheckout(_ listing: ListingID, for order: OrderID, of buyer: UserID, in tx: Transaction) throws {
    guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
    if let running = try runningAuction(of: listing, in: tx) { return try requireNoBids(running) }
    guard try !OrderStore.hasLapsed(listing, of: buyer, in: tx) else { return }
    try ExclusiveClaimStore.insert(listing, order, in: tx)
  }

  /// Releases the claim of an unpaid cart, so that its listing can be auctioned. The order may still be paid before the
  /// first bid.
  ///
  /// - Throws: ``Problem`` when the right is sold, or promised by an auction or an accepted offer.
  static func requireAuctionable(_ listing: ListingID, in tx: Transaction) throws {
    try ExclusiveClaimStore.deleteUnpaid(listing, in: tx)
    guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
  }

  private static func requireNoBids(_ auction: StoredAuction) throws(Problem) {
    guard !auction.state.hasBids else {
      throw Problem(.listingNotForSale, detail: "The listing has an auction with bids.")
    }
  }

  /// The auction that may still sell a listing. When the last bids that were received in time have been decided, one
  /// without a bid only waits to be closed.
  private static func runningAuction(of listing: ListingID, in tx: Transaction) throws -> StoredAuction? {
    guard let auction = try AuctionStore.running(for: listing, in: tx) else { return nil }
    return auction.state.status(at: tx.now) == .noBids && tx.now >= auction.dueAt ? nil : auction
  }

  // MARK: payment

  /// Whether an order's licenses can be granted if it is paid now.
  static func arePayable(_ lines: [StoredLine], of order: StoredOrder, in tx: Transaction) throws -> Bool {
    for line in lines {
      guard let listing = line.line.listingID else { continue }
      // The seller's account may have been deleted.
      if line.sellerID == nil { return false }
      guard try !LicenseStore.isExclusiveSold(listing, in: tx) else { return false }
      guard line.line.license == .exclusive else { continue }
      let holder = try ExclusiveClaimStore.holder(of: listing, in: tx)
      guard holder == nil || holder == order.id else { return false }
      let isBuyable =
        if order.source == .auction {
          try AuctionStore.find(for: order, in: tx)?.isBuyable(with: order, at: tx.now) ?? false
        } else {
          try holder == order.id || runningAuction(of: listing, in: tx)?.state.hasBids != true
        }
      guard isBuyable else { return false }
    }
    return true
  }

  /// Claims what an order is paid for and has not claimed yet. Its licenses are payable, and it is paid in the same
  /// transaction: an order that stays unpaid claims nothing.
  static func secure(_ lines: [StoredLine], for order: StoredOrder, in tx: Transaction) throws {
    for line in lines where line.line.license == .exclusive {
      guard let listing = line.line.listingID, try ExclusiveClaimStore.isFree(listing, in: tx) else { continue }
      try ExclusiveClaimStore.insert(listing, order.id, in: tx)
    }
  }

  // MARK: release

  /// Releases what an order has claimed: the listings are for sale again.
  static func release(_ order: OrderID, in tx: Transaction) throws {
    let listings = try ExclusiveClaimStore.listings(of: order, in: tx)
    try ExclusiveClaimStore.delete(of: order, in: tx)
    for listing in listings { try publish(listing, in: tx) }
  }

  /// Releases one of the listings that an order has claimed.
  static func release(_ listing: ListingID, of order: OrderID, in tx: Transaction) throws {
    if try ExclusiveClaimStore.delete(listing, of: order, in: tx) { try publish(listing, in: tx) }
  }

  /// Ends exclusive licenses whose time has passed: their listings are for sale again.
  ///
  /// - Returns: How many.
  static func endExpired(limit: Int, in tx: Transaction) throws -> Int {
    let ended = try LicenseStore.expireExclusive(limit: limit, in: tx)
    for license in ended {
      try ExclusiveClaimStore.delete(license.listing, of: license.order, in: tx)
      try publish(license.listing, in: tx)
    }
    return ended.count
  }

  /// Notifies catalog of the sale status of a listing.
  static func publish(_ listing: ListingID, in tx: Transaction) throws {
    let isSold = try LicenseStore.isExclusiveSold(listing, in: tx)
    let isAuctioned = try AuctionStore.running(for: listing, in: tx) != nil
    let version = try ListingSaleStore.nextVersion(of: listing, in: tx)
    try tx.record(
      ListingSaleChanged(listingID: listing, isPurchased: isSold, isOpenForBids: isAuctioned, version: version))
  }
}
