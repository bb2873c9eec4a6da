import Synchronization

/// A caller who waits for an answer, until a deadline and as long as its connection is open. A request whose caller waits
/// no longer is dropped before its first transaction; what has begun is completed.
public final class WaitingCaller: Sendable {
  private let deadline: ContinuousClock.Instant
  private let hasLeft: @Sendable () -> Bool
  private let begun = Atomic(false)
  private let written = Atomic(false)

  /// - Parameters:
  ///   - deadline: When the caller is answered 503.
  ///   - hasLeft: Whether its connection is closed; called on any thread.
  public init(until deadline: ContinuousClock.Instant, hasLeft: @escaping @Sendable () -> Bool = { false }) {
    (self.deadline, self.hasLeft) = (deadline, hasLeft)
  }

  /// Whether a transaction of the request has begun.
  var hasBegun: Bool { begun.load(ordering: .relaxed) }

  func noteBegin() { begun.store(true, ordering: .relaxed) }

  /// Whether the request has committed a change.
  package var hasWritten: Bool { written.load(ordering: .relaxed) }

  package func noteWrite() { written.store(true, ordering: .relaxed) }

  package func isWaiting(at now: ContinuousClock.Instant) -> Bool { now < deadline && !hasLeft() }
}
