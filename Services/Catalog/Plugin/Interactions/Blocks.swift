import Contracts
import PlatformRules
import ServiceKit

enum Blocks {
  /// Neither sees the other's listings, nor their comments on listings, and neither likes or comments on what is the
  /// other's. Neither reacts to what the other shows.
  static let feature = ReportedBlocks { event, tx in
    for (owner, reader) in [(event.blocker, event.blocked), (event.blocked, event.blocker)] {
      try ListingTopic.endAccess(to: owner, for: reader, in: tx)
      try SavedExerciseStore.reactions.delete(by: reader, toObjectsOf: owner, in: tx)
    }
  }
}
