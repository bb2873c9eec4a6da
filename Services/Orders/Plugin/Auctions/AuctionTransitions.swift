import Contracts
import Persistence

/// Performs the transitions of auctions, one transaction each. The rules are in ``AuctionState``.
struct AuctionTransitions: Sendable {
  let sales: AgreedOrders
  let limits: AuctionLimits
  /// How long the buyer has to pay the buy-now price, in seconds.
  let buyNowSeconds: Double
  let ids: IDGenerator

  /// Orders at the buy-now price. An unpaid order never stands in the way of bids: the auction goes on until the order is
  /// paid, which ends it (``paid(_:in:)``), or until it ends otherwise, after which the order can no longer be paid.
  func buyNow(_ id: AuctionID, by buyer: UserID, _ received: ReceiptTime, in tx: Transaction) throws -> OrderID {
    let now = try received.effectiveTime(in: tx)
    let auction = try AuctionStore.get(id, in: tx)
    guard try Blocks.among([buyer], across: auction.state.seller, in: tx).isEmpty else {
      throw Problem(.listingNotForSale)
    }
    try limits.requireNotSuspended(buyer, in: tx)
    let price = try auction.state.buyingNow(by: buyer, at: now).state.price ?? 0
    guard try ExclusiveClaimStore.isFree(auction.listingID, in: tx) else { throw Problem(.listingNotForSale) }
    let payBy = min(auction.state.closesAt, tx.now.advanced(bySeconds: buyNowSeconds))
    return try sales.order(auction, for: buyer, at: price, payBy: payBy, in: tx)
  }

  /// Ends the auction whose buy-now price is paid.
  func paid(_ order: StoredOrder, in tx: Transaction) throws {
    guard let buyer = order.userID, var auction = try AuctionStore.find(for: order, in: tx), auction.orderID != order.id
    else {
      return
    }
    let accepted = try auction.state.buyingNow(by: buyer, at: tx.now)
    auction.orderID = order.id
    // The buyer is the only bidder.
    let price = accepted.state.price ?? 0
    try BidderStore.save([(.init(auction: auction.id, user: buyer, name: "bidder 1", maximum: price), tx.now)], in: tx)
    try AuctionChanges.end(by: accepted, &auction, in: tx)
    try ExclusiveRights.publish(auction.listingID, in: tx)
  }

  /// Creates the order of an auction's winner, who holds the exclusive right from now on.
  private func sell(_ auction: StoredAuction, to buyer: UserID, at price: Int64, in tx: Transaction) throws -> OrderID {
    let order = try sales.order(auction, for: buyer, at: price, in: tx)
    try ExclusiveRights.claim(auction.listingID, for: order, auction: auction.id, in: tx)
    try CompetingSales.end(auction.listingID, auction: auction.id, in: tx)
    return order
  }

  /// Closes an auction that is due, once the bids that were received in time are decided (``ReceiptTime``); repeated
  /// calls have no effect.
  /// - Returns: The current auction.
  func close(_ id: AuctionID, in tx: Transaction) throws -> StoredAuction? {
    guard var auction = try AuctionStore.find(id, in: tx) else { return nil }
    guard tx.now >= auction.dueAt, var accepted = auction.state.closing(at: tx.now) else { return auction }
    // Apple may have reversed a refund, which restores another buyer's exclusive right.
    if accepted.state.status == .sold, try !ExclusiveClaimStore.isFree(auction.listingID, in: tx) {
      accepted = accepted.withoutSale
    }
    auction.state.status = accepted.state.status
    let winner = accepted.state.status == .sold ? accepted.state.leader?.bidder : nil
    let isGone = try BidderStore.find(winner, in: id, tx)?.isDeleted ?? false
    if let winner, !isGone, let price = accepted.state.price {
      auction.orderID = try sell(auction, to: winner, at: price, in: tx)
    }
    try AuctionChanges.end(by: accepted, &auction, in: tx)
    try ExclusiveRights.publish(auction.listingID, in: tx)
    // A winner who has deleted their account will not pay.
    if isGone { try defaulted(&auction, in: tx) }
    return auction
  }

  // MARK: bidders who do not pay

  /// The winner has not paid: the next bidder receives an offer at their own maximum.
  func winnerDefaulted(_ order: StoredOrder, in tx: Transaction) throws {
    // A buy-now that is not paid has taken nothing from anyone.
    guard var auction = try AuctionStore.find(for: order, in: tx), auction.orderID == order.id else { return }
    try strike(order, of: auction.id, in: tx)
    try defaulted(&auction, in: tx)
  }

