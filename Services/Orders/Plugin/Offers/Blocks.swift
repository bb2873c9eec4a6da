import Contracts
import Persistence
import ServiceKit

/// Blocks between users, which matching stores and reports: neither makes the other an offer, and their pending offers
/// end.
struct Blocks: Feature {
  func register(in routes: inout Routes) {
    routes.on(BlockChanged.self) { event, tx in
      if event.isBlocked {
        try BlockStore.insert(by: event.blocker, of: event.blocked, in: tx)
        try Offers.end(between: event.blocker, and: event.blocked, in: tx)
      } else {
        try BlockStore.delete(by: event.blocker, of: event.blocked, in: tx)
      }
    }
  }

  // MARK: privacy

  /// Who has blocked the user is left out.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("blocks", try JSONValue(BlockStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try BlockStore.delete(of: user, in: tx) }
}
