public import Contracts
import Synchronization

/// Rate limits of callers in the memory of this process: a restart forgets them, and each instance counts for itself. For
/// what is frequent and does no harm when it is counted twice; otherwise ``StoredLimit``.
public final class LocalBuckets: Sendable {
  private let maxCount: Int
  private let buckets = Mutex<[String: RateLimit.State]>([:])

  /// - Parameter maxCount: At this number, full buckets are removed. If there are not enough of them, the fuller half is:
  ///   whoever invents addresses does not make it forget those who have used up theirs.
  public init(maxCount: Int = 200_000) { self.maxCount = maxCount }

  /// Counts an attempt, unless it must wait.
  public func take(_ key: String, _ limit: RateLimit, at now: Timestamp) -> RateLimit.Verdict {
    buckets.withLock { buckets in
      if buckets.count >= maxCount { Self.shrink(&buckets, below: maxCount, at: now) }
      return limit.take(&buckets[key], at: now)
    }
  }

  /// Counts an attempt.
  /// - Throws: ``Problem`` `too-many-requests`, with the seconds to wait, when the limit is reached.
  public func require(_ key: String, _ limit: RateLimit, at now: Timestamp) throws(Problem) {
    guard !limit.isUnlimited else { return }
    let verdict = take(key, limit, at: now)
    guard verdict.isAllowed else { throw Problem(.tooManyRequests, retryAfter: verdict.seconds) }
  }

  private static func shrink(_ buckets: inout [String: RateLimit.State], below maxCount: Int, at now: Timestamp) {
    buckets = buckets.filter { !$0.value.isForgotten(at: now) }
    guard buckets.count > maxCount / 2 else { return }
    // Buckets that are refused at the moment stay first, then those that remember most.
    let kept = buckets.sorted { ($0.value.blockedUntil, $0.value.emptyAt) > ($1.value.blockedUntil, $1.value.emptyAt) }
    buckets = Dictionary(uniqueKeysWithValues: kept.prefix(maxCount / 2).map { ($0.key, $0.value) })
  }
}
