import Contracts
import Synchronization

/// Lets few uploads be joined at once, and one of each user: that copies whole files.
final class UploadJoins: Sendable {
  static let maxWaiting = 256
  static let maxWaitingOfUser = 32
  private static let maxRunning = 2

  private struct Waiting {
    var number: Int
    var user: UserID
    var begin: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var running: Set<UserID> = []
    var waiting: [Waiting] = []
    var count = 0
  }

  private let state = Mutex(State())

  /// How many wait for their turn.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Runs the body when it is the user's turn.
  ///
  /// - Throws: What the body throws; ``Problem`` 503 when too many wait; `CancellationError` when it was canceled while
  ///   it waited.
  func run<Value>(of user: UserID, _ body: () async throws -> Value) async throws -> Value {
    try await waitForTurn(of: user)
    defer { end(user) }
    return try await body()
  }

  private func waitForTurn(of user: UserID) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          // One that is canceled later is found among those that wait.
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.running.count < Self.maxRunning, state.running.insert(user).inserted { return .success(()) }
          guard state.waiting.count < Self.maxWaiting,
            state.waiting.count(where: { $0.user == user }) < Self.maxWaitingOfUser
          else { return .failure(Problem(.overloaded, retryAfter: 5)) }
          state.waiting.append(Waiting(number: number, user: user, begin: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiting?.begin.resume(throwing: CancellationError())
    }
  }

  private func end(_ user: UserID) {
    let next = state.withLock { state -> Waiting? in
      state.running.remove(user)
      guard let index = state.waiting.firstIndex(where: { !state.running.contains($0.user) }) else { return nil }
      let next = state.waiting.remove(at: index)
      state.running.insert(next.user)
      return next
    }
    next?.begin.resume()
  }
}
