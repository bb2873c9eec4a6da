import Contracts
import Persistence
import ServiceKit

/// Throttles guessing with exponential backoff: after a few failures, each further attempt has to wait twice as long as
/// the previous one. Counts are per account and per address and stored in the database, so that a restart does not
/// reset them.
struct Throttle: Sendable {
  let database: any Database
  let keys: DataKeys

  /// What attempts are counted for. Account names and addresses are stored only as keyed hashes.
  struct Subject: Sendable {
    fileprivate let key: String
    fileprivate let freeAttempts: Int
    /// Seconds after which one attempt expires.
    fileprivate let forgetSeconds: Double
  }

  /// Attempts without delay. All users of a school or a company may share one address.
  static let freeAttempts = 5
  static let freeAttemptsPerAddress = 50
  static let longestDelay = 900.0
  /// Seconds after which the longest series of attempts expires.
  static let memory = 86_400.0

  /// - Parameter purpose: Separates attempts that anyone can make from those that only the signed-in user can make.
  func account(_ name: String, for purpose: String) -> Subject {
    Subject(
      key: keys.lookup("\(purpose) \(name.lowercased())", for: "attempts.account"),
      freeAttempts: Self.freeAttempts,
      forgetSeconds: 1800
    )
  }

  func address(_ address: String?) -> Subject {
    Subject(
      key: keys.lookup(ClientNetwork.of(address ?? "unknown"), for: "attempts.address"),
      freeAttempts: Self.freeAttemptsPerAddress,
      forgetSeconds: 30
    )
  }

  /// Mails of one kind per user or address: enough for normal use, too few to flood a mailbox.
  func mails(_ purpose: String, _ address: String) -> Subject {
    Subject(key: keys.lookup("\(purpose) \(address)", for: "attempts.mail"), freeAttempts: 3, forgetSeconds: 1800)
  }

  /// Seconds to wait after `count` attempts, the first `free` of which have no delay.
  static func delay(after count: Int, free: Int) -> Double {
    count < free ? 0 : min(longestDelay, Double(1 << min(count - free, 20)))
  }

  /// Records an attempt before it is made, so that concurrent attempts cannot bypass the limit.
  /// - Throws: ``Problem`` 429 with the seconds to wait.
  func recordAttempt(_ subjects: [Subject]) async throws {
    let wait = try await database.write { tx -> Double? in
      var states: [(subject: Subject, count: Int)] = []
      for subject in subjects {
        let state = try tx.first(
          "SELECT count, blocked_until, last_at FROM attempts WHERE key = \(subject.key)"
        ) { row -> (count: Int, until: Timestamp, last: Timestamp) in
          (try row["count"], try row["blocked_until"], try row["last_at"])
        }
        if let state, state.until > tx.now { return state.until.seconds(since: tx.now) }
        let forgotten = state.map { Int(tx.now.seconds(since: $0.last) / subject.forgetSeconds) } ?? 0
        states.append((subject, max(0, (state?.count ?? 0) - forgotten)))
      }
      for (subject, count) in states {
        let delay = Self.delay(after: count + 1, free: subject.freeAttempts)
        let until = tx.now.advanced(bySeconds: delay)
        try tx.execute(
          """
          INSERT INTO attempts (key, count, blocked_until, last_at)
          VALUES (\(subject.key), \(count + 1), \(until), \(tx.now))
          ON CONFLICT (key) DO UPDATE SET count = excluded.count, blocked_until = excluded.blocked_until,
            last_at = excluded.last_at
          """
        )
      }
      return nil
    }
    if let wait { throw Problem(.tooManyAttempts, retryAfter: Int(wait.rounded(.up))) }
  }

  /// Resets the account's count after a success. For the address, only this attempt is undone; otherwise one valid
  /// account would allow unlimited guesses at others.
  static func reset(_ account: Subject, _ address: Subject, in tx: Transaction) throws {
    try tx.execute("DELETE FROM attempts WHERE key = \(account.key)")
    try undo(address, in: tx)
  }

  /// Undoes one attempt that must not count.
  static func undo(_ subject: Subject, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE attempts SET count = count - 1, blocked_until = \(tx.now) WHERE key = \(subject.key) AND count > 0"
    )
  }
}
