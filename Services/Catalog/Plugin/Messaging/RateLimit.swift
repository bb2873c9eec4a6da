import Contracts
import Persistence
import ServiceKit

/// Limits how often a subject may do something within a time window. Counters are stored in the database, so that they
/// survive a restart, under keyed hashes of the subjects.
struct RateLimit: Sendable {
  let keys: DataKeys
  /// What is limited; separates the counters.
  let purpose: String
  let maxCount: Int
  let seconds: Double

  /// Counts one attempt.
  /// - Returns: The seconds to wait when the limit is reached, in which case nothing is counted; otherwise `nil`.
  func take(_ subject: String, in tx: Transaction) throws -> Int? {
    let key = keys.lookup("\(purpose) \(subject)", for: "rate-limits")
    try tx.execute("DELETE FROM rate_limits WHERE until <= \(tx.now)")
    let state = try tx.first("SELECT count, until FROM rate_limits WHERE key = \(key)") {
      row -> (count: Int, until: Timestamp) in (try row["count"], try row["until"])
    }
    if let state, state.count >= maxCount { return Int(state.until.seconds(since: tx.now).rounded(.up)) }
    try tx.execute(
      """
      INSERT INTO rate_limits (key, count, until) VALUES (\(key), 1, \(tx.now.advanced(bySeconds: seconds)))
      ON CONFLICT (key) DO UPDATE SET count = rate_limits.count + 1
      """
    )
    return nil
  }

  static let migration = Migration(
    "catalog-rate-limits",
    why: "anonymous requests are rate limited",
    [
      "CREATE TABLE rate_limits (key TEXT PRIMARY KEY, count BIGINT NOT NULL, until BIGINT NOT NULL)",
      "CREATE INDEX rate_limits_by_time ON rate_limits (until)",
    ]
  )
}

extension Call {
  /// The subject of rate limits for anonymous requests.
  var network: String { ClientNetwork.of(context.clientAddress ?? "unknown") }
}
