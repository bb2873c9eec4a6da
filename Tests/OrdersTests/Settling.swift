import Contracts
import Persistence
import TestKit

/// Errors that pass by themselves while other processes use the same database.
private let temporary: [DatabaseError.Kind] = [.conflict, .overloaded, .unavailable, .outcomeUnknown]

/// The database of orders, whose service runs in another process.
extension Database {
  /// Waits until a query finds nothing, while the jobs of orders are due. The claim of a job by a dead process lasts two
  /// minutes, and an order's job waits for ten seconds; this time passes at once.
  ///
  /// It passes again later, because a job stays claimed as long if its outcome could not be stored.
  func settle(unfinished: SQL) async throws {
    var hastenedAt: ContinuousClock.Instant?
    try await eventually("everything is settled") {
      do {
        if hastenedAt.map({ ContinuousClock.now - $0 > .seconds(15) }) ?? true {
          try await write { tx in
            try tx.execute("UPDATE jobs SET due_at = \(tx.now) WHERE kind IN ('order', 'payment-cancel')")
          }
          hastenedAt = ContinuousClock.now
        }
        return try await read { db in try !db.exists(unfinished) }
      } catch let error as DatabaseError where temporary.contains(error.kind) {
        return false
      }
    }
  }
}
