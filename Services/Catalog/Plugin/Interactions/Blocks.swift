import Contracts
import Persistence
import ServiceKit

/// Blocks between users, which matching stores and reports: neither sees the other's listings, nor their comments on
/// listings, and neither likes or comments on what is the other's.
struct Blocks: Feature {
  func register(in routes: inout Routes) {
    routes.on(BlockChanged.self) { event, tx in
      if event.isBlocked {
        try BlockStore.insert(by: event.blocker, of: event.blocked, in: tx)
        for (owner, reader) in [(event.blocker, event.blocked), (event.blocked, event.blocker)] {
          try ListingTopic.endAccess(to: owner, for: reader, in: tx)
        }
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
