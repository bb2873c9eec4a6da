import NIOCore
import NIOHTTP2
import Timing

/// The last handler of an HTTP/2 connection: closes it when it is idle, broken, or stalled, shuts it down gracefully,
/// and checks the deadlines of its streams.
final class HTTP2Connection: ChannelInboundHandler, NIOHTTP2FrameDelegate {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private enum Phase {
    case open
    /// The first GOAWAY has been sent: the peer opens no more streams; those in transit are still served.
    case announced(since: Double)
    /// The final GOAWAY with the last stream's ID has been sent.
    case final(since: Double)
  }

  private let limits: ConnectionLimits
  private var streams: [ObjectIdentifier: StrictHTTP2Handler] = [:]
  private var lastStream = HTTP2StreamID.rootStream
  private var hasServed = false
  private var idleSince = MonotonicClock.now()
  private var blockedSince: Double?
  private var phase = Phase.open
  private var isBroken = false
  /// Whether the server is shutting down.
  private(set) var isQuiescing = false
  private var check: Scheduled<Void>?
  private var context: ChannelHandlerContext?
  private let ping = HTTP2PingData(withInteger: .random(in: .min ... .max))

  private static let checkInterval = TimeAmount.seconds(1)
  /// How long a peer may take to acknowledge the first GOAWAY, in seconds.
  private static let announceSeconds = 2.0
  /// How long the last streams may take, in seconds.
  private static let drainSeconds = 30.0

  init(limits: ConnectionLimits) { self.limits = limits }

  // MARK: lifecycle

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    scheduleCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }

  private func scheduleCheck(_ context: ChannelHandlerContext) {
    check = context.eventLoop.assumeIsolated().scheduleTask(in: Self.checkInterval) {
      self.look(context)
      self.scheduleCheck(context)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    let now = MonotonicClock.now()
    for stream in Array(streams.values) { stream.check(at: now) }
    if let blockedSince, now - blockedSince > limits.writeSeconds { return context.close(promise: nil) }
    switch phase {
    case .open:
      let seconds = hasServed ? limits.idleSeconds : limits.headSeconds
      if streams.isEmpty, now - idleSince > seconds { announceEnd(context) }
    case .announced(let since): if now - since > Self.announceSeconds { finish(context) }
    case .final(let since): if now - since > Self.drainSeconds { context.close(promise: nil) }
    }
  }

  // MARK: streams

  func opened(_ stream: StrictHTTP2Handler, id: HTTP2StreamID) {
    streams[ObjectIdentifier(stream)] = stream
    lastStream = max(lastStream, id)
    hasServed = true
  }

  func closed(_ stream: StrictHTTP2Handler) {
    guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil, streams.isEmpty else { return }
    idleSince = MonotonicClock.now()
    if case .final = phase, let context { closeSoon(context) }
  }

  // MARK: events

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .ping(let data, ack: true) = unwrapInboundIn(data).payload, data == ping, case .announced = phase {
      finish(context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      isQuiescing = true
      for stream in Array(streams.values) { stream.quiesce() }
      announceEnd(context)
    } else if let event = event as? ChannelEvent, event == .inputClosed {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    blockedSince = context.channel.isWritable ? nil : MonotonicClock.now()
    context.fireChannelWritabilityChanged()
  }

  /// NIO sends GOAWAY itself when the peer violates the protocol or floods, but does not close the connection.
  func wroteFrame(_ frame: HTTP2Frame) {
    if case .goAway(_, let code, _) = frame.payload, code != .noError { isBroken = true }
  }

  /// Errors of single streams arrive here too; NIO has already reset those streams.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if isBroken { closeSoon(context) }
  }

  // MARK: shutdown

  /// Lets the peer open no more streams, and closes the connection when the last one is closed.
  func end() { if let context { announceEnd(context) } }

  /// RFC 9113 §6.8: the first GOAWAY is a warning, so that streams in transit are not lost.
  private func announceEnd(_ context: ChannelHandlerContext) {
    guard case .open = phase else { return }
    phase = .announced(since: MonotonicClock.now())
    write(context, .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
    write(context, .ping(ping, ack: false))
    context.flush()
  }

  private func finish(_ context: ChannelHandlerContext) {
    guard case .announced = phase else { return }
    phase = .final(since: MonotonicClock.now())
    write(context, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
    context.flush()
    if streams.isEmpty { closeSoon(context) }
  }

  /// Closes in the next turn of the event loop: the last stream's final frame has been written but not flushed.
  private func closeSoon(_ context: ChannelHandlerContext) {
    context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
  }

  private func write(_ context: ChannelHandlerContext, _ payload: HTTP2Frame.FramePayload) {
    context.write(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
  }
}
