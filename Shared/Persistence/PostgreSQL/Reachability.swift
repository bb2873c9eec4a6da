import Foundation
import Synchronization
import Timing

/// Whether a server can be reached, as the connections of a pool find it, and when it is worth another try.
///
/// Who needs a connection waits for some seconds, so that a failover costs time and no request. When the server has been
/// away for longer, one tries from time to time and the others fail immediately.
final class Reachability: Sendable {
  private struct State {
    var failures = 0
    var awaySince: ContinuousClock.Instant?
    var nextTry = ContinuousClock.now
    var failure = DatabaseError(.unavailable)
  }

  private enum Turn {
    case connect(ContinuousClock.Instant)
    case wait(Double)
    case fail(DatabaseError)
  }

  private let graceSeconds: Double
  /// The pauses between two tries.
  private static let pauses = Backoff(first: 0.1, maxDelay: 1)

  private let state = Mutex(State())

  /// - Parameter graceSeconds: How long the server may be away before its callers do not wait for it, in seconds.
  init(graceSeconds: Double = 5) { self.graceSeconds = graceSeconds }

  var isReachable: Bool { state.withLock { $0.awaySince == nil } }

  /// Connects, again and again for some seconds.
  /// - Throws: What `connect` throws when the server has been away for longer.
  func connecting<Value>(_ connect: () throws -> Value) throws -> Value {
    while true {
      switch turn() {
      case .fail(let error): throw error
      case .wait(let seconds): Thread.sleep(forTimeInterval: seconds)
      case .connect(let start):
        do {
          let value = try connect()
          state.withLock { $0 = State() }
          return value
        } catch let error as DatabaseError where error.kind == .unavailable {
          state.withLock { state in
            state.failures += 1
            state.awaySince = state.awaySince ?? start
            state.failure = error
            state.nextTry = .now + .seconds(Self.pauses.delay(after: state.failures))
          }
        }
      }
    }
  }

  private func turn() -> Turn {
    state.withLock { state in
      let now = ContinuousClock.now
      guard let awaySince = state.awaySince else { return .connect(now) }
      if now >= state.nextTry {
        // The others wait for the outcome.
        state.nextTry = now + .seconds(Self.pauses.delay(after: state.failures))
        return .connect(now)
      }
      return now - awaySince > .seconds(graceSeconds)
        ? .fail(state.failure) : .wait((state.nextTry - now) / .seconds(1))
    }
  }
}
