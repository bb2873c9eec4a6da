import Contracts
import Logging
import ServiceLifecycle
import Synchronization
import RedisClient

/// Notifies the other gateways through Redis that the shared log has new events, and passes them what is not stored.
/// Messages are lost while Redis is unavailable: gateways then find new events within a second, but no signals.
final class StreamFanOut: Service {
  private static let channel = "quintet:realtime"

  /// Redis has each message once for every gateway, also the sender's.
  private struct Message: Codable {
    var sender: String
    /// Unset when there are new events in the log.
    var signal: SignalsAPI.Send?
  }

  private struct Notice {
    var isUnderWay = false
    var isWanted = false
  }

  private let client: RedisClient
  private let id: String
  private let hub: StreamHub
  private let tail: EventTail
  private let logger: Logger
  private let notice = Mutex(Notice())

  /// - Parameter id: Names this process.
  init(_ client: RedisClient, id: String, hub: StreamHub, tail: EventTail, logger: Logger) {
    (self.client, self.id, self.hub, self.tail, self.logger) = (client, id, hub, tail, logger)
  }

  /// Announces new events in the log. Events that arrive while a message is being sent share the next one.
  func publish() {
    let isFirst = notice.withLock { notice in
      notice.isWanted = true
      defer { notice.isUnderWay = true }
      return !notice.isUnderWay
    }
    guard isFirst else { return }
    Task {
      while isWanted() { await send(Message(sender: id)) }
    }
  }

  private func isWanted() -> Bool {
    notice.withLock { notice in
      defer { notice.isWanted = false }
      notice.isUnderWay = notice.isWanted
      return notice.isWanted
    }
  }

  func publish(_ signal: SignalsAPI.Send) {
    Task { await send(Message(sender: id, signal: signal)) }
  }

  private func send(_ message: Message) async {
    do {
      let text = String(decoding: try WireJSON.encode(message), as: UTF8.self)
      _ = try await client.send(["PUBLISH", Self.channel, text])
    } catch {
      logger.warning("Redis is unavailable; other gateways are not notified")
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown { [self] in
      while !Task.isCancelled {
        await listen()
        try? await Task.sleep(for: .seconds(1))
      }
    }
    await client.close()
  }

  private func listen() async {
    do {
      let messages = try await RedisSubscription.open(Self.channel, at: client.address)
      tail.wake()
      for await text in messages {
        guard let message = try? WireJSON.decode(Message.self, from: text.utf8), message.sender != id else { continue }
        if let signal = message.signal { hub.signal(signal) } else { tail.wake() }
      }
      if Task.isCancelled { return }
    } catch {}
    logger.warning("Redis is unavailable; no notifications from other gateways")
  }
}
