import Contracts
import Persistence

/// Decides several bids on one auction in one transaction, in the order of their receipt. The statements do not grow in
/// number with the bids: what they need is read before, and what they lead to is written after.
struct BidBatch {
  private var auction: StoredAuction
  private var keys: IdempotentBatch
  private let haveAllKeys: Bool
  private var bidders: [UserID: BidderStore.Bidder]
  /// The reasons why bidders are refused.
  private var refusals: [UserID: Problem]
  /// The reason why no bid can be accepted.
  private let obstacle: Problem?
  private var bidderCount: Int?
  private var bids: [(id: BidID, bidder: UserID, maximum: Int64, price: Int64?, at: Timestamp)] = []
  /// When the bidders last raised their maximums.
  private var raised: [UserID: Timestamp] = [:]
  private var events: [AuctionEvent] = []
  /// The users who have led, before the batch or in it.
  private var leaders: Set<UserID> = []

  /// - Parameter refusals: Bidders who hold too much in other auctions.
  static func decide(
    _ bids: [BidQueue.PendingBid], on id: AuctionID, refusing refusals: [UserID: Problem] = [:], in tx: Transaction
  ) throws -> [Result<BidReceipt, Problem>] {
    // A bid that is sent again receives its answer whatever has become of the auction.
    let keys = try IdempotentBatch(bids.compactMap(\.idempotencyKey), in: tx)
    var batch = try BidBatch(bids, on: id, keys, refusing: refusals, in: tx)
    let before = batch.auction.state
    batch.noteLeader()
    let results = try bids.map { bid -> Result<BidReceipt, Problem> in
      do {
        return .success(try batch.decide(bid, in: tx))
      } catch let problem as Problem {
        return .failure(problem)
      }
    }
    if batch.auction.state != before { try batch.store(in: tx) }
    return results
  }

  private init(
    _ bids: [BidQueue.PendingBid], on id: AuctionID, _ keys: IdempotentBatch, refusing refusals: [UserID: Problem],
    in tx: Transaction
  ) throws {
    let auction = try AuctionStore.get(id, in: tx)
    (self.auction, self.keys, self.refusals) = (auction, keys, refusals)
    let isFree = try ExclusiveClaimStore.isFree(auction.listingID, in: tx)
    haveAllKeys = bids.allSatisfy { $0.idempotencyKey != nil }
    obstacle = isFree ? nil : Problem(.auctionClosed, detail: "The listing is being sold to another buyer.")
    let users = Set(bids.map(\.bidder)).sorted { $0.rawValue < $1.rawValue }
    // A listing across a block looks like one that is not for sale, as in offers.
    for user in try Blocks.among(users, across: auction.state.seller, in: tx) {
      self.refusals[user] = Problem(.listingNotForSale)
    }
    let known = try BidderStore.list(users + (auction.state.leader.map { [$0.bidder] } ?? []), in: id, tx)
    bidders = Dictionary(known.map { ($0.user, $0) }) { first, _ in first }
  }

  private mutating func decide(_ bid: BidQueue.PendingBid, in tx: Transaction) throws -> BidReceipt {
    if let done: BidReceipt = try keys.response(to: bid.idempotencyKey) { return done }
    let now = try bid.received.effectiveTime(in: tx)
    if let obstacle { throw obstacle }
    if let refusal = refusals[bid.bidder] { throw refusal }
    let accepted = try auction.state.bidding(bid.maximum, by: bid.bidder, at: now)
    auction.state = accepted.state
    noteLeader()
    let effectiveAt = accepted.state.lastBidAt ?? now
    try record(bid, at: effectiveAt, isSeen: !accepted.events.isEmpty, in: tx)
    let leader = accepted.state.leader.flatMap { bidders[$0.bidder]?.name }
    events += accepted.publicEvents(leader: leader, at: effectiveAt)
    let receipt = receipt(for: bid, at: tx.now)
    if let idempotencyKey = bid.idempotencyKey { try keys.keep(receipt, for: idempotencyKey) }
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

  private mutating func record(_ bid: BidQueue.PendingBid, at now: Timestamp, isSeen: Bool, in tx: Transaction) throws {
    let maximum = bid.maximum.amount
    if isSeen { bids.append((bid.id, bid.bidder, maximum, auction.state.price, now)) }
    if let known = bidders[bid.bidder] {
      guard maximum > known.maximum else { return }
      bidders[bid.bidder]?.maximum = maximum
    } else {
      // `bidder 7` is the seventh bidder; the name does not reveal the user.
      let number = try (bidderCount ?? BidderStore.count(of: auction.id, in: tx)) + 1
      bidderCount = number
      bidders[bid.bidder] = .init(auction: auction.id, user: bid.bidder, name: "bidder \(number)", maximum: maximum)
    }
    raised[bid.bidder] = now
  }

  private func store(in tx: Transaction) throws {
    try AuctionStore.save(auction, events, in: tx)
    try BidderStore.insert(bids, on: auction.id, in: tx)
    let changed = raised.sorted { $0.key.rawValue < $1.key.rawValue }
    try BidderStore.save(changed.compactMap { user, at in bidders[user].map { ($0, at) } }, in: tx)
    try keys.store(in: tx, coversAll: haveAllKeys)
    // Realtime streams receive the state after all of the bids.
    try AuctionNotices.changed(auction, events.last, in: tx)
    let outbid = leaders.filter { $0 != auction.state.leader?.bidder && bidders[$0]?.isDeleted != true }
    try AuctionNotices.outbid(outbid, auction, in: tx)
  }
}
