import Contracts
import Persistence
import PlatformRules
import ServiceKit

enum Blocks {
  /// The users who have blocked another user or are blocked by them.
  static func among(_ users: [UserID], across user: UserID, in db: any Connection) throws -> [UserID] {
    try db.values(
      """
      SELECT blocked_id FROM blocks WHERE blocker_id = \(user) AND blocked_id IN \(list: users)
      UNION SELECT blocker_id FROM blocks WHERE blocked_id = \(user) AND blocker_id IN \(list: users)
      """
    )
  }

  /// Neither makes the other an offer, and their pending offers end.
  static func feature(_ core: OrdersCore) -> ReportedBlocks {
    ReportedBlocks { event, tx in
      for offer in try OfferTransitions.end(between: event.blocker, and: event.blocked, in: tx) {
        try core.auctions.chanceEnded(offer, in: tx)
      }
    }
  }
}
