import Contracts
import ServiceKit
import Synchronization

/// Token buckets of this process.
final class LocalBuckets: Sendable {
  /// The maximum number of buckets: at this number, full buckets are removed, and if there are none, all buckets.
  private static let maxCount = 200_000

  private let buckets = Mutex<[String: RateLimit.State]>([:])

  func take(_ key: String, _ limit: RateLimit, at now: Timestamp) -> RateLimit.Verdict {
    buckets.withLock { buckets in
      if buckets.count >= Self.maxCount {
        buckets = buckets.filter { !$0.value.isForgotten(at: now) }
        if buckets.count >= Self.maxCount { buckets = [:] }
      }
      return limit.take(&buckets[key], at: now)
    }
  }
}
