import Timing

/// Whether a transaction that has failed runs again: after a conflict, and after its connection was lost.
///
/// What was lost before the commit was rolled back by the server. Whether a lost commit took effect is unknown; a
/// transaction with an idempotency key finds out by running again, since it then finds its stored response, or does the
/// work. This is what its caller would do.
struct TransactionRetry {
  /// Maximum attempts of a conflicting transaction.
  private static let attempts = 12
  /// Concurrent attempts of a conflicting transaction; the further ones run alone.
  private static let concurrentAttempts = 3
  /// How many connections one transaction may lose. It may itself be what ends them.
  private static let maxLosses = 3

  private var attempt = 1
  private var violations = 0
  private var losses = 0
  private var unknown: DatabaseError?

  /// Whether the next attempt runs without the other writers of the process.
  var runsAlone: Bool { attempt > Self.concurrentAttempts }

  /// How long to pause before the next attempt, in seconds.
  ///
  /// - Parameters:
  ///   - isConnected: Whether the transaction had a connection; without one, it has already waited for it.
  ///   - isIdempotent: Whether it has no second effect when it was committed.
  /// - Throws: The error with which the transaction fails.
  mutating func pause(after error: DatabaseError, isConnected: Bool, isIdempotent: Bool) throws(DatabaseError)
    -> ClosedRange<Double>
  {
    switch error.kind {
    case .conflict where attempt < Self.attempts: break
    // The second of two transactions that see no row and insert it may fail because the row is there now, instead of
    // with a conflict; then it sees the row when it is repeated.
    case .uniqueViolation where attempt < Self.attempts && violations == 0: violations += 1
    case .unavailable where isConnected && losses < Self.maxLosses - 1:
      losses += 1
      return 0...0
    case .outcomeUnknown where isIdempotent && losses < Self.maxLosses - 1:
      losses += 1
      unknown = unknown ?? error
      return 0...0
    default: throw unknown ?? error
    }
    attempt += 1
    return 0...Backoff(first: 0.004, maxDelay: 0.1).step(after: attempt - 1)
  }
}
