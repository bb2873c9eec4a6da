import Contracts
import Persistence

/// Decides several bids on one auction in one transaction, in the order of their arrival.
struct BidBatch {
  private var auction: StoredAuction
  private var names: [UserID: String] = [:]
  private var events: [AuctionEvent] = []
  /// Those who have led, before the batch or in it.
  private var leaders: Set<UserID> = []

  static func decide(_ bids: [BidQueue.PendingBid], on id: AuctionID, in tx: Transaction) throws -> [Result<
    BidReceipt, Problem
  >] {
    var batch = BidBatch(auction: try AuctionStore.get(id, in: tx))
    guard try ExclusiveClaimStore.isFree(batch.auction.listingID, in: tx) else {
      let problem = Problem(.auctionClosed, detail: "The listing is being sold to another buyer.")
      return bids.map { _ in .failure(problem) }
    }
    let before = batch.auction.state
    batch.noteLeader()
    let results = try bids.map { bid -> Result<BidReceipt, Problem> in
      do {
        return .success(try batch.decide(bid, in: tx))
      } catch let problem as Problem {
        return .failure(problem)
      }
    }
    guard batch.auction.state != before else { return results }
    try AuctionStore.save(batch.auction, batch.events, in: tx)
    // Realtime streams receive the state after all of the bids.
    try AuctionTransitions.notify(batch.auction, batch.events.last, in: tx)
    let outbid = batch.leaders.filter { $0 != batch.auction.state.leader?.bidder }
    try AuctionTransitions.notify(outbid: outbid, batch.auction, in: tx)
    return results
  }

  private mutating func decide(_ bid: BidQueue.PendingBid, in tx: Transaction) throws -> BidReceipt {
    if let done: BidReceipt = try tx.storedResponse(to: bid.idempotencyKey) { return done }
    let accepted = try auction.state.bidding(bid.maximum, by: bid.bidder, at: tx.now)
    auction.state = accepted.state
    noteLeader()
    try record(bid, isSeen: !accepted.events.isEmpty, in: tx)
    let leader = try accepted.state.leader.map { try name(of: $0.bidder, in: tx) }
    events += accepted.publicEvents(leader: leader, at: tx.now)
    let receipt = receipt(for: bid, at: tx.now)
    if let idempotencyKey = bid.idempotencyKey { try tx.keep(receipt, for: idempotencyKey) }
    return receipt
  }

  private mutating func noteLeader() {
    if let leader = auction.state.leader { leaders.insert(leader.bidder) }
  }

  private func receipt(for bid: BidQueue.PendingBid, at now: Timestamp) -> BidReceipt {
    BidReceipt(
      id: bid.id,
      isLeading: auction.state.leader?.bidder == bid.bidder,
      price: auction.money(auction.state.price ?? auction.state.startPrice),
      minNextBid: auction.money(auction.state.minNextBid),
      reserveMet: auction.state.reserveMet,
      closesAt: auction.state.closesAt,
      sequence: auction.state.sequence,
      serverTime: now
    )
  }

  private mutating func record(_ bid: BidQueue.PendingBid, isSeen: Bool, in tx: Transaction) throws {
    let name = try name(of: bid.bidder, in: tx)
    // A leader who raises their own maximum is not shown as a bid.
    if isSeen { try AuctionStore.insert(bid, on: auction, in: tx) }
    try AuctionStore.saveBidder(bid, name, in: auction.id, tx)
  }

  /// `bidder 7` is the seventh bidder; the name does not reveal the user.
  private mutating func name(of bidder: UserID, in tx: Transaction) throws -> String {
    if let known = names[bidder] { return known }
    if let known = try AuctionStore.name(of: bidder, in: auction.id, tx) {
      names[bidder] = known
      return known
    }
    let name = "bidder \(try AuctionStore.countBidders(of: auction.id, in: tx) + 1)"
    names[bidder] = name
    return name
  }
}
