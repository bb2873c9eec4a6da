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

  /// Whether an order of the auction can be paid: the auction has sold to it or, at the buy-now price, is open and has no
  /// bids.
  func isBuyable(with order: StoredOrder, at now: Timestamp) -> Bool {
    if orderID == order.id { return true }
    guard let buyer = order.userID else { return false }
    do throws(Problem) { _ = try state.buyingNow(by: buyer, at: now) } catch { return false }
    return true
  }
}

/// Auctions with their public events.
enum AuctionStore {
  // MARK: reading

  static func find(_ id: AuctionID, in db: any Connection) throws -> StoredAuction? {
    try db.first("SELECT \(columns) FROM auctions WHERE id = \(id)", decode)
  }

  static func get(_ id: AuctionID, in db: any Connection) throws -> StoredAuction {
    guard let auction = try find(id, in: db) else { throw Problem(.auctionNotFound) }
    return auction
  }

  /// The auction that an order has resulted from.
  static func find(for order: StoredOrder, in db: any Connection) throws -> StoredAuction? {
    guard order.source == .auction, let id = order.sourceID.flatMap({ AuctionID($0) }) else { return nil }
    return try find(id, in: db)
  }

  /// The auctions that exist.
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

  /// The users who lead at least so many running auctions besides one.
  static func leading(_ users: [UserID], atLeast count: Int, besides auction: AuctionID, in db: any Connection) throws
    -> [UserID]
  {
    try db.values(
      """
      SELECT leader_id FROM auctions
      WHERE leader_id IN \(list: users) AND status IN ('scheduled', 'open') AND id <> \(auction)
      GROUP BY leader_id HAVING COUNT(*) >= \(count)
      """
    )
  }

  /// The selection of auctions for a list, each with an index in the order of the list.
  enum Selection: Sendable {
    case all
    case bidIn(by: UserID, isWatched: Bool)
    case watched(by: UserID)
  }

  /// Newest first.
  static func list(
    _ selection: Selection, _ condition: SQL, before cursor: AuctionID?, limit: Int, in db: any Connection
  ) throws -> [StoredAuction] {
    switch selection {
    case .all:
      let filter = SQL.and(condition, cursor.map { "id < \($0)" })
      return try db.all("SELECT \(columns) FROM auctions WHERE \(filter) ORDER BY id DESC LIMIT \(limit)", decode)
    case .bidIn(let user, let isWatched):
      let watched: SQL = "EXISTS (SELECT 1 FROM auction_watches w WHERE w.user_id = \(user) AND w.auction_id = id)"
      let filter = SQL.and(
        "m.bidder_id = \(user)", isWatched ? watched : nil, condition, cursor.map { "m.auction_id < \($0)" })
      return try db.all(
        """
        SELECT \(columns) FROM auction_bidders m JOIN auctions ON id = m.auction_id
        WHERE \(filter) ORDER BY m.auction_id DESC LIMIT \(limit)
        """, decode)
    case .watched(let user):
      let filter = SQL.and("m.user_id = \(user)", condition, cursor.map { "m.auction_id < \($0)" })
      return try db.all(
        """
        SELECT \(columns) FROM auction_watches m JOIN auctions ON id = m.auction_id
        WHERE \(filter) ORDER BY m.auction_id DESC LIMIT \(limit)
        """, decode)
    }
  }

  private static let columns: SQL = """
    id, listing_id, seller_id, status, currency, start_price, reserve, buy_now, opens_at, closes_at, original_closes_at,
    extension_count, leader_id, leader_maximum, price, bid_count, last_bid_at, sequence, listing, order_id
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
      price: try row["price"], bidCount: try row["bid_count"],
      lastBidAt: try row["last_bid_at"], sequence: try row["sequence"]
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
        last_bid_at = \(state.lastBidAt), sequence = \(state.sequence), order_id = \(auction.orderID)
      WHERE id = \(auction.id)
      """
    )
    let rows = try events.map { event in
      let text = String(decoding: try WireJSON.encode(event), as: UTF8.self)
      return [auction.id.sqlValue, event.sequence.sqlValue, text.sqlValue]
    }
    try tx.execute("INSERT INTO auction_events (auction_id, sequence, event) VALUES", rows: rows, "")
  }

  /// Lets a stand-in, who is no one, take the place of a deleted leader.
  static func replace(leader: UserID, with standIn: UserID, in auction: AuctionID, _ tx: Transaction) throws {
    try tx.execute("UPDATE auctions SET leader_id = \(standIn) WHERE id = \(auction) AND leader_id = \(leader)")
  }

  /// Removes a deleted leader from auctions that have ended.
  static func erase(leader: UserID, in auctions: [AuctionID], _ tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE auctions SET leader_id = NULL, leader_maximum = NULL
      WHERE id IN \(list: auctions) AND leader_id = \(leader)
      """
    )
  }

  /// The auctions of a seller that have ended without a sale, of which nothing needs to be kept.
  static func unsold(of seller: UserID, in db: any Connection) throws -> [AuctionID] {
    try db.values(
      """
      SELECT id FROM auctions WHERE seller_id = \(seller)
        AND status IN ('noBids', 'reserveNotMet', 'canceled', 'unpaid') ORDER BY id
      """
    )
  }

  /// Deletes auctions whose bids are deleted.
  static func delete(_ auctions: [AuctionID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_events WHERE auction_id IN \(list: auctions)")
    try tx.execute("DELETE FROM auctions WHERE id IN \(list: auctions)")
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
}
