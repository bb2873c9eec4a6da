import Contracts
import Persistence
import ServiceKit

/// The bids on auctions, and their bidders with pseudonyms and highest maximums.
enum BidderStore {
  /// A bidder in an auction.
  struct Bidder: Sendable {
    var auction: AuctionID
    var user: UserID
    /// A pseudonym: stable in the auction, and does not reveal the user.
    var name: String
    var maximum: Int64
    /// Whether it stands for a user who has been deleted.
    var isDeleted = false
  }

  // MARK: reading

  static func find(_ bidder: UserID?, in auction: AuctionID, _ db: any Connection) throws -> Bidder? {
    guard let bidder else { return nil }
    return try list([bidder], in: auction, db).first
  }

  /// The users who have bid in an auction.
  static func list(_ users: [UserID], in auction: AuctionID, _ db: any Connection) throws -> [Bidder] {
    try db.all(
      """
      SELECT auction_id, bidder_id, name, maximum, is_deleted FROM auction_bidders
      WHERE auction_id = \(auction) AND bidder_id IN \(list: users)
      """, decode)
  }

  /// The bidders that a viewer sees: the leaders, and the viewer in the auctions that they have bid in.
  static func list(in auctions: [AuctionID], for viewer: UserID, _ db: any Connection) throws -> [Bidder] {
    try db.all(
      """
      SELECT auction_id, bidder_id, name, maximum, is_deleted FROM auction_bidders
      WHERE bidder_id = \(viewer) AND auction_id IN \(list: auctions)
      UNION
      SELECT b.auction_id, b.bidder_id, b.name, b.maximum, b.is_deleted
      FROM auctions a JOIN auction_bidders b ON b.auction_id = a.id AND b.bidder_id = a.leader_id
      WHERE a.id IN \(list: auctions)
      """, decode)
  }

  private static func decode(_ row: Row) throws -> Bidder {
    Bidder(
      auction: try row["auction_id"], user: try row["bidder_id"], name: try row["name"],
      maximum: try row["maximum"], isDeleted: try row["is_deleted"])
  }

  static func count(of auction: AuctionID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM auction_bidders WHERE auction_id = \(auction)")
  }

  /// Everyone who has bid in an auction or watches it.
  static func followers(of auction: AuctionID, in db: any Connection) throws -> [UserID] {
    try db.values(
      """
      SELECT bidder_id FROM auction_bidders WHERE auction_id = \(auction) AND is_deleted = 0
      UNION SELECT user_id FROM auction_watches WHERE auction_id = \(auction) ORDER BY 1
      """
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

  // MARK: writing

  /// Stores bids that others see; a leader who raises their own maximum is not shown as a bid.
  static func insert(
    _ bids: [(id: BidID, bidder: UserID, maximum: Int64, price: Int64?, at: Timestamp)], on auction: AuctionID,
    in tx: Transaction
  ) throws {
    let rows = bids.map { bid in
      [
        bid.id.sqlValue, auction.sqlValue, bid.bidder.sqlValue, bid.maximum.sqlValue, bid.price.sqlValue,
        bid.at.sqlValue,
      ]
    }
    try tx.execute(
      "INSERT INTO auction_bids (id, auction_id, bidder_id, maximum, price, at) VALUES", rows: rows, "")
  }

  /// Stores the maximums of bidders; a lower one than before has no effect.
  static func save(_ bidders: [(bidder: Bidder, at: Timestamp)], in tx: Transaction) throws {
    let rows = bidders.map { bidder, at in
      [
        bidder.auction.sqlValue, bidder.user.sqlValue, bidder.name.sqlValue, bidder.maximum.sqlValue, at.sqlValue,
      ]
    }
    try tx.execute(
      "INSERT INTO auction_bidders (auction_id, bidder_id, name, maximum, bid_at) VALUES", rows: rows,
      """
      ON CONFLICT (auction_id, bidder_id) DO UPDATE SET maximum = excluded.maximum, bid_at = excluded.bid_at
        WHERE excluded.maximum > auction_bidders.maximum
      """)
  }

  // MARK: erasing

  /// The auctions that a user has bid in, and whether they are running.
  static func auctions(of bidder: UserID, in db: any Connection) throws -> [(id: AuctionID, isRunning: Bool)] {
    try db.all(
      """
      SELECT id, CASE WHEN status IN ('scheduled', 'open') THEN 1 ELSE 0 END AS is_running
      FROM auction_bidders m JOIN auctions ON id = m.auction_id WHERE m.bidder_id = \(bidder) ORDER BY id
      """
    ) { row in (try row["id"], try row["is_running"]) }
  }

  /// Lets a stand-in, who is no one, take the place of a deleted bidder in a running auction.
  static func replace(_ bidder: UserID, with standIn: UserID, in auction: AuctionID, _ tx: Transaction) throws {
    try tx.execute(
      "UPDATE auction_bids SET bidder_id = \(standIn) WHERE auction_id = \(auction) AND bidder_id = \(bidder)")
    try tx.execute(
      """
      UPDATE auction_bidders SET bidder_id = \(standIn), is_deleted = 1
      WHERE auction_id = \(auction) AND bidder_id = \(bidder)
      """
    )
  }

  /// Removes a user from the bids that are left, those on auctions that have ended.
  static func erase(_ bidder: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE auction_bids SET bidder_id = NULL WHERE bidder_id = \(bidder)")
    try tx.execute("DELETE FROM auction_bidders WHERE bidder_id = \(bidder)")
  }

  static func delete(of auctions: [AuctionID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_bids WHERE auction_id IN \(list: auctions)")
    try tx.execute("DELETE FROM auction_bidders WHERE auction_id IN \(list: auctions)")
  }
}
