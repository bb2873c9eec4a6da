import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The bidders of unpaid auctions who have been offered what the winner did not pay for.
enum SecondChanceStore {
  static func insert(_ offer: OfferID, _ auction: AuctionID, to bidder: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO second_chances (offer_id, auction_id, bidder_id, is_open)
      VALUES (\(offer), \(auction), \(bidder), 1)
      """
    )
  }

  /// Ends a chance that was not taken.
  /// - Returns: The auction; `nil` when the offer is not a chance, or has ended before.
  static func end(_ offer: OfferID, in tx: Transaction) throws -> AuctionID? {
    let auction: AuctionID? = try tx.value(
      "SELECT auction_id FROM second_chances WHERE offer_id = \(offer) AND is_open = 1")
    guard let auction else { return nil }
    try tx.execute("UPDATE second_chances SET is_open = 0 WHERE offer_id = \(offer)")
    return auction
  }

  /// Removes a deleted user from the chances that they had.
  static func erase(_ bidder: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE second_chances SET bidder_id = NULL WHERE bidder_id = \(bidder)")
  }

  static func delete(of auctions: [AuctionID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM second_chances WHERE auction_id IN \(list: auctions)")
  }

  /// The open chances of a bidder who has not accepted them.
  static func pending(of bidder: UserID, in db: any Connection) throws -> [OfferID] {
    try db.values(
      """
      SELECT c.offer_id FROM second_chances c JOIN offers o ON o.id = c.offer_id
      WHERE c.bidder_id = \(bidder) AND c.is_open = 1 AND o.status = 'pending' ORDER BY c.offer_id
      """
    )
  }

  /// The bidder with the highest maximum who has not had the listing yet, meets the reserve and may buy: not one who is
  /// deleted, who has blocked the seller or is blocked by them, or who has so many unpaid obligations.
  static func nextBidder(in auction: StoredAuction, unpaid: Int, _ db: any Connection) throws -> (
    bidder: UserID, maximum: Int64
  )? {
    let leader: SQL? = auction.state.leader.map { "bidder_id <> \($0.bidder)" }
    let reserve: SQL? = auction.state.reserve.map { "maximum >= \($0)" }
    return try db.first(
      """
      SELECT bidder_id, maximum FROM auction_bidders
      WHERE \(SQL.and("auction_id = \(auction.id)", "is_deleted = 0", leader, reserve))
        AND bidder_id NOT IN
          (SELECT bidder_id FROM second_chances WHERE auction_id = \(auction.id) AND bidder_id IS NOT NULL)
        AND bidder_id NOT IN \(ReportedBlocks.others(of: auction.state.seller))
        AND \(StrikeStore.obligations(of: "bidder_id")) < \(unpaid)
      ORDER BY maximum DESC, bid_at LIMIT 1
      """
    ) { row in (try row["bidder_id"], try row["maximum"]) }
  }
}
