import NIOCore
import NIOHTTPTypes

/// How an open response is written on a kind of connection.
protocol OpenResponseFraming: SendableMetatype {
  associatedtype Inbound
  associatedtype Outbound

  /// Whether the connection serves only this response: the end of what the client sends is then the end of the response,
  /// and the other way round.
  static var ownsConnection: Bool { get }
  var end: Outbound { get }
  func body(_ parts: [ByteBuffer]) -> Outbound
  static func size(of received: Inbound) -> Int
}

/// Chunks of RFC 9112 §7.1; for HTTP/1.0, a body that ends with the connection.
struct HTTP1Framing: OpenResponseFraming {
  let isChunked: Bool

  static let ownsConnection = true
  var end: ByteBuffer { isChunked ? ByteBuffer(staticString: "0\r\n\r\n") : ByteBuffer() }

  func body(_ parts: [ByteBuffer]) -> ByteBuffer {
    if !isChunked { return parts.joined(extra: 0) { _ in } }
    let size = String(parts.reduce(0) { $0 + $1.readableBytes }, radix: 16)
    var buffer = parts.joined(extra: size.utf8.count + 4) { $0.writeString("\(size)\r\n") }
    buffer.writeStaticString("\r\n")
    return buffer
  }

  static func size(of received: ByteBuffer) -> Int { received.readableBytes }
}

/// Parts for ``StrictHTTP2Handler``.
struct HTTP2Framing: OpenResponseFraming {
  static let ownsConnection = false
  var end: HTTPResponsePart { .end(nil) }

  func body(_ parts: [ByteBuffer]) -> HTTPResponsePart { .body(parts.joined(extra: 0) { _ in }) }

  static func size(of received: HTTPRequestPart) -> Int {
    if case .body(let bytes) = received { bytes.readableBytes } else { 0 }
  }
}

extension [ByteBuffer] {
  /// One buffer with all bytes after a prefix.
  fileprivate func joined(extra: Int, _ prefix: (inout ByteBuffer) -> Void) -> ByteBuffer {
    if count == 1, extra == 0 { return self[0] }
    var buffer = ByteBuffer()
    buffer.reserveCapacity(reduce(extra) { $0 + $1.readableBytes })
    prefix(&buffer)
    for part in self { buffer.writeImmutableBuffer(part) }
    return buffer
  }
}

/// Writes an ``OpenResponse`` to its connection, and discards what its client still sends.
///
/// The handlers behind it belong to Hummingbird, whose task ends while the response is open: nothing that they do, such
/// as closing the connection, has an effect.
final class OpenResponseHandler<Framing: OpenResponseFraming>: ChannelDuplexHandler {
  typealias InboundIn = Framing.Inbound
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = Framing.Outbound

  private enum Phase {
    case open
    /// The end of the response has been written.
    case ending
    /// It has been sent: the connection waits until the client closes its side.
    case lingering
  }

  private let framing: Framing
  private let registry: OpenResponses
  private var response: OpenResponse?
  private var context: ChannelHandlerContext?
  private var phase = Phase.open
  private var isPumping = false
  private var discarded = 0
  /// Scheduled only while the client has something to read or to close.
  private var deadline: Scheduled<Void>?

  /// How many bytes of a client are discarded, such as the rest of its request.
  private static var discardedBytes: Int { 64 << 10 }

  init(_ framing: Framing, _ registry: OpenResponses) {
    self.framing = framing
    self.registry = registry
  }

  // MARK: lifecycle

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  /// Begins to write a response; the handler is in the pipeline.
  func start(_ begin: (OpenResponse) -> Void) {
    guard let context else { return }
    let (loop, handler) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
    let response = OpenResponse { loop.execute { handler.value.pump() } }
    self.response = response
    registry.insert(response)
    if !context.channel.isWritable { close(in: registry.limits.writeSeconds, context) }
    context.read()
    begin(response)
  }

  /// Ends what Hummingbird reads from. NIOAsyncChannel's handler cannot be removed from the pipeline; once it has
  /// finished its sequence, a further part makes it release the space of earlier ones.
  func finishInbound() {
    guard let context else { return }
    context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    context.fireChannelRead(wrapInboundOut(.end(nil)))
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) { closed() }

  func handlerRemoved(context: ChannelHandlerContext) { closed() }

  private func closed() {
    deadline?.cancel()
    (deadline, context) = (nil, nil)
    guard let response else { return }
    self.response = nil  // it holds this handler
    response.closed()
    registry.remove(response)
  }

  private func close(in seconds: Double, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(seconds * 1000))) {
      context.close(promise: nil)
    }
  }

  // MARK: writing

  /// Writes what waits, as far as the connection can take it.
  private func pump() {
    guard let response, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while let context {
      switch response.step(isWritable: phase == .open && context.channel.isWritable) {
      case .write(let parts): context.writeAndFlush(wrapOutboundOut(framing.body(parts)), promise: nil)
      case .notify(let actions): for action in actions { action() }
      case .wait: return
      case .end: end(context)
      case .disconnect: return context.close(promise: nil)
      }
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    phase = .ending
    close(in: registry.limits.writeSeconds, context)
    guard Framing.ownsConnection else { return context.writeAndFlush(wrapOutboundOut(framing.end), promise: nil) }
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenSuccess { self.linger() }
    context.writeAndFlush(wrapOutboundOut(framing.end), promise: sent)
  }

  /// Lingers as ``StrictHTTP1Handler`` does: a socket that is closed while data arrives is reset, and its client may
  /// lose the end.
  private func linger() {
    guard let context else { return }
    phase = .lingering
    close(in: registry.limits.lingerSeconds, context)
    context.close(mode: .output, promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    guard phase == .open else { return }
    guard context.channel.isWritable else {
      if deadline == nil { close(in: registry.limits.writeSeconds, context) }
      return
    }
    deadline?.cancel()
    deadline = nil
    pump()
  }

  // MARK: the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    discarded += Framing.size(of: unwrapInboundIn(data))
    let limit = phase == .open ? Self.discardedBytes : StrictHTTP1Handler.lingerBytes
    if discarded > limit { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) { context.read() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed: if Framing.ownsConnection { context.close(promise: nil) }
    case is ChannelShouldQuiesceEvent: response?.end()
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: Hummingbird

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promise?.fail(ChannelError.ioOnClosedChannel)
  }

  func flush(context: ChannelHandlerContext) {}
  func read(context: ChannelHandlerContext) {}

  /// Hummingbird closes the connection when its task ends, and waits until it is closed.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { promise?.succeed() }
}
