import Foundation
import Persistence

/// Sends commands to Redis from a thread of its own, one after the other; what waits is bounded.
final class RedisClient: Sendable {
  private typealias Command = @Sendable (RedisConnection?) -> Void

  let address: RedisAddress
  private let queue = JobQueue<Command>(capacity: 1024)

  /// After a failed attempt to connect, commands fail at once for this long, in seconds.
  private static let pause = 1.0
  private static let answerSeconds = 1.0

  init(_ address: RedisAddress) {
    self.address = address
    queue.startThread(named: "redis") { [queue] in
      var connection: RedisConnection?
      var failedAt = Date.distantPast
      while let command = queue.take() {
        if connection == nil, -failedAt.timeIntervalSinceNow >= Self.pause {
          connection = try? RedisConnection(address, seconds: Self.answerSeconds)
          if connection == nil { failedAt = Date() }
        }
        command(connection)
        if connection?.isBroken == true { connection = nil }
      }
    }
  }

  /// - Throws: ``RedisConnection/Failure`` when Redis cannot be reached, is too slow, or refuses the command.
  func send(_ words: [String]) async throws -> RedisConnection.Reply {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.submit { connection in
          continuation.resume(
            with: Result {
              guard let connection else { throw RedisConnection.Failure(reason: "cannot connect") }
              let reply = try connection.send(words)
              if case .error(let reason) = reply { throw RedisConnection.Failure(reason: reason) }
              return reply
            }
          )
        }
      } catch {
        continuation.resume(throwing: RedisConnection.Failure(reason: "too much waits"))
      }
    }
  }

  func close() async { await queue.close() }
}
