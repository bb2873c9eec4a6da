import Contracts
import Persistence

/// What every change of an auction has in common: while one is open its recording is kept, and its followers are notified.
enum AuctionChanges {
  /// Stores a new auction.
  static func begin(_ auction: StoredAuction, in tx: Transaction) throws {
    try AuctionStore.insert(auction, in: tx)
    try OrderMedia.promised(auction.listing, by: auction.id.topic, in: tx)
  }

  /// Stores a transition that ends an auction, and notifies those who follow it.
  static func end(by accepted: AuctionTransition, _ auction: inout StoredAuction, in tx: Transaction) throws {
    auction.state = accepted.state
    let leader = try BidderStore.find(accepted.state.leader?.bidder, in: auction.id, tx)
    let events = accepted.publicEvents(leader: leader?.name, at: tx.now)
    try AuctionStore.save(auction, events, in: tx)
    try OrderMedia.ended(auction.id.topic, in: tx)
    try AuctionNotices.changed(auction, events.last, in: tx)
  }

  /// Ends the auction of a listing that is sold elsewhere.
  static func supersede(_ auction: StoredAuction, in tx: Transaction) throws {
    var auction = auction
    try end(by: auction.state.superseding(at: tx.now), &auction, in: tx)
  }
}
