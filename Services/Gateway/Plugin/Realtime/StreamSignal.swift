import Synchronization

/// Wakes one stream. Signals raised while it is busy stay pending, each kind once.
final class StreamSignal: Sendable {
  struct Kinds: OptionSet, Sendable {
    let rawValue: UInt8
    static let event = Kinds(rawValue: 1)
    static let keepAlive = Kinds(rawValue: 2)
    static let end = Kinds(rawValue: 4)
  }

  private struct State: ~Copyable {
    var pending: Kinds = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func raise(_ kinds: Kinds) {
    let waiter = state.withLock { state in
      state.pending.formUnion(kinds)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The signals raised since the last call; waits until there is at least one.
  func wait() async -> Kinds {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isPending = state.withLock { state in
          if !state.pending.isEmpty { return true }
          state.waiter = continuation
          return false
        }
        if isPending { continuation.resume() }
      }
    } onCancel: {
      raise(.end)
    }
    return state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
  }
}
