import Contracts
import Synchronization

/// When users were last active, in memory only: of this instance, and not beyond its end.
final class UserActivity: Sendable {
  /// Seconds after a request in which a user is active.
  static let activeSeconds = 60.0
  /// Users that are remembered in each of two generations.
  static let generationSize = 100_000

  private struct State {
    var recent: [UserID: Timestamp] = [:]
    /// Dropped when `recent` is full.
    var older: [UserID: Timestamp] = [:]
    /// Users who are announced as active.
    var announced: Set<UserID> = []
    /// Users who have become active since the last announcement.
    var arrived: Set<UserID> = []

    func last(_ user: UserID) -> Timestamp? { recent[user] ?? older[user] }
  }

  private let time: TimeSource
  private let state = Mutex(State())

  init(time: TimeSource) { self.time = time }

  func record(_ user: UserID) {
    let now = time.now()
    state.withLock { state in
      if state.recent.count >= Self.generationSize, state.recent[user] == nil {
        (state.older, state.recent) = (state.recent, [:])
      }
      state.recent[user] = now
      if !state.announced.contains(user), state.arrived.count < Self.generationSize { state.arrived.insert(user) }
    }
  }

  func status(of user: UserID) -> Presence.Status {
    guard let last = state.withLock({ $0.last(user) }) else { return .away }
    switch time.now().seconds(since: last) {
    case ..<Self.activeSeconds: return .active
    case ..<3600: return .recently
    case ..<86_400: return .today
    default: return .away
    }
  }

  func isActive(_ user: UserID) -> Bool { status(of: user) == .active }

  /// The users who have become active or inactive since the last call.
  func changes() -> (active: [UserID], inactive: [UserID]) {
    let oldest = time.now().advanced(bySeconds: -Self.activeSeconds)
    return state.withLock { state in
      let gone = state.announced.filter { user in state.last(user).map { $0 <= oldest } ?? true }
      let come = state.arrived.filter { user in state.last(user).map { $0 > oldest } ?? false }
      state.arrived = []
      state.announced.subtract(gone)
      state.announced.formUnion(come)
      return (Array(come), Array(gone))
    }
  }

  func forget(_ user: UserID) {
    state.withLock { state in
      (state.recent[user], state.older[user]) = (nil, nil)
      state.announced.remove(user)
      state.arrived.remove(user)
    }
  }
}
