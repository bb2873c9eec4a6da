import Contracts
import ServiceKit

enum Blocks {
  /// Neither makes the other an offer, and their pending offers end.
  static let feature = ReportedBlocks { event, tx in
    try Offers.end(between: event.blocker, and: event.blocked, in: tx)
  }
}
