import Foundation
import Persistence

/// Sends commands to Redis from a separate thread, one at a time. When Redis is unavailable or hangs, callers do not
/// wait long: commands time out, and after a connection failure all commands fail immediately for a while.
public final class RedisClient: Sendable {
  private typealias Command = @Sendable (RedisConnection?) -> Void

  public let address: RedisAddress
  private let queue = BlockingWorkQueue<Command>(capacity: 1024)

  private let patience: Double

  /// - Parameters:
  ///   - patience: The timeout for a reply, and for the wait in the queue, in seconds.
  ///   - pause: After a connection failure, commands fail immediately for this long, in seconds.
  public init(_ address: RedisAddress, patience: Double = 0.25, pause: Double = 5) {
    self.address = address
    self.patience = patience
    queue.startThread(named: "redis") { [queue] in
      var connection: RedisConnection?
      var failedAt = Date.distantPast
      while let command = queue.take() {
        if connection == nil, -failedAt.timeIntervalSinceNow >= pause {
          connection = try? RedisConnection(address, seconds: patience)
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
  public func send(_ words: [String]) async throws -> RedisConnection.Reply {
    try await send(words.map { Array($0.utf8) })
  }

  /// Sends a command whose words may be any bytes.
  /// - Throws: ``RedisConnection/Failure`` when Redis cannot be reached, is too slow, or refuses the command.
  public func send(_ words: [[UInt8]]) async throws -> RedisConnection.Reply {
    let deadline = Date(timeIntervalSinceNow: patience)
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

  /// Ends the thread after the commands that wait.
  public func close() async { await queue.close() }
}
