import Synchronization

/// The state of one token bucket: it holds as many requests as the rate allows and refills evenly. A pure value; the
/// caller passes the time.
struct TokenBucket: Sendable {
  private var level: Double
  private var at: Double

  init(full rate: Rate, at now: Double) {
    level = Double(rate.requests)
    at = now
  }

  /// The result for a request.
  struct Verdict: Sendable, Equatable {
    var isAllowed: Bool
    /// Requests that are still allowed immediately.
    var remaining: Int
    /// Seconds until the next request is allowed, when this one is not; otherwise until the bucket is full.
    var seconds: Int
  }

  mutating func take(_ rate: Rate, at now: Double) -> Verdict {
    let perSecond = Double(rate.requests) / Double(rate.seconds)
    level = min(Double(rate.requests), level + max(0, now - at) * perSecond)
    at = now
    guard level >= 1 else {
      return Verdict(isAllowed: false, remaining: 0, seconds: max(1, Int(((1 - level) / perSecond).rounded(.up))))
    }
    level -= 1
    let untilFull = (Double(rate.requests) - level) / perSecond
    return Verdict(isAllowed: true, remaining: Int(level), seconds: Int(untilFull.rounded(.up)))
  }

  /// Whether it is equivalent to a new bucket.
  func isFull(_ rate: Rate, at now: Double) -> Bool {
    level + (now - at) * Double(rate.requests) / Double(rate.seconds) >= Double(rate.requests)
  }
}

/// Buckets of this process.
final class LocalBuckets: Sendable {
  /// The maximum number of buckets: at this number, full buckets are removed, and if there are none, all buckets.
  private static let maxCount = 200_000

  private let buckets = Mutex<[String: (bucket: TokenBucket, rate: Rate)]>([:])

  func take(_ key: String, _ rate: Rate, at now: Double) -> TokenBucket.Verdict {
    buckets.withLock { buckets in
      if buckets.count >= Self.maxCount {
        buckets = buckets.filter { !$0.value.bucket.isFull($0.value.rate, at: now) }
        if buckets.count >= Self.maxCount { buckets = [:] }
      }
      var (bucket, _) = buckets[key] ?? (TokenBucket(full: rate, at: now), rate)
      let verdict = bucket.take(rate, at: now)
      buckets[key] = (bucket, rate)
      return verdict
    }
  }
}
