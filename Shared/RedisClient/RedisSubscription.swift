import NIOCore
import NIOPosix

/// A connection that receives the messages of one channel (`SUBSCRIBE`).
public enum RedisSubscription {
  /// Subscribes to a channel.
  ///
  /// - Returns: The messages, which end when the connection does. The connection is closed when nothing reads them.
  /// - Throws: ``RedisFailure``, or an error of TLS, when Redis cannot be reached or refuses the subscription.
  public static func open(_ channel: String, at address: RedisAddress) async throws -> AsyncStream<String> {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let connector = RedisConnector(address: address, loop: loop)
    let (messages, continuation) = AsyncStream.makeStream(of: String.self)
    let isSubscribed = loop.makePromise(of: Void.self)
    let connection = try await connector.connect {
      try RedisReplies { reply in
        switch reply {
        case .error(let reason): isSubscribed.fail(RedisFailure(reason: reason))
        case .list(let parts) where parts.first?.text == "subscribe": isSubscribed.succeed()
        case .list(let parts) where parts.count == 3 && parts[0].text == "message":
          if let text = parts[2].text { continuation.yield(text) }
        default: break
        }
      } onEnd: { failure in
        isSubscribed.fail(failure)
        continuation.finish()
      }
    }.flatMapErrorThrowing { error in
      isSubscribed.fail(error)
      throw error
    }.get()
    continuation.onTermination = { _ in connection.close(promise: nil) }
    for words in connector.greeting + [["SUBSCRIBE", channel]] {
      connection.writeAndFlush(RedisCommand(words).bytes, promise: nil)
    }
    let timeout = loop.scheduleTask(in: .seconds(RedisConnector.seconds)) {
      isSubscribed.fail(RedisFailure(reason: "no reply in time"))
    }
    do {
      try await isSubscribed.futureResult.get()
      timeout.cancel()
    } catch {
      timeout.cancel()
      continuation.finish()
      throw error
    }
    return messages
  }
}
