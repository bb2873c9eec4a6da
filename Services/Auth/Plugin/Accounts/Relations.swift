import Contracts
import Persistence
import ServiceKit

/// Connections and blocks between users, which decide what they see of each other's profiles. Matching stores and
/// reports them.
struct Relations: Feature {
  func register(in routes: inout Routes) {
    routes.on(ConnectionChanged.self) { event, tx in
      if event.isConnected {
        try ConnectionStore.insert(event.first, event.second, in: tx)
      } else {
        try ConnectionStore.delete(event.first, event.second, in: tx)
      }
    }
    routes.on(BlockChanged.self) { event, tx in
      if event.isBlocked {
        try BlockStore.insert(by: event.blocker, of: event.blocked, in: tx)
      } else {
        try BlockStore.delete(by: event.blocker, of: event.blocked, in: tx)
      }
    }
  }

  // MARK: privacy

  /// Users who have blocked the user are left out.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [
      ("connections", try JSONValue(ConnectionStore.list(of: user, in: db))),
      ("blocks", try JSONValue(BlockStore.list(of: user, in: db))),
    ]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try ConnectionStore.delete(of: user, in: tx)
    try BlockStore.delete(of: user, in: tx)
  }
}
