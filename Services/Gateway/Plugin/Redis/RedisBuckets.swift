/// Token buckets shared by all gateways: one script per request, which Redis runs atomically.
struct RedisBuckets: Sendable {
  private let client: RedisClient

  init(_ client: RedisClient) { self.client = client }

  /// Stores level and time in a hash that expires once the bucket would be full again. The gateway supplies the time;
  /// clock skew between gateways only delays the refill.
  private static let script = """
    local requests, seconds, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    local state = redis.call('HMGET', KEYS[1], 'level', 'at')
    local level, at = tonumber(state[1]) or requests, tonumber(state[2]) or now
    local rate = requests / seconds
    level = math.min(requests, level + math.max(0, now - at) * rate)
    local allowed = level >= 1
    if allowed then level = level - 1 end
    redis.call('HSET', KEYS[1], 'level', tostring(level), 'at', tostring(math.max(now, at)))
    redis.call('PEXPIRE', KEYS[1], math.ceil(seconds * 1000) + 1000)
    local wait = allowed and (requests - level) / rate or (1 - level) / rate
    return {allowed and 1 or 0, math.floor(level), math.ceil(wait)}
    """

  func take(_ key: String, _ rate: Rate, at now: Double) async throws -> TokenBucket.Verdict {
    let words = ["EVAL", Self.script, "1", "quintet:rate:\(key)", "\(rate.requests)", "\(rate.seconds)", "\(now)"]
    guard case .list(let parts) = try await client.send(words), parts.count == 3, case .integer(let allowed) = parts[0],
      case .integer(let remaining) = parts[1], case .integer(let seconds) = parts[2]
    else { throw RedisConnection.Failure(reason: "unexpected reply to the rate limit script") }
    return TokenBucket.Verdict(isAllowed: allowed == 1, remaining: Int(remaining), seconds: Int(max(1, seconds)))
  }
}
