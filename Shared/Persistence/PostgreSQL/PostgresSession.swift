import Foundation

/// A thread's connection, reopened after it is lost.
final class PostgresSession {
  private let target: PostgresTarget
  private let writers: WriterGate
  private var connection: PostgresConnection?

  /// Maximum attempts of a conflicting transaction.
  private static let attempts = 12
  /// Attempts of a conflicting transaction beside others; the further ones run alone.
  private static let concurrentAttempts = 3

  init(to target: PostgresTarget, writers: WriterGate) {
    (self.target, self.writers) = (target, writers)
  }

  private func connected() throws -> PostgresConnection {
    if let connection, connection.isAlive { return connection }
    connection = nil
    let new = try PostgresConnection(to: target)
    connection = new
    return new
  }

  /// - Throws: ``PostgresConnection/ReplicaIsBehind``, besides what the body throws.
  func read<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", isReadOnly: true, body)
  }

  func write<Value>(_ purpose: WritePurpose, _ body: (PostgresConnection) throws -> Value) throws -> Value {
    let characteristics: StaticString =
      switch purpose {
      case .serializable: "ISOLATION LEVEL SERIALIZABLE"
      case .readCommitted: "ISOLATION LEVEL READ COMMITTED"
      }
    func once() throws -> Value { try transaction(characteristics, isReadOnly: false, body) }
    var (attempt, violations) = (1, 0)
    while true {
      do {
        return attempt > Self.concurrentAttempts ? try writers.runAlone(once) : try writers.runBesideOthers(once)
      } catch let error as DatabaseError where isRepeatable(error, attempt, violations) {
        if case .uniqueViolation = error.kind { violations += 1 }
        let longest = min(0.1, 0.002 * Double(1 << attempt))
        Thread.sleep(forTimeInterval: Double.random(in: 0...longest))
        attempt += 1
      }
    }
  }

  /// Of two transactions that see no row and insert it, the second may fail because the row is there now, instead of
  /// with a conflict; then it sees the row when it is repeated.
  private func isRepeatable(_ error: DatabaseError, _ attempt: Int, _ violations: Int) -> Bool {
    switch error.kind {
    case .conflict: attempt < Self.attempts
    case .uniqueViolation: attempt < Self.attempts && violations == 0
    default: false
    }
  }

  private func transaction<Value>(
    _ characteristics: StaticString, isReadOnly: Bool, _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    let old = connection
    do {
      return try attempt(characteristics, isReadOnly: isReadOnly, body)
    } catch let error as DatabaseError where error.kind == .unavailable && old != nil && old === connection {
      // The server closed the connection while it was idle or before the commit: nothing has happened.
      connection = nil
      return try attempt(characteristics, isReadOnly: isReadOnly, body)
    }
  }

  private func attempt<Value>(
    _ characteristics: StaticString, isReadOnly: Bool, _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    let connection = try connected()
    connection.begin(characteristics)
    let value: Value
    do {
      value = try body(connection)
    } catch {
      connection.end("ROLLBACK")
      throw error
    }
    if isReadOnly {
      connection.end("COMMIT")
      return value
    }
    do {
      try connection.commit()
    } catch let error as DatabaseError where error.kind == .unavailable {
      throw DatabaseError(.outcomeUnknown, error.detail)
    } catch {
      connection.end("ROLLBACK")
      throw error
    }
    return value
  }
}
