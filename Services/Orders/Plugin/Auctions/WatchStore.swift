import Contracts
import Persistence

/// The watchers of auctions.
enum WatchStore {
  static func insert(_ auction: AuctionID, by user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO auction_watches (user_id, auction_id, at) VALUES (\(user), \(auction), \(tx.now))
      ON CONFLICT (user_id, auction_id) DO NOTHING
      """
    )
  }

  static func delete(_ auction: AuctionID, by user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_watches WHERE user_id = \(user) AND auction_id = \(auction)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_watches WHERE user_id = \(user)")
  }

  static func delete(of auctions: [AuctionID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM auction_watches WHERE auction_id IN \(list: auctions)")
  }

  /// The auctions that the user watches.
  static func watched(_ auctions: [AuctionID], by user: UserID, in db: any Connection) throws -> Set<AuctionID> {
    let watched: [AuctionID] = try db.values(
      "SELECT auction_id FROM auction_watches WHERE user_id = \(user) AND auction_id IN \(list: auctions)")
    return Set(watched)
  }

  /// A user's watch list, for the data export.
  static func auctions(of user: UserID, in db: any Connection) throws -> [AuctionID] {
    try db.values(
      "SELECT auction_id FROM auction_watches WHERE user_id = \(user) ORDER BY auction_id LIMIT 10000")
  }
}
