import Contracts
import ServiceKit
import Synchronization

/// Limits how fast users send or search messages, in memory: a lost count after a restart does no harm, and a stored one
/// would cost each request two statements.
final class UserRate: Sendable {
  private static let maxCount = 100_000

  private let limit: RateLimit
  private let time: TimeSource
  private let states = Mutex<[UserID: RateLimit.State]>([:])

  init(_ limit: RateLimit, time: TimeSource) { (self.limit, self.time) = (limit, time) }

  /// Counts a message, or another request.
  /// - Throws: ``Problem`` when the user has to wait.
  func take(_ user: UserID) throws(Problem) {
    if limit.isUnlimited { return }
    let now = time.now()
    let verdict = states.withLock { states in
      if states.count >= Self.maxCount, states[user] == nil {
        states = states.filter { !$0.value.isForgotten(at: now) }
        if states.count >= Self.maxCount { states = [:] }
      }
      return limit.take(&states[user], at: now)
    }
    guard verdict.isAllowed else { throw Problem(.tooManyRequests, retryAfter: verdict.seconds) }
  }
}
