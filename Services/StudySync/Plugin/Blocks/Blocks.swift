import Contracts
import Persistence
import ServiceKit

/// Blocks between users, which matching stores and reports: neither sees or reacts to what the other shows.
struct Blocks: Feature {
  func register(in routes: inout Routes) {
    routes.on(BlockChanged.self) { event, tx in
      let (blocker, blocked) = (event.blocker, event.blocked)
      guard event.isBlocked else { return try BlockStore.delete(by: blocker, of: blocked, in: tx) }
      try BlockStore.insert(by: blocker, of: blocked, in: tx)
      try WorkoutReactionStore.delete(by: blocker, toWorkoutsOf: blocked, in: tx)
      try WorkoutReactionStore.delete(by: blocked, toWorkoutsOf: blocker, in: tx)
    }
  }

  // MARK: privacy

  /// Who has blocked the user is left out.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("blocks", try JSONValue(BlockStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try BlockStore.delete(of: user, in: tx) }

  static let migrations = [
    Migration(
      "study-blocks-001",
      why: "users who have blocked each other do not meet here either",
      [
        """
        CREATE TABLE blocks
          (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id))
        """,
        "CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id)",
      ]
    )
  ]
}
