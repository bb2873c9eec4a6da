import Contracts
import Persistence
import ServiceKit

/// Slows guessing down: after a few failures the next attempt has to wait, twice as long each time; per account and per
/// address, kept in the database, so that a restart forgives nothing.
struct Throttle: Sendable {
  let database: any Database
  let keys: DataKeys

  /// Something that is counted. Names of accounts and addresses are kept as keyed hashes only.
  struct Subject: Sendable {
    fileprivate let key: String
    fileprivate let freeAttempts: Int
    /// Seconds after which one attempt is forgotten.
    fileprivate let forgetSeconds: Double
  }

  /// Attempts without delay. Many people share the address of a school or a company.
  static let freeAttempts = 5
  static let freeAttemptsPerAddress = 50
  static let longestDelay = 900.0
  /// Seconds after which the longest row of attempts is forgotten.
  static let memory = 86_400.0

  /// - Parameter purpose: Keeps what anybody can try apart from what only the signed-in user can.
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

  /// A user's mails of one kind: enough for people, too few for a flood.
  func mails(_ purpose: String, _ address: String) -> Subject {
    Subject(key: keys.lookup("\(purpose) \(address)", for: "attempts.mail"), freeAttempts: 3, forgetSeconds: 1800)
  }

  /// Seconds to wait after so many attempts.
  static func delay(after count: Int, free: Int) -> Double {
    count < free ? 0 : min(longestDelay, Double(1 << min(count - free, 20)))
  }

  /// Counts an attempt before it is made, so that many at once cannot slip through.
  /// - Throws: ``Problem`` 429 with the seconds to wait.
  func begin(_ subjects: [Subject]) async throws {
    let wait = try await database.write { tx -> Double? in
      var states: [(subject: Subject, count: Int)] = []
      for subject in subjects {
        let state = try tx.first(
          "SELECT count, blocked_until, last_at FROM attempts WHERE key = \(subject.key)"
        ) { row -> (count: Int, until: Timestamp, last: Timestamp) in (try row[0], try row[1], try row[2]) }
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

  /// Forgives after a success; an address only this one attempt, or one good account would open the door for guessing
  /// others.
  static func forgive(_ account: Subject, _ address: Subject, in tx: Transaction) throws {
    try tx.execute("DELETE FROM attempts WHERE key = \(account.key)")
    try takeBack(address, in: tx)
  }

  /// One attempt that was none.
  static func takeBack(_ subject: Subject, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE attempts SET count = count - 1, blocked_until = \(tx.now) WHERE key = \(subject.key) AND count > 0"
    )
  }
}
