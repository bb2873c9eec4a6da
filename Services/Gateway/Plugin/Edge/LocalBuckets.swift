import Contracts
import ServiceKit
import Synchronization

/// Token buckets of this process.
final class LocalBuckets: Sendable {
  private let maxCount: Int
  private let buckets = Mutex<[String: RateLimit.State]>([:])

  /// - Parameter maxCount: At this number, full buckets are removed. If there are not enough of them, the fuller half is:
  ///   whoever invents addresses does not make it forget those who have used up theirs.
  init(maxCount: Int = 200_000) { self.maxCount = maxCount }

  func take(_ key: String, _ limit: RateLimit, at now: Timestamp) -> RateLimit.Verdict {
    buckets.withLock { buckets in
      if buckets.count >= maxCount { Self.shrink(&buckets, below: maxCount, at: now) }
      return limit.take(&buckets[key], at: now)
    }
  }

  private static func shrink(_ buckets: inout [String: RateLimit.State], below maxCount: Int, at now: Timestamp) {
    buckets = buckets.filter { !$0.value.isForgotten(at: now) }
    guard buckets.count > maxCount / 2 else { return }
    // Buckets that are refused at the moment stay first, then those that remember most.
    let kept = buckets.sorted { ($0.value.blockedUntil, $0.value.emptyAt) > ($1.value.blockedUntil, $1.value.emptyAt) }
    buckets = Dictionary(uniqueKeysWithValues: kept.prefix(maxCount / 2).map { ($0.key, $0.value) })
  }
}
