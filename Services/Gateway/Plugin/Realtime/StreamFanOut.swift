import Contracts
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import RedisClient

/// Notifies the other gateways through Redis that the shared log has new events, and passes them what is not stored.
/// Messages are lost while Redis is unavailable: gateways then find new events within a second, but no signals.
final class StreamFanOut: Service {
  private static let channel = "quintet:realtime"

  /// Redis delivers each message once to every gateway, including the one that sent it.
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
  private let isStopped = Atomic<Bool>(false)
  private let connection = Mutex<Subscription?>(nil)
  private let notice = Mutex(Notice())

  /// The connection that waits for messages. Only its thread uses it, except for the interruption, which acts on the
  /// socket: the lock prevents it after the connection is freed. This makes `@unchecked Sendable` safe.
  private final class Subscription: @unchecked Sendable {
    let connection: RedisConnection
    init(_ address: RedisAddress) throws { connection = try RedisConnection(address, seconds: nil) }
  }

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
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    let thread = Thread { [self] in
      while !isStopped.load(ordering: .acquiring) {
        listen()
        if !isStopped.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) }
      }
      continuation.finish()
    }
    thread.name = "redis-subscriber"
    thread.start()
    try? await gracefulShutdown()
    isStopped.store(true, ordering: .releasing)
    connection.withLock { $0?.connection.interrupt() }
    for await _ in ended {}
    await client.close()
  }

  private func listen() {
    guard let subscription = try? Subscription(client.address) else { return warn() }
    // Stored before the first wait, so that stopping can interrupt it.
    connection.withLock { $0 = subscription }
    defer { connection.withLock { $0 = nil } }
    guard !isStopped.load(ordering: .acquiring),
      case .list? = try? subscription.connection.send(["SUBSCRIBE", Self.channel])
    else { return warn() }
    tail.wake()
    while !isStopped.load(ordering: .acquiring), let reply = try? subscription.connection.receive() {
      guard case .list(let parts) = reply, parts.count == 3, let text = parts[2].text,
        let message = try? WireJSON.decode(Message.self, from: text.utf8), message.sender != id
      else { continue }
      if let signal = message.signal { hub.signal(signal) } else { tail.wake() }
    }
  }

  private func warn() { logger.warning("Redis is unavailable; no notifications from other gateways") }
}
