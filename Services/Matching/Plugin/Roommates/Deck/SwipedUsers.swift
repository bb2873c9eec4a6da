import Contracts
import Synchronization

/// The users on whom viewers have swiped, so that a deck reads only the newer swipes. The sets are exact; the least
/// recently used ones are dropped.
final class SwipedUsers: Sendable {
  struct Seen: Sendable {
    /// The profile's generation: a new profile begins with no swipes.
    var generation: String
    /// The number of the latest swipe that is contained.
    var sequence: Int64 = 0
    var ids: Set<PackedID> = []

    mutating func apply(_ swipes: [StoredSwipe]) {
      for swipe in swipes where swipe.sequence > sequence {
        if swipe.decision == .undone {
          ids.remove(PackedID(swipe.target))
        } else {
          ids.insert(PackedID(swipe.target))
        }
        sequence = swipe.sequence
      }
    }
  }

  private struct State {
    var sets: [UserID: (seen: Seen, used: Int)] = [:]
    var uses = 0
    /// The ids in all sets, and one for each set.
    var size = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: How many ids are kept; a million take about 40 MB.
  init(limit: Int = 1_000_000) { self.limit = limit }

  /// The users whom a viewer is known to have seen.
  func find(_ user: UserID) -> Seen? { state.withLock { $0.sets[user]?.seen } }

  /// Adds the swipes that follow what was known.
  func update(_ user: UserID, _ generation: String, known: Seen?, with swipes: [StoredSwipe]) -> Set<PackedID> {
    state.withLock { state in
      let current = state.sets.removeValue(forKey: user)
      state.size -= (current?.seen.ids.count ?? -1) + 1
      let bases = [current?.seen, known].compactMap(\.self).filter { $0.generation == generation }
      var seen = bases.max { $0.sequence < $1.sequence } ?? Seen(generation: generation)
      seen.apply(swipes)
      state.uses += 1
      state.sets[user] = (seen, state.uses)
      state.size += seen.ids.count + 1
      if state.size > limit { Self.evict(&state, to: limit / 2) }
      return seen.ids
    }
  }

  private static func evict(_ state: inout State, to size: Int) {
    for (user, entry) in state.sets.sorted(by: { $0.value.used < $1.value.used }) {
      if state.size <= size { return }
      state.sets[user] = nil
      state.size -= entry.seen.ids.count + 1
    }
  }
}
