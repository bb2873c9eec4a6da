import Contracts
import ServiceKit
import RedisClient

/// Token buckets shared by all gateways: one script per request, which Redis runs atomically.
struct RedisBuckets: Sendable {
  private let client: RedisClient

  init(_ client: RedisClient) { self.client = client }

  /// Counts the request if there is room, as ``RateLimit`` does, and returns what was used before. Stores when the bucket
  /// is empty of requests again, and expires then. All numbers are microseconds.
  private static let script = """
    local time = redis.call('TIME')
    local now = tonumber(ARGV[3]) or time[1] * 1000000 + time[2]
    local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
    local used = math.max(0, (tonumber(redis.call('GET', KEYS[1])) or now) - now)
    if used + interval <= capacity then
      local after = used + interval
      redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000))
    end
    return used
    """

  /// - Parameter now: Redis's clock by default, so that gateways whose clocks differ agree.
  func take(_ key: String, _ limit: RateLimit, at now: Timestamp? = nil) async throws -> RateLimit.Verdict {
    let interval = limit.interval
    let numbers = [interval, interval * Int64(limit.count)] + (now.map { [$0.microseconds] } ?? [])
    let reply = try await client.send(
      ["EVAL", Self.script, "1", "quintet:limit:\(key)"] + numbers.map { "\($0)" }
    )
    guard case .integer(let used) = reply else {
      throw RedisConnection.Failure(reason: "unexpected reply to the rate limit script")
    }
    let start = Timestamp(microseconds: 0)
    var state: RateLimit.State? = limit.state(used: Int64(used), at: start)
    return limit.take(&state, at: start)
  }
}
