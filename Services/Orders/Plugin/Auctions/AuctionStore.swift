import Contracts
import Persistence
import ServiceKit

/// An auction as stored.
struct StoredAuction: Sendable {
  var id: AuctionID
  var listingID: ListingID
  var state: AuctionState
  /// The listing at the time the auction was created.
  var listing: SaleItems.Listing
  var orderID: OrderID?

  func money(_ amount: Int64) -> Money { Money(amount, state.currency) }
}

struct AuctionStore: Sendable {
  let sales: AgreedOrders

  // MARK: reading

  static func find(_ id: AuctionID, in db: any Connection) throws -> StoredAuction? {
    try db.first("SELECT \(columns) FROM auctions WHERE id = \(id)", decode)
  }

  static func required(_ id: AuctionID, in db: any Connection) throws -> StoredAuction {
    guard let auction = try find(id, in: db) else { throw Problem(.auctionNotFound) }
    return auction
  }

  /// The open or scheduled auction of a listing; there is at most one.
  static func running(for listing: ListingID, in db: any Connection) throws -> StoredAuction? {
    try db.first(
      "SELECT \(columns) FROM auctions WHERE listing_id = \(listing) AND status IN ('scheduled', 'open')",
      decode
    )
  }

  static func list(_ condition: SQL, before cursor: AuctionID?, limit: Int, in db: any Connection) throws
    -> [StoredAuction]
  {
    let place = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all(
      "SELECT \(columns) FROM auctions WHERE \(place) ORDER BY id DESC LIMIT \(limit)",
      decode
    )
  }

  private static let columns: SQL = """
    id, listing_id, seller_id, status, currency, start_price, reserve, buy_now, opens_at, closes_at, original_closes_at,
    extension_count, leader_id, leader_maximum, price, bid_count, sequence, listing, order_id
    """

  private static func decode(_ row: Row) throws -> StoredAuction {
    let (leader, maximum): (UserID?, Int64?) = (try row["leader_id"], try row["leader_maximum"])
    let state = AuctionState(
      status: try row["status"],
      seller: try row["seller_id"],
      currency: try row["currency"],
      startPrice: try row["start_price"],
      reserve: try row["reserve"],
      buyNow: try row["buy_now"],
      opensAt: try row["opens_at"],
      closesAt: try row["closes_at"],
      originalClosesAt: try row["original_closes_at"],
      extensionCount: try row["extension_count"],
      leader: leader.flatMap { bidder in maximum.map { AuctionState.Leader(bidder: bidder, maximum: $0) } },
      price: try row["price"],
      bidCount: try row["bid_count"],
      sequence: try row["sequence"]
    )
    return StoredAuction(
      id: try row["id"],
      listingID: try row["listing_id"],
      state: state,
      listing: try row[json: "listing"],
      orderID: try row["order_id"]
    )
  }

  // MARK: writing

  static func insert(_ auction: StoredAuction, in tx: Transaction) throws {
    let state = auction.state
    try tx.execute(
      """
      INSERT INTO auctions
        (id, listing_id, seller_id, status, currency, start_price, reserve, buy_now, opens_at, closes_at,
         original_closes_at, extension_count, bid_count, sequence, listing)
      VALUES (\(auction.id), \(auction.listingID), \(state.seller), \(state.status), \(state.currency),
              \(state.startPrice), \(state.reserve), \(state.buyNow), \(state.opensAt), \(state.closesAt),
              \(state.originalClosesAt), 0, 0, 0, \(json: auction.listing))
      """
    )
  }

  /// Stores the state of an auction, and the public events that led to it.
  static func save(_ auction: StoredAuction, _ events: [AuctionEvent], in tx: Transaction) throws {
    let state = auction.state
    try tx.execute(
      """
      UPDATE auctions SET status = \(state.status), closes_at = \(state.closesAt),
        extension_count = \(state.extensionCount), leader_id = \(state.leader?.bidder),
        leader_maximum = \(state.leader?.maximum), price = \(state.price), bid_count = \(state.bidCount),
        sequence = \(state.sequence), order_id = \(auction.orderID)
      WHERE id = \(auction.id)
      """
    )
    for event in events {
      let text = String(decoding: try WireJSON.encode(event), as: UTF8.self)
      try tx.execute(
        "INSERT INTO auction_events (auction_id, sequence, event) VALUES (\(auction.id), \(event.sequence), \(text))"
      )
    }
  }

  static func events(of id: AuctionID, after sequence: Int64, limit: Int, in db: any Connection) throws
    -> [AuctionEvent]
  {
    try db.all(
      """
      SELECT event FROM auction_events WHERE auction_id = \(id) AND sequence > \(sequence) ORDER BY sequence LIMIT \(limit)
      """
    ) { row in try row[json: "event"] as AuctionEvent }
  }

  // MARK: bidders

  /// A bidder's pseudonym in an auction; it is stable and does not reveal the user.
  static func name(of bidder: UserID?, in auction: AuctionID, _ db: any Connection) throws -> String? {
    guard let bidder else { return nil }
    return try db.value(
      "SELECT name FROM auction_bidders WHERE auction_id = \(auction) AND bidder_id = \(bidder)",
      as: String.self
    )
  }

