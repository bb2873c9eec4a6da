import Contracts
import Persistence

/// When a request about an auction was received: the time that counts for it, so that a bid that arrives in time is
/// not late because it had to wait for others.
///
/// It is taken when the whole request has arrived, not its beginning: who sends the amount of a bid late gains nothing.
/// Every instance takes it from the clock of the database that they share (``DatabaseClock``), with an error of a
/// fraction of a round trip, whatever the clocks of their machines show.
///
/// A request that has waited for longer than ``maxWaitSeconds`` is refused, and an auction closes only so long after
/// its closing time. So everything that was received before it is decided before the auction closes, or refused as
/// overloaded; what was received later is too late. Within an auction time does not go back: a bid counts at the
/// time of the last accepted one if it was received before it (``AuctionState/lastBidAt``).
struct ReceiptTime: Sendable {
  static let maxWaitSeconds = 2.0

  let at: Timestamp

  /// The time that counts for the request, which is never later than the decision.
  /// - Throws: ``Problem`` `overloaded` when the request has waited for too long.
  func effectiveTime(in tx: Transaction) throws(Problem) -> Timestamp {
    guard tx.now.seconds(since: at) < Self.maxWaitSeconds else { throw Problem(.overloaded, retryAfter: 1) }
    return min(at, tx.now)
  }
}
