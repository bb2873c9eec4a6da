import Dispatch
import Foundation
import Synchronization

/// Lets the writing transactions of a process run beside each other, or one of them alone.
///
/// A transaction that takes longer than others which write the same row is aborted by each of them, however often it is
/// repeated; alone it cannot be.
final class WriterGate: Sendable {
  private struct State {
    var running = 0
    var isAwaited = false
  }

  /// Held while a transaction runs alone; all others enter through it.
  private let interceptor = NSLock()
  private let state = Mutex(State())
  private let lastHasLeft = DispatchSemaphore(value: 0)

  func runBesideOthers<Value>(_ body: () throws -> Value) rethrows -> Value {
    interceptor.withLock { state.withLock { $0.running += 1 } }
    defer { leave() }
    return try body()
  }

  /// Waits until no other transaction runs, and keeps others waiting.
  func runAlone<Value>(_ body: () throws -> Value) rethrows -> Value {
    try interceptor.withLock {
      let mustWait = state.withLock { state in
        state.isAwaited = state.running > 0
        return state.isAwaited
      }
      if mustWait { lastHasLeft.wait() }
      return try body()
    }
  }

  private func leave() {
    let isAwaitedLast = state.withLock { state in
      state.running -= 1
      guard state.running == 0, state.isAwaited else { return false }
      state.isAwaited = false
      return true
    }
    if isAwaitedLast { lastHasLeft.signal() }
  }
}
