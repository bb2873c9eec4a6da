import Contracts
import Persistence
import ServiceKit

/// How much a user may hold in auctions that they have not paid for. A single account, which costs nothing, therefore
/// keeps only a few auctions from other buyers.
struct AuctionLimits: Sendable {
  /// Unpaid obligations (``StrikeStore/suspended(_:from:in:)``) with which a user is refused further ones.
  var unpaid: Int
  /// Running auctions with which a user may not bid on another.
  var leads: Int

  init(unpaid: Int, leads: Int) { (self.unpaid, self.leads) = (unpaid, leads) }

  init(_ settings: Settings) throws {
    self.init(
      unpaid: try settings[OrdersSettings.auctionStrikes], leads: try settings[OrdersSettings.auctionLeads])
  }

  /// The users who hold too much to bid on an auction, and why they are refused.
  ///
  /// It is read before the transaction that decides the bids: what that reads of other auctions and orders would conflict
  /// with their writes on PostgreSQL. Bids on several auctions at once may exceed a limit by a few.
  func refusals(of users: [UserID], on auction: AuctionID, in db: any Connection) throws -> [UserID: Problem] {
    var refusals: [UserID: Problem] = [:]
    for user in try AuctionStore.leading(users, atLeast: leads, besides: auction, in: db) {
      refusals[user] = Problem(.leadingTooMany)
    }
    for user in try StrikeStore.suspended(users, from: unpaid, in: db) { refusals[user] = Problem(.biddingSuspended) }
    return refusals
  }

  /// Whether a buyer may not take on another obligation.
  func isSuspended(_ buyer: UserID, in db: any Connection) throws -> Bool {
    try !StrikeStore.suspended([buyer], from: unpaid, in: db).isEmpty
  }

  /// - Throws: ``Problem`` `bidding-suspended` when a buyer may not take on another obligation.
  func requireNotSuspended(_ buyer: UserID, in db: any Connection) throws {
    if try isSuspended(buyer, in: db) { throw Problem(.biddingSuspended) }
  }
}
