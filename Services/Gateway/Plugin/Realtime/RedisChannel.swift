import Foundation
import RedisClient
import ServiceLifecycle
import Synchronization

/// Messages between gateways by Redis' publish and subscribe.
final class RedisChannel: GatewayChannel {
  private static let channel = "quintet:realtime"

  let name = "Redis"
  private let client: RedisClient
  private let isStopped = Atomic<Bool>(false)
  private let connection = Mutex<Subscription?>(nil)

  /// The connection that waits for messages. Only its thread uses it, except for the interruption, which acts on the
  /// socket: the lock prevents it after the connection is freed. This makes `@unchecked Sendable` safe.
  private final class Subscription: @unchecked Sendable {
    let connection: RedisConnection
    init(_ address: RedisAddress) throws { connection = try RedisConnection(address, seconds: nil) }
  }

  init(_ client: RedisClient) { self.client = client }

  func send(_ message: [UInt8]) async throws {
    _ = try await client.send([Array("PUBLISH".utf8), Array(Self.channel.utf8), message])
  }

  func receive(
    onConnect: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable () -> Void,
    _ message: @escaping @Sendable ([UInt8]) -> Void
  ) async {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    let thread = Thread { [self] in
      while !isStopped.load(ordering: .acquiring) {
        if !listen(onConnect, message) { onFailure() }
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

  /// - Returns: Whether there was a connection.
  private func listen(_ onConnect: () -> Void, _ message: ([UInt8]) -> Void) -> Bool {
    guard let subscription = try? Subscription(client.address) else { return false }
    // Stored before the first wait, so that stopping can interrupt it.
    connection.withLock { $0 = subscription }
    defer { connection.withLock { $0 = nil } }
    guard !isStopped.load(ordering: .acquiring),
      case .list? = try? subscription.connection.send(["SUBSCRIBE", Self.channel])
    else { return false }
    onConnect()
    while !isStopped.load(ordering: .acquiring), let reply = try? subscription.connection.receive() {
      guard case .list(let parts) = reply, parts.count == 3, case .bytes(let bytes) = parts[2] else { continue }
      message(bytes)
    }
    return true
  }
}
