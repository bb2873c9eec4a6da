import Synchronization

/// Lets a bounded number of calls proceed at the same time; the others wait in order.
final class ConcurrencyLimit: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The first of `waiting` that still waits; they are removed many at a time.
    var first = 0
  }

  private let state: Mutex<State>

  init(permits: Int) { state = Mutex(State(free: permits)) }

  func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
    await acquire()
    defer { release() }
    return try await body()
  }

  private func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.first < state.waiting.count else {
        state.free += 1
        (state.waiting, state.first) = ([], 0)
        return nil
      }
      state.first += 1
      let next = state.waiting[state.first - 1]
      if state.first >= 1024 {
        state.waiting.removeFirst(state.first)
        state.first = 0
      }
      return next
    }
    next?.resume()
  }
}
