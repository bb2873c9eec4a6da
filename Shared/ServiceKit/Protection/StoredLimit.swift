public import Contracts
public import Persistence

/// A rate limit of one subject, such as an account or an address, in the service's database: a restart forgets nothing,
/// and all instances count together. Subjects are stored only as keyed hashes.
public struct StoredLimit: Sendable {
  private let limit: RateLimit
  private let key: String

  /// - Parameter purpose: What is limited; separates the attempts of a subject. Without spaces.
  public init(_ limit: RateLimit, of subject: String, for purpose: String, _ keys: DataKeys) {
    self.limit = limit
    key = keys.lookup("\(purpose) \(subject)", for: "rate-limits")
  }

  /// Counts an attempt.
  /// - Returns: The seconds to wait when the limit is reached, in which case nothing is counted; otherwise `nil`.
  public func take(in tx: Transaction) throws -> Int? {
    let stored = try tx.first("SELECT empty_at, blocked_until FROM rate_limit_states WHERE key = \(key)") { row in
      RateLimit.State(emptyAt: try row["empty_at"], blockedUntil: try row["blocked_until"])
    }
    var state = stored
    let verdict = limit.take(&state, at: tx.now)
    // A refusal is stored when it has been shortened, because the clock was set back.
    guard let state, state != stored else { return verdict.seconds }
    try tx.execute(
      """
      INSERT INTO rate_limit_states (key, empty_at, blocked_until)
      VALUES (\(key), \(state.emptyAt), \(state.blockedUntil))
      ON CONFLICT (key) DO UPDATE SET empty_at = excluded.empty_at, blocked_until = excluded.blocked_until
      """
    )
    return verdict.isAllowed ? nil : verdict.seconds
  }

  /// Counts an attempt.
  /// - Throws: ``Problem`` of the kind, with the seconds to wait, when the limit is reached.
  public func require(_ kind: Problem.Kind = .tooManyRequests, in tx: Transaction, detail: String? = nil) throws {
    if let wait = try take(in: tx) { throw Problem(kind, detail: detail, retryAfter: wait) }
  }

  /// Uncounts an attempt, and allows the next one immediately.
  public func undo(in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE rate_limit_states SET empty_at = empty_at - \(limit.interval), blocked_until = \(tx.now) WHERE key = \(key)
      """
    )
  }

  /// Forgets all attempts.
  public func reset(in tx: Transaction) throws {
    try tx.execute("DELETE FROM rate_limit_states WHERE key = \(key)")
  }

  /// Deletes the states that no longer limit anyone.
  static func purge(_ database: any Database) async throws {
    try await database.write(.readCommitted) { tx in
      _ = try tx.execute("DELETE FROM rate_limit_states WHERE empty_at <= \(tx.now) AND blocked_until <= \(tx.now)")
    }
  }
}