  /// The bids on an auction as everyone sees them, newest first.
  static func bids(on auction: StoredAuction, before cursor: BidID?, limit: Int, in db: any Connection) throws -> [Bid]
  {
    try db.all(
      """
      SELECT b.id, COALESCE(n.name, 'someone') AS bidder, b.price, b.at FROM auction_bids b
      LEFT JOIN auction_bidders n ON n.auction_id = b.auction_id AND n.bidder_id = b.bidder_id
      WHERE \(SQL.and("b.auction_id = \(auction.id)", cursor.map { "b.id < \($0)" })) ORDER BY b.id DESC LIMIT \(limit)
      """
    ) { row in
      Bid(id: try row["id"], bidder: try row["bidder"], price: auction.money(try row["price"]), at: try row["at"])
    }
  }

  /// A user's own bids, for the data export.
  static func bids(of bidder: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all(
      "SELECT auction_id, maximum, at FROM auction_bids WHERE bidder_id = \(bidder) ORDER BY id LIMIT 10000"
    ) { row in
      let at: Timestamp = try row["at"]
      return [
        "auction": .string(try row["auction_id"]), "maximum": .integer(try row["maximum"]),
        "at": .string(at.description),
      ]
    }
  }

  static func erase(bidder: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE auction_bids SET bidder_id = NULL WHERE bidder_id = \(bidder)")
  }

  static func bidders(of auction: AuctionID, in db: any Connection) throws -> [UserID] {
    try db.values("SELECT bidder_id FROM auction_bidders WHERE auction_id = \(auction)", as: UserID.self)
  }

  // MARK: transitions

  /// The events of a transition, with the state after it.
  static func events(_ kinds: [AuctionEvent.Kind], of auction: StoredAuction, leader: String?, at now: Timestamp)
    -> [AuctionEvent]
  {
    let state = auction.state
    return kinds.enumerated().map { index, kind in
      AuctionEvent(
        sequence: state.sequence - Int64(kinds.count - 1 - index),
        kind: kind,
        at: now,
        price: state.price.map { auction.money($0) },
        minNextBid: auction.money(state.minNextBid),
        bidCount: state.bidCount,
        leader: leader,
        reserveMet: state.reserveMet,
        closesAt: state.closesAt
      )
    }
  }

  /// Stores a transition, and notifies the seller and all bidders.
  static func apply(_ accepted: AuctionTransition, in auction: inout StoredAuction, in tx: Transaction) throws {
    auction.state = accepted.state
    let leader = try name(of: accepted.state.leader?.bidder, in: auction.id, tx)
    let events = events(accepted.events, of: auction, leader: leader, at: tx.now)
    try save(auction, events, in: tx)
    try notify(auction, events.last, in: tx)
  }

  /// Sends an auction's latest event to the realtime streams of its seller and bidders.
  static func notify(_ auction: StoredAuction, _ event: AuctionEvent?, in tx: Transaction) throws {
    guard let event else { return }
    let data = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(event))
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "event": data, "serverTime": .string(tx.now.description),
    ]
    for user in try bidders(of: auction.id, in: tx) + [auction.state.seller] {
      try tx.record(RealtimeEvent(to: user, "auction.changed", content))
    }
  }

  /// Ends the auction of a listing that is sold elsewhere, unless it has bids.
  static func supersede(_ auction: StoredAuction, in tx: Transaction) throws {
    var auction = auction
    guard auction.state.leader == nil else {
      throw Problem(.listingNotForSale, detail: "The listing has an auction with bids.")
    }
    let accepted = try auction.state.closing(at: tx.now) ?? auction.state.canceling(at: tx.now)
    try apply(accepted, in: &auction, in: tx)
  }

  /// Closes an auction that is due; repeated calls have no effect.
  /// - Returns: The current auction.
  func close(_ id: AuctionID, in tx: Transaction) throws -> StoredAuction? {
    guard var auction = try Self.find(id, in: tx) else { return nil }
    guard var accepted = auction.state.closing(at: tx.now) else { return auction }
    // Apple may have reversed a refund, which restores another buyer's exclusive right.
    if accepted.state.status == .sold, try !ExclusiveClaimStore.isFree(auction.listingID, in: tx) {
      accepted.state.status = .canceled
      accepted.events = [.canceled]
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
    guard let id = order.sourceID.flatMap({ AuctionID($0) }), var auction = try Self.find(id, in: tx),
      auction.orderID == order.id, let accepted = auction.state.defaulting()
    else { return }
    try Self.apply(accepted, in: &auction, in: tx)
    let winner = auction.state.leader?.bidder
    let next = try tx.first(
      """
      SELECT bidder_id, maximum FROM auction_bidders
      WHERE auction_id = \(id) AND bidder_id <> \(winner) ORDER BY maximum DESC, bid_at LIMIT 1
      """
    ) { row -> (bidder: UserID, maximum: Int64) in (try row["bidder_id"], try row["maximum"]) }
    guard let next, next.maximum >= auction.state.reserve ?? 0 else { return }
    try sales.offerSecondChance(auction, to: next.bidder, at: next.maximum, in: tx)
  }
}
