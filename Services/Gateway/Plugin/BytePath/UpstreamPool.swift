import NIOCore
import NIOPosix
import ServiceKit
import Timing

/// The connections of one event loop to an instance of a service.
final class UpstreamPool {
  /// Most requests that are sent at once, and most that wait.
  private static let (limit, maxWaiting) = (512, 1024)
  /// How long a request waits for a connection, in seconds.
  private static let waitSeconds = 2.0
  /// How long a connection is kept without a request, in seconds: less than the service keeps it.
  private static let idleSeconds = 45.0
  private static let connectTimeout = TimeAmount.seconds(5)

  /// The line `Host` of requests to the instance.
  let hostLine: String
  private let instance: Instances.Instance
  private let eventLoop: any EventLoop
  private var idle: [UpstreamConnection] = []
  private var open = 0
  private var waiting: [(exchange: Exchange, since: Double)] = []

  init(_ instance: Instances.Instance, _ eventLoop: any EventLoop) {
    (self.instance, self.eventLoop) = (instance, eventLoop)
    hostLine = "Host: \(instance.origin.dropFirst("http://".count))\r\n"
  }

  /// Gives an exchange a connection, at once or later, or reports to it that there is none.
  ///
  /// - Parameter isFresh: Whether a connection is made for it even if there is an idle one.
  func take(for exchange: Exchange, isFresh: Bool) {
    while !isFresh, let connection = idle.popLast() {
      guard connection.isUsable else { continue }
      return exchange.begin(on: connection, hostLine: hostLine)
    }
    if open < Self.limit { return connect(for: exchange) }
    guard waiting.count < Self.maxWaiting else { return exchange.failed(.overloaded) }
    waiting.append((exchange, MonotonicClock.now()))
  }

  /// - Parameter isReusable: Whether it can take another request.
  func putBack(_ connection: UpstreamConnection, isReusable: Bool) {
    guard isReusable, connection.isUsable else { return connection.close() }
    while !waiting.isEmpty {
      let next = waiting.removeFirst().exchange
      if !next.isOver { return next.begin(on: connection, hostLine: hostLine) }
    }
    connection.idleSince = MonotonicClock.now()
    idle.append(connection)
  }

  func closed(_ connection: UpstreamConnection) {
    open -= 1
    idle.removeAll { $0 === connection }
    connectForWaiting()
  }

  /// Closes what has been idle for long, and turns away what has waited for long.
  ///
  /// - Returns: Whether nothing is left.
  func isForgotten(at now: Double) -> Bool {
    for connection in idle where now - connection.idleSince > Self.idleSeconds { connection.close() }
    while let first = waiting.first, now - first.since > Self.waitSeconds {
      waiting.removeFirst().exchange.failed(.overloaded)
    }
    return open == 0 && waiting.isEmpty
  }

  private func connectForWaiting() {
    while open < Self.limit, !waiting.isEmpty {
      let next = waiting.removeFirst().exchange
      if !next.isOver { return connect(for: next) }
    }
  }

  private func connect(for exchange: Exchange) {
    open += 1
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(Self.connectTimeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(UpstreamConnection(bound.value))
        }
      }
    let (host, port) = target
    bootstrap.connect(host: host, port: port).hop(to: eventLoop).assumeIsolated().whenComplete { result in
      guard let channel = try? result.get(),
        let connection = try? channel.pipeline.syncOperations.handler(type: UpstreamConnection.self)
      else {
        self.open -= 1
        exchange.failed(.notConnected)
        return self.connectForWaiting()
      }
      if exchange.isOver { return self.putBack(connection, isReusable: true) }
      exchange.begin(on: connection, hostLine: self.hostLine)
    }
  }

  /// The target of connections: a resolved address, or the host of the origin.
  private var target: (host: String, port: Int) {
    let text = instance.address ?? String(instance.origin.dropFirst("http://".count))
    guard let colon = text.lastIndex(of: ":"), text[colon...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = Int(text[colon...].dropFirst())
    else { return (text.filter { $0 != "[" && $0 != "]" }, 80) }
    return (text[..<colon].filter { $0 != "[" && $0 != "]" }, port)
  }
}

/// A connection to an instance of a service: passes what arrives on to the exchange that uses it.
final class UpstreamConnection: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let pool: UpstreamPool
  private var context: ChannelHandlerContext?
  private var exchange: Exchange?
  /// Whether requests have been sent on it before.
  private(set) var isUsed = false
  fileprivate(set) var idleSince = 0.0
  private var isPaused = false
  private var wantsRead = false

  init(_ pool: UpstreamPool) { self.pool = pool }

  var isUsable: Bool { context?.channel.isActive ?? false }

  // MARK: for exchanges

  func begin(_ exchange: Exchange, _ request: ByteBuffer) {
    self.exchange = exchange
    guard let context else { return }
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  /// Ends the use of the connection by its exchange.
  ///
  /// - Parameter isReusable: Whether it can take another request.
  func end(isReusable: Bool) {
    exchange = nil
    isUsed = true
    resume()
    pool.putBack(self, isReusable: isReusable)
  }

  /// Stops reading until ``resume()``: the caller does not read as fast.
  func pause() { isPaused = true }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    guard wantsRead, let context else { return }
    wantsRead = false
    context.read()
  }

  func close() { context?.close(promise: nil) }

  // MARK: events

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func read(context: ChannelHandlerContext) {
    if isPaused { wantsRead = true } else { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let exchange else {
      // Bytes without a request.
      return context.close(promise: nil)
    }
    exchange.received(unwrapInboundIn(data))
  }

  func channelReadComplete(context: ChannelHandlerContext) { exchange?.flush() }

  func channelInactive(context: ChannelHandlerContext) {
    let exchange = exchange
    self.exchange = nil
    pool.closed(self)
    exchange?.upstreamClosed()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
