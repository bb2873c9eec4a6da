import Synchronization

/// Lets few pieces of work run at once; the others wait in their order.
final class StoreTurns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  /// - Throws: What the body throws; `CancellationError` when the task has been canceled before its turn came.
  func run<Value>(_ body: () async throws -> Value) async throws -> Value {
    await withCheckedContinuation { continuation in
      let mayBegin = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if mayBegin { continuation.resume() }
    }
    defer { end() }
    try Task.checkCancellation()
    return try await body()
  }

  /// Gives the turn to the next one.
  private func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
