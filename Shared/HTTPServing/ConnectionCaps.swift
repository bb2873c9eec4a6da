import NIOCore
package import Observability
import Synchronization

/// Bounds the open connections of each network, so that one host cannot take those of all others.
package final class ConnectionCaps: Sendable {
  private let perNetwork: Int
  private let trusted: TrustedProxies
  private let refused: Metrics.Counter
  private let open = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - perNetwork: The maximum number; 0 for no limit.
  ///   - trusted: Proxies, through which the connections of many clients arrive: they have no limit.
  package init(perNetwork: Int, trusted: TrustedProxies, metrics: Metrics) {
    (self.perNetwork, self.trusted) = (perNetwork, trusted)
    refused = metrics.counter(
      "http_connections_refused_total", help: "Connections closed at once because their network has too many.")
  }

  /// A connection that counts until nothing refers to it any more.
  final class Slot: Sendable {
    private let caps: ConnectionCaps
    private let network: String

    fileprivate init(_ caps: ConnectionCaps, _ network: String) { (self.caps, self.network) = (caps, network) }

    deinit { caps.close(network) }
  }

  enum Admission {
    case unlimited
    case counted(Slot)
    case refused
  }

  func admit(_ address: String?) -> Admission {
    guard perNetwork > 0, let address, !trusted.contains(address) else { return .unlimited }
    let network = ClientNetwork.of(address)
    let hasRoom = open.withLock { open in
      guard open[network, default: 0] < perNetwork else { return false }
      open[network, default: 0] += 1
      return true
    }
    if hasRoom { return .counted(Slot(self, network)) }
    refused.increment()
    return .refused
  }

  private func close(_ network: String) {
    open.withLock { open in
      let count = open[network, default: 1] - 1
      open[network] = count == 0 ? nil : count
    }
  }
}

/// The first handler of a connection: closes it at once when its network has too many, before a TLS handshake.
final class ConnectionGate: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let caps: ConnectionCaps
  private var slot: ConnectionCaps.Slot?
  private var isChecked = false

  init(_ caps: ConnectionCaps) { self.caps = caps }

  func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { check(context) } }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    check(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    slot = nil
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { slot = nil }

  private func check(_ context: ChannelHandlerContext) {
    guard !isChecked else { return }
    isChecked = true
    switch caps.admit(context.channel.remoteAddress?.ipAddress) {
    case .unlimited: break
    case .counted(let slot): self.slot = slot
    case .refused: context.close(promise: nil)
    }
  }
}
