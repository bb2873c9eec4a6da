import Contracts
import Foundation
import Logging
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Notifies the other gateways through Redis that a user has new events; each reads them from the shared database.
/// Messages are lost while Redis is unavailable: streams then find the events at their next keep-alive.
final class StreamFanOut: Service {
  private static let channel = "quintet:realtime"

  private let client: RedisClient
  private let hub: StreamHub
  private let logger: Logger
  private let isStopped = Atomic<Bool>(false)
  private let connection = Mutex<Subscription?>(nil)

  /// The connection that waits for messages. Only its thread uses it, except for the interruption, which acts on the
  /// socket: the lock prevents it after the connection is freed. This makes `@unchecked Sendable` safe.
  private final class Subscription: @unchecked Sendable {
    let connection: RedisConnection
    init(_ address: RedisAddress) throws { connection = try RedisConnection(address, seconds: nil) }
  }

  init(_ client: RedisClient, hub: StreamHub, logger: Logger) {
    self.client = client
    self.hub = hub
    self.logger = logger
  }

  func publish(_ user: UserID) {
    Task { [client, logger] in
      do { _ = try await client.send(["PUBLISH", Self.channel, user.rawValue]) } catch {
        logger.warning("Redis is unavailable; other gateways are not notified")
      }
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
    hub.wakeAll()
    while !isStopped.load(ordering: .acquiring), let message = try? subscription.connection.receive() {
      if case .list(let parts) = message, parts.count == 3, case .text(let id) = parts[2], let user = UserID(id) {
        hub.wake(user)
      }
    }
  }

  private func warn() { logger.warning("Redis is unavailable; no notifications from other gateways") }
}
