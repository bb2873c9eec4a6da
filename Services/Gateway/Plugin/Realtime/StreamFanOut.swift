import Contracts
import Foundation
import Logging
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Tells the other gateways, by Redis, that there is something new for a user; each reads it from the database that they
/// share. Redis loses messages while it is away: then a stream finds them when it next shows that it lives.
final class StreamFanOut: Service {
  private static let channel = "quintet:realtime"

  private let client: RedisClient
  private let hub: StreamHub
  private let logger: Logger
  private let isStopped = Atomic<Bool>(false)
  private let connection = Mutex<Subscription?>(nil)

  /// The connection that waits for messages. Its thread alone uses it, but for the interruption, which hiredis does not
  /// know of: the lock keeps it from coming after the connection is gone. That makes it safe.
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
        logger.warning("other gateways are not told: Redis does not answer")
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
    // Known before anything is waited for, so that stopping can interrupt it.
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

  private func warn() { logger.warning("other gateways are not heard: Redis does not answer") }
}