  /// The buyer has not paid for an accepted offer: if it was a second chance, the next bidder receives one.
  func offerDefaulted(_ order: StoredOrder, in tx: Transaction) throws {
    guard let offer = order.sourceID.flatMap({ OfferID($0) }) else { return }
    let auction = try SecondChanceStore.end(offer, in: tx)
    try strike(order, of: auction, in: tx)
    if let auction { try offerNext(auction, in: tx) }
  }

  /// An offer was declined or has expired: if it was a second chance, the next bidder receives one.
  func chanceEnded(_ offer: OfferID, in tx: Transaction) throws {
    guard let id = try SecondChanceStore.end(offer, in: tx) else { return }
    try offerNext(id, in: tx)
  }

  /// Orders that were canceled by the shop are not the buyer's fault.
  private func strike(_ order: StoredOrder, of auction: AuctionID?, in tx: Transaction) throws {
    guard order.status == .expired, let buyer = order.userID else { return }
    try StrikeStore.insert(ids.make(), of: buyer, auction, order.id, in: tx)
  }

  private func defaulted(_ auction: inout StoredAuction, in tx: Transaction) throws {
    guard let accepted = auction.state.defaulting() else { return }
    try AuctionChanges.end(by: accepted, &auction, in: tx)
    try offerNext(auction.id, in: tx)
  }

  private func offerNext(_ id: AuctionID, in tx: Transaction) throws {
    guard let auction = try AuctionStore.find(id, in: tx), auction.state.status == .unpaid,
      try ExclusiveClaimStore.isFree(auction.listingID, in: tx),
      try AuctionStore.running(for: auction.listingID, in: tx) == nil,
      let next = try SecondChanceStore.nextBidder(in: auction, unpaid: limits.unpaid, tx)
    else { return }
    let offer = try sales.offerSecondChance(auction, to: next.bidder, at: next.maximum, in: tx)
    try SecondChanceStore.insert(offer, id, to: next.bidder, in: tx)
  }

  // MARK: deleted users

  /// Removes a deleted user's id from auctions. A bid on a running auction stays, because others have bid against it: a
  /// stand-in takes the place of the user, keeps the pseudonym and the maximum, and does not pay when it wins.
  ///
  /// Strikes are deleted with the account, because nothing that would still identify the user may be kept: who opens
  /// another account begins without strikes. What such an account can hold is bounded by ``AuctionLimits``.
  func erase(_ bidder: UserID, in tx: Transaction) throws {
    let chances = try SecondChanceStore.pending(of: bidder, in: tx)
    let auctions = try BidderStore.auctions(of: bidder, in: tx)
    for auction in auctions where auction.isRunning {
      let standIn: UserID = ids.make()
      try AuctionStore.replace(leader: bidder, with: standIn, in: auction.id, tx)
      try BidderStore.replace(bidder, with: standIn, in: auction.id, tx)
    }
    try AuctionStore.erase(leader: bidder, in: auctions.filter { !$0.isRunning }.map(\.id), tx)
    try BidderStore.erase(bidder, in: tx)
    try SecondChanceStore.erase(bidder, in: tx)
    try StrikeStore.delete(of: bidder, in: tx)
    try WatchStore.delete(of: bidder, in: tx)
    for chance in chances { try chanceEnded(chance, in: tx) }
  }

  /// Cancels a deleted seller's auctions without bids, and deletes those that have sold nothing. A sale is kept with its
  /// seller, as the law requires of its order.
  func erase(seller: UserID, in tx: Transaction) throws {
    let running: SQL = "seller_id = \(seller) AND status IN ('scheduled', 'open')"
    for var auction in try AuctionStore.list(.all, running, before: nil, limit: 10_000, in: tx)
    where !auction.state.hasBids {
      guard let canceled = try? auction.state.canceling(at: tx.now) else { continue }
      try AuctionChanges.end(by: canceled, &auction, in: tx)
      try ExclusiveRights.publish(auction.listingID, in: tx)
    }
    let unsold = try AuctionStore.unsold(of: seller, in: tx)
    try WatchStore.delete(of: unsold, in: tx)
    try SecondChanceStore.delete(of: unsold, in: tx)
    try BidderStore.delete(of: unsold, in: tx)
    try AuctionStore.delete(unsold, in: tx)
  }
}

extension StoredAuction {
  /// When the auction may be closed.
  var dueAt: Timestamp { state.closesAt.advanced(bySeconds: ReceiptTime.maxWaitSeconds) }
}
