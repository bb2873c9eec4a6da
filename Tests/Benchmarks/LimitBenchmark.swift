import GatewayService
import RedisClient
import ServiceKit

/// Checks of limits that several gateways share, as one of them makes them: of a user and a network at once, many through
/// one connection.
enum LimitBenchmark {
  private static let inFlight = 256
  private static let count = 1000 * inFlight

  private struct Unusable: Error {}

  static func run(redisURL: String) async throws {
    guard let address = RedisAddress(redisURL), let limit = RateLimit("1000000/1") else { throw Unusable() }
    let client = RedisClient(address)
    let buckets = RedisBuckets(client)
    try await Benchmarks.measure("redis-limit-checks", count: count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in 0..<inFlight {
          group.addTask {
            for _ in 0..<(count / inFlight) {
              _ = try await buckets.take([("read user \(user)", limit), ("read network \(user % 16)", limit)])
            }
          }
        }
        try await group.waitForAll()
      }
    }
    await client.close()
  }
}
