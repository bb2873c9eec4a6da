import Contracts
import Persistence
import ServiceKit

/// Blocks between users, which matching stores and reports: what one has shared with the other ends.
struct Blocks: Feature {
  func register(in routes: inout Routes) {
    routes.on(BlockChanged.self) { event, tx in
      guard event.isBlocked else { return try BlockStore.delete(by: event.blocker, of: event.blocked, in: tx) }
      try BlockStore.insert(by: event.blocker, of: event.blocked, in: tx)
      for (owner, member) in [(event.blocker, event.blocked), (event.blocked, event.blocker)] {
        let owned = Set(try SpaceStore.spaces(grantedTo: owner, source: SetMembers.owner, tx))
        for space in try SpaceStore.spaces(grantedTo: member, source: SetMembers.share, tx)
        where owned.contains(space) {
          try SetMembers.remove(member, from: StudySetID(trusted: space.rawValue), in: tx)
        }
        try WorkoutReactionStore.delete(by: member, toWorkoutsOf: owner, in: tx)
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
