import Foundation
import NIOCore
import NIOPosix

/// Sends commands to Redis through one connection, many of them at a time. When Redis is unavailable or hangs, callers
/// do not wait long: commands time out, and after a failure all commands fail immediately for a while.
public final class RedisClient: Sendable {
  public let address: RedisAddress
  private let loop: any EventLoop
  private let link: NIOLoopBoundBox<RedisLink>

  /// Connects with the first command.
  ///
  /// - Parameters:
  ///   - timeout: The timeout for a reply, and for the connection that a command waits for, in seconds.
  ///   - pause: After a failure of the connection, commands fail immediately for this long, in seconds.
  public init(_ address: RedisAddress, timeout: Double = 0.25, pause: Double = 5) {
    self.address = address
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    self.loop = loop
    func amount(_ seconds: Double) -> TimeAmount { .microseconds(Int64(seconds * 1_000_000)) }
    let (timeout, pause) = (amount(timeout), amount(pause))
    let connector = RedisConnector(address: address, loop: loop)
    link = .makeBoxSendingValue(RedisLink(connector, timeout: timeout, pause: pause), eventLoop: loop)
  }

  /// - Throws: ``RedisFailure`` when Redis cannot be reached, is too slow, or refuses the command.
  public func send(_ words: [String]) async throws -> RedisReply { try await send(RedisCommand(words)) }

  /// Sends a command whose words may be any bytes.
  /// - Throws: ``RedisFailure`` when Redis cannot be reached, is too slow, or refuses the command.
  public func send(_ words: [[UInt8]]) async throws -> RedisReply { try await send(RedisCommand(words)) }

  /// Runs a script, of which Redis gets the text only when it does not know it yet.
  /// - Throws: ``RedisFailure`` when Redis cannot be reached, is too slow, or refuses the script.
  public func run(_ script: RedisScript, keys: [String], arguments: [String]) async throws -> RedisReply {
    let words = ["\(keys.count)"] + keys + arguments
    do {
      return try await send(["EVALSHA", script.digest] + words)
    } catch let failure as RedisFailure {
      guard failure.reason.hasPrefix("NOSCRIPT") else { throw failure }
      return try await send(["EVAL", script.text] + words)
    }
  }

  private func send(_ command: RedisCommand) async throws -> RedisReply {
    let promise = loop.makePromise(of: RedisReply.self)
    loop.execute { [link] in link.value.send(command, promise) }
    let reply = try await promise.futureResult.get()
    if case .error(let reason) = reply { throw RedisFailure(reason: reason) }
    return reply
  }

  /// Closes the connection after the commands that wait.
  public func close() async {
    let promise = loop.makePromise(of: Void.self)
    loop.execute { [link] in link.value.close(promise) }
    try? await promise.futureResult.get()
  }
}
