import Contracts
import PlatformRules
import ServiceKit

enum Blocks {
  /// Shares between the two users end.
  static let feature = ReportedBlocks { event, tx in
    for (owner, member) in [(event.blocker, event.blocked), (event.blocked, event.blocker)] {
      let owned = Set(try SpaceStore.spaces(grantedTo: owner, source: SetMembers.owner, tx))
      for space in try SpaceStore.spaces(grantedTo: member, source: SetMembers.share, tx)
      where owned.contains(space) {
        try SetMembers.remove(member, from: StudySetID(trusted: space.rawValue), in: tx)
      }
      try WorkoutStore.reactions.delete(by: member, toObjectsOf: owner, in: tx)
    }
  }
}
