import Contracts
import Synchronization

/// Lets few uploads be joined at once, and one of each user: that copies whole files.
final class UploadJoins: Sendable {
  private static let most = 2

  private struct Waiting {
    var user: UserID
    var begin: CheckedContinuation<Void, Never>
  }

  private struct State {
    var running: Set<UserID> = []
    var waiting: [Waiting] = []
  }

  private let state = Mutex(State())

  /// Runs the body when it is the user's turn.
  func run<Value>(of user: UserID, _ body: () async throws -> Value) async throws -> Value {
    await withCheckedContinuation { continuation in
      let mayBegin = state.withLock { state in
        guard state.running.count < Self.most, state.running.insert(user).inserted else {
          state.waiting.append(Waiting(user: user, begin: continuation))
          return false
        }
        return true
      }
      if mayBegin { continuation.resume() }
    }
    defer { end(user) }
    return try await body()
  }

  private func end(_ user: UserID) {
    let next = state.withLock { state -> Waiting? in
      state.running.remove(user)
      guard let place = state.waiting.firstIndex(where: { !state.running.contains($0.user) }) else { return nil }
      let next = state.waiting.remove(at: place)
      state.running.insert(next.user)
      return next
    }
    next?.begin.resume()
  }
}
