import Testing

@testable import Persistence

/// The failed transactions that run again, as a table, and who waits for a connection.
struct TransactionRetryTests {
  private struct Outcome: Equatable {
    var attempts: Int
    var error: DatabaseError.Kind

    init(_ attempts: Int, _ error: DatabaseError.Kind) { (self.attempts, self.error) = (attempts, error) }
  }

  /// A transaction that always fails in the same way.
  private func outcome(_ kind: DatabaseError.Kind, isConnected: Bool = true, isIdempotent: Bool = false) -> Outcome {
    var retry = TransactionRetry()
    var attempts = 1
    while true {
      do {
        let pause = try retry.pause(after: DatabaseError(kind), isConnected: isConnected, isIdempotent: isIdempotent)
        #expect(pause.upperBound <= 0.1)
        attempts += 1
      } catch { return Outcome(attempts, error.kind) }
    }
  }

  @Test func eachKindHasItsNumberOfAttempts() {
    #expect(outcome(.conflict) == Outcome(12, .conflict))
    #expect(outcome(.uniqueViolation(columns: [])) == Outcome(2, .uniqueViolation(columns: [])))
    #expect(outcome(.unavailable) == Outcome(3, .unavailable))
    #expect(outcome(.unavailable, isConnected: false) == Outcome(1, .unavailable))
    #expect(outcome(.outcomeUnknown) == Outcome(1, .outcomeUnknown))
    #expect(outcome(.outcomeUnknown, isIdempotent: true) == Outcome(3, .outcomeUnknown))
    #expect(outcome(.overloaded) == Outcome(1, .overloaded))
    #expect(outcome(.storageFull) == Outcome(1, .storageFull))
  }

  /// Errors after a lost commit do not prove that it had no effect.
  @Test func anUnknownOutcomeStaysUnknown() throws {
    var retry = TransactionRetry()
    _ = try retry.pause(after: DatabaseError(.outcomeUnknown), isConnected: true, isIdempotent: true)
    let error = #expect(throws: DatabaseError.self) {
      try retry.pause(after: DatabaseError(.unavailable), isConnected: false, isIdempotent: false)
    }
    #expect(error?.kind == .outcomeUnknown)
  }

  @Test func onlyConflictsLeadToRunningAlone() throws {
    var retry = TransactionRetry()
    for _ in 0..<2 { _ = try retry.pause(after: DatabaseError(.unavailable), isConnected: true, isIdempotent: false) }
    #expect(!retry.runsAlone)
    for _ in 0..<3 { _ = try retry.pause(after: DatabaseError(.conflict), isConnected: true, isIdempotent: false) }
    #expect(retry.runsAlone)
  }

  @Test func whoNeedsAConnectionWaitsForTheServer() throws {
    let reachability = Reachability()
    var tries = 0
    let value = try reachability.connecting {
      tries += 1
      guard tries == 4 else {
        #expect(reachability.isReachable == (tries == 1))
        throw DatabaseError(.unavailable)
      }
      return "connected"
    }
    #expect(value == "connected")
    #expect(reachability.isReachable)
    // An error that is not about the server's absence is not repeated.
    #expect(throws: DatabaseError.self) {
      try reachability.connecting {
        tries += 1
        throw DatabaseError(.other)
      }
    }
    #expect(tries == 5)
  }
}
