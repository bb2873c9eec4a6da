import NIOCore
import ServiceKit
import Timing

/// The resources that the connections of one event loop share: their connections to services, and a clock for all
/// deadlines.
final class ByteLoop {
  let eventLoop: any EventLoop
  private var pools: [Instances.Instance: UpstreamPool] = [:]
  private var connections: [ObjectIdentifier: ByteConnection] = [:]
  private var isWatching = false

  private static let interval = TimeAmount.milliseconds(500)

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func insert(_ connection: ByteConnection) {
    connections[ObjectIdentifier(connection)] = connection
    watch()
  }

  func remove(_ connection: ByteConnection) { connections[ObjectIdentifier(connection)] = nil }

  func pool(of instance: Instances.Instance) -> UpstreamPool {
    if let known = pools[instance] { return known }
    let new = UpstreamPool(instance, eventLoop)
    pools[instance] = new
    watch()
    return new
  }

  /// One timer looks at everything that may take too long, instead of one for each connection.
  private func watch() {
    guard !isWatching, !connections.isEmpty || !pools.isEmpty else { return }
    isWatching = true
    eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
      self.isWatching = false
      let now = MonotonicClock.now()
      for connection in Array(self.connections.values) { connection.check(at: now) }
      for (instance, pool) in self.pools where pool.isForgotten(at: now) { self.pools[instance] = nil }
      self.watch()
    }
  }
}
