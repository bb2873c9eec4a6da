import Foundation
import Persistence

/// Sends commands to Redis from a thread of its own, one after the other. A Redis that is away or hangs delays nobody for
/// long: what has waited too long fails, and after a failure everything fails at once for a while.
final class RedisClient: Sendable {
  private typealias Command = @Sendable (RedisConnection?) -> Void

  let address: RedisAddress
  private let queue = JobQueue<Command>(capacity: 1024)

  /// After a failure of the connection, commands fail at once for this long, in seconds.
  private static let pause = 5.0
  /// Longest wait for a reply, and for the turn to be sent, in seconds.
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
              guard let connection, Date() < deadline else { throw RedisConnection.Failure(reason: "not at hand") }
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
