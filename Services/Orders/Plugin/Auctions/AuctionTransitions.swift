import Contracts
import Persistence

/// Performs the transitions of auctions, one transaction each. The rules are in ``AuctionState``.
struct AuctionTransitions: Sendable {
  let sales: AgreedOrders

  /// Stores a transition that ends an auction, and notifies those who follow it.
  static func apply(_ accepted: AuctionTransition, in auction: inout StoredAuction, in tx: Transaction) throws {
    auction.state = accepted.state
    let leader = try AuctionStore.name(of: accepted.state.leader?.bidder, in: auction.id, tx)
    let events = accepted.publicEvents(leader: leader, at: tx.now)
    try AuctionStore.save(auction, events, in: tx)
    try OrderMedia.ended(auction.id.topic, in: tx)
    try notify(auction, events.last, in: tx)
  }

  /// Sends an auction's latest event to the streams that follow it. The end is also sent to the seller and the leader,
  /// whatever they follow.
  static func notify(_ auction: StoredAuction, _ event: AuctionEvent?, in tx: Transaction) throws {
    guard let event else { return }
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "event": try JSONValue(event),
      "serverTime": .string(tx.now.description),
    ]
    let state = auction.state
    let hasEnded = ![.scheduled, .open].contains(state.status)
    let parties = hasEnded ? [state.seller] + (state.leader.map { [$0.bidder] } ?? []) : []
    try tx.record(TopicEvent(auction.id.topic, "auction.changed", content, alsoTo: parties))
  }

  /// Notifies bidders who no longer lead, once each.
  static func notify(outbid bidders: Set<UserID>, _ auction: StoredAuction, in tx: Transaction) throws {
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "sequence": .integer(auction.state.sequence),
      "minNextBid": try JSONValue(auction.money(auction.state.minNextBid)),
    ]
    for bidder in bidders.sorted(by: { $0.rawValue < $1.rawValue }) {
      try tx.record(RealtimeEvent(to: bidder, "auction.outbid", content))
    }
  }

  /// Ends the auction of a listing that is sold elsewhere.
  static func supersede(_ auction: StoredAuction, in tx: Transaction) throws {
    var auction = auction
    try apply(auction.state.superseding(at: tx.now), in: &auction, in: tx)
  }

  /// Sells at the buy-now price.
  func buyNow(_ id: AuctionID, by buyer: UserID, in tx: Transaction) throws -> OrderID {
    var auction = try AuctionStore.get(id, in: tx)
    let accepted = try auction.state.buyingNow(by: buyer, at: tx.now)
    auction.state.status = accepted.state.status
    let order = try sales.sell(auction, to: buyer, at: accepted.state.price ?? 0, in: tx)
    auction.orderID = order
    try Self.apply(accepted, in: &auction, in: tx)
    try ExclusiveRights.publish(auction.listingID, in: tx)
    return order
  }

  /// Closes an auction that is due; repeated calls have no effect.
  /// - Returns: The current auction.
  func close(_ id: AuctionID, in tx: Transaction) throws -> StoredAuction? {
    guard var auction = try AuctionStore.find(id, in: tx) else { return nil }
    guard var accepted = auction.state.closing(at: tx.now) else { return auction }
    // Apple may have reversed a refund, which restores another buyer's exclusive right.
    if accepted.state.status == .sold, try !ExclusiveClaimStore.isFree(auction.listingID, in: tx) {
      accepted = accepted.withoutSale
    }
    auction.state.status = accepted.state.status
    if accepted.state.status == .sold, let leader = accepted.state.leader, let price = accepted.state.price {
      auction.orderID = try sales.sell(auction, to: leader.bidder, at: price, in: tx)
    }
    try Self.apply(accepted, in: &auction, in: tx)
    try ExclusiveRights.publish(auction.listingID, in: tx)
    return auction
  }

  /// The winner has not paid: the next bidder receives an offer at their own maximum.
  func winnerDefaulted(_ order: StoredOrder, in tx: Transaction) throws {
    guard let id = order.sourceID.flatMap({ AuctionID($0) }), var auction = try AuctionStore.find(id, in: tx),
      auction.orderID == order.id, let accepted = auction.state.defaulting()
    else { return }
    try Self.apply(accepted, in: &auction, in: tx)
    guard let next = try AuctionStore.runnerUp(in: auction, tx), auction.state.meetsReserve(next.maximum) else {
      return
    }
    try sales.offerSecondChance(auction, to: next.bidder, at: next.maximum, in: tx)
  }
}

extension AuctionID {
  /// The topic of an auction.
  var topic: Topic { Topic("auction", rawValue) }
}
