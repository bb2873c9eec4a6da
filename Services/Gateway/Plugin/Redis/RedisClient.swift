import Foundation
import Persistence

/// Sends commands to Redis from a separate thread, one at a time. When Redis is unavailable or hangs, callers do not
/// wait long: commands time out, and after a connection failure all commands fail immediately for a while.
final class RedisClient: Sendable {
  private typealias Command = @Sendable (RedisConnection?) -> Void

  let address: RedisAddress
  private let queue = BlockingWorkQueue<Command>(capacity: 1024)

  /// After a connection failure, commands fail immediately for this long, in seconds.
  private static let pause = 5.0
  /// The timeout for a reply, and for the wait in the queue, in seconds.
  private static let patience = 0.25

  init(_ address: RedisAddress) {
    self.address = address
    queue.startThread(named: "redis") { [queue] in
      var connection: RedisConnection?
      var failedAt = Date.distantPast
      while let command = queue.take() {
        if connection == nil, -failedAt.timeIntervalSinceNow >= Self.pause {
          connection = try? RedisConnection(address, seconds: Self.patience)
          if connection == nil { failedAt = Date() }
        }
        command(connection)
        if connection?.isBroken == true {
          connection = nil
          failedAt = Date()
        }
      }
    }
  }

  /// - Throws: ``RedisConnection/Failure`` when Redis cannot be reached, is too slow, or refuses the command.
  func send(_ words: [String]) async throws -> RedisConnection.Reply {
    let deadline = Date(timeIntervalSinceNow: Self.patience)
    return try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.submit { connection in
          continuation.resume(
            with: Result {
              guard let connection, Date() < deadline else { throw RedisConnection.Failure(reason: "unavailable") }
              let reply = try connection.send(words)
              if case .error(let reason) = reply { throw RedisConnection.Failure(reason: reason) }
              return reply
            }
          )
        }
      } catch {
        continuation.resume(throwing: RedisConnection.Failure(reason: "the queue is full or closed"))
      }
    }
  }

  func close() async { await queue.close() }
}
