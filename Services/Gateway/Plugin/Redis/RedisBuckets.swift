package import Contracts
package import RedisClient
package import ServiceKit

/// Token buckets shared by all gateways: one script for the buckets of a request, which Redis runs atomically.
package struct RedisBuckets: Sendable {
  private let client: RedisClient

  package init(_ client: RedisClient) { self.client = client }

  /// Counts the request in each bucket as ``RateLimit`` does, up to the first one without room, and returns what each had
  /// used before. Stores when a bucket is empty of requests again, and expires then. All numbers are microseconds.
  private static let script = RedisScript(
    """
    local time = redis.call('TIME')
    local now = tonumber(ARGV[1]) or time[1] * 1000000 + time[2]
    local all = {}
    for i, key in ipairs(KEYS) do
      local interval, capacity = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
      local used = math.max(0, (tonumber(redis.call('GET', key)) or now) - now)
      all[i] = used
      if used + interval > capacity then break end
      local after = used + interval
      redis.call('SET', key, string.format('%.0f', now + after), 'PX', math.ceil(after / 1000))
    end
    return all
    """
  )

  /// - Parameter now: Redis's clock by default, so that gateways whose clocks differ agree.
  func take(_ key: String, _ limit: RateLimit, at now: Timestamp? = nil) async throws -> RateLimit.Verdict {
    guard let verdict = try await take([(key, limit)], at: now).first else { throw Self.unexpected }
    return verdict
  }

  /// - Returns: The verdicts of the buckets up to the first that refuses.
  package func take(
    _ buckets: [(key: String, limit: RateLimit)], at now: Timestamp? = nil
  ) async throws -> [RateLimit.Verdict] {
    var arguments = [now.map { "\($0.microseconds)" } ?? ""]
    for bucket in buckets {
      arguments += ["\(bucket.limit.interval)", "\(bucket.limit.interval * Int64(bucket.limit.count))"]
    }
    let reply = try await client.run(
      Self.script, keys: buckets.map { "quintet:limit:\($0.key)" }, arguments: arguments)
    guard case .list(let replies) = reply, (1...buckets.count).contains(replies.count) else { throw Self.unexpected }
    let start = Timestamp(microseconds: 0)
    var verdicts: [RateLimit.Verdict] = []
    for (reply, bucket) in zip(replies, buckets) {
      guard case .integer(let used) = reply else { throw Self.unexpected }
      var state: RateLimit.State? = bucket.limit.state(used: used, at: start)
      verdicts.append(bucket.limit.take(&state, at: start))
    }
    return verdicts
  }

  /// Runs the script as requests do: a replica, or a Redis without memory, answers to others.
  ///
  /// - Throws: ``RedisFailure`` when Redis cannot be used.
  func check() async throws { _ = try await take("check", RateLimit(1, per: 1, pause: .untilOneIsForgotten)) }

  private static let unexpected = RedisFailure(reason: "unexpected reply to the rate limit script")
}
