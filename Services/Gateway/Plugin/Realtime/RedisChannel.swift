import RedisClient
import ServiceLifecycle

/// Messages between gateways by Redis' publish and subscribe.
struct RedisChannel: GatewayChannel {
  private static let channel = "quintet:realtime"

  let name = "Redis"
  private let client: RedisClient

  init(_ client: RedisClient) { self.client = client }

  func send(_ message: [UInt8]) async throws {
    _ = try await client.send([Array("PUBLISH".utf8), Array(Self.channel.utf8), message])
  }

  func receive(
    onConnect: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable () -> Void,
    _ message: @escaping @Sendable ([UInt8]) -> Void
  ) async {
    await cancelWhenGracefulShutdown { [client] in
      while !Task.isCancelled {
        do {
          let messages = try await RedisSubscription.open(Self.channel, at: client.address)
          onConnect()
          for await text in messages { message(Array(text.utf8)) }
        } catch {}
        if Task.isCancelled { return }
        onFailure()
        try? await Task.sleep(for: .seconds(1))
      }
    }
    await client.close()
  }
}
