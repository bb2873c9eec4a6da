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

/// Auctions with their public events, bids and bidders.
enum AuctionStore {
  // MARK: reading

  static func find(_ id: AuctionID, in db: any Connection) throws -> StoredAuction? {
    try db.first("SELECT \(columns) FROM auctions WHERE id = \(id)", decode)
  }

  static func get(_ id: AuctionID, in db: any Connection) throws -> StoredAuction {
    guard let auction = try find(id, in: db) else { throw Problem(.auctionNotFound) }
    return auction
  }

  /// Those of the auctions that exist.
  static func existing(_ ids: [AuctionID], in db: any Connection) throws -> Set<AuctionID> {
    Set(try db.values("SELECT id FROM auctions WHERE id IN \(list: ids)", as: AuctionID.self))
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
    StoredAuction(
      id: try row["id"], listingID: try row["listing_id"],
      state: try state(row), listing: try row[json: "listing"], orderID: try row["order_id"]
    )
  }

  private static func state(_ row: Row) throws -> AuctionState {
    let (leader, maximum): (UserID?, Int64?) = (try row["leader_id"], try row["leader_maximum"])
    return AuctionState(
      status: try row["status"], seller: try row["seller_id"],
      currency: try row["currency"], startPrice: try row["start_price"], reserve: try row["reserve"],
      buyNow: try row["buy_now"],
      opensAt: try row["opens_at"], closesAt: try row["closes_at"],
      originalClosesAt: try row["original_closes_at"], extensionCount: try row["extension_count"],
      leader: leader.flatMap { bidder in maximum.map { AuctionState.Leader(bidder: bidder, maximum: $0) } },
      price: try row["price"], bidCount: try row["bid_count"], sequence: try row["sequence"]
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
    try OrderMedia.promised(auction.listing, by: auction.id.topic, in: tx)
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

  // MARK: bids and bidders

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

  static func countBidders(of auction: AuctionID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM auction_bidders WHERE auction_id = \(auction)")
  }

  /// The viewer and the leaders, as bidders in those auctions that they have bid in.
  static func bidders(of auctions: [StoredAuction], for viewer: UserID, in db: any Connection) throws -> [(
    auction: AuctionID, bidder: UserID, name: String, maximum: Int64
  )] {
    try db.all(
      """
      SELECT auction_id, bidder_id, name, maximum FROM auction_bidders
      WHERE auction_id IN \(list: auctions.map(\.id))
        AND (bidder_id = \(viewer) OR bidder_id IN \(list: auctions.compactMap { $0.state.leader?.bidder }))
      """
    ) { row in (try row["auction_id"], try row["bidder_id"], try row["name"], try row["maximum"]) }
  }

  /// The bidder with the highest maximum after the winner.
  static func runnerUp(in auction: StoredAuction, _ db: any Connection) throws -> (bidder: UserID, maximum: Int64)? {
    try db.first(
      """
      SELECT bidder_id, maximum FROM auction_bidders
      WHERE auction_id = \(auction.id) AND bidder_id <> \(auction.state.leader?.bidder)
      ORDER BY maximum DESC, bid_at LIMIT 1
      """
    ) { row in (try row["bidder_id"], try row["maximum"]) }
  }

  static func insert(_ bid: BidQueue.PendingBid, on auction: StoredAuction, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO auction_bids (id, auction_id, bidder_id, maximum, price, at)
      VALUES (\(bid.id), \(auction.id), \(bid.bidder), \(bid.maximum.amount), \(auction.state.price), \(tx.now))
      """
    )
  }

  /// Stores the maximum of a bidder; a lower one than before has no effect.
  static func saveBidder(_ bid: BidQueue.PendingBid, _ name: String, in auction: AuctionID, _ tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO auction_bidders (auction_id, bidder_id, name, maximum, bid_at)
      VALUES (\(auction), \(bid.bidder), \(name), \(bid.maximum.amount), \(tx.now))
      ON CONFLICT (auction_id, bidder_id) DO UPDATE SET maximum = excluded.maximum, bid_at = excluded.bid_at
        WHERE excluded.maximum > auction_bidders.maximum
      """
    )
  }
}
