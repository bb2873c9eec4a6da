import Contracts
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Lets the requests of one connection, or HTTP/2 stream, wait in the ``RequestQueue``, and refuses those that would be
/// served too late. It follows the protocol's handler, which passes on one request at a time, and precedes Hummingbird,
/// so that what is refused costs little more than its bytes.
final class RequestQueueHandler: ChannelDuplexHandler, RemovableChannelHandler, QueuedRequest {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum Held {
    case part(HTTPRequestPart)
    case event(Any)
    case error(any Error)
  }

  private enum Phase {
    case passing, waiting
    /// The rest of a refused request is discarded.
    case refusing
  }

  private let queues: RequestQueues
  private var queue: RequestQueue?
  private var context: ChannelHandlerContext?
  private var phase = Phase.passing
  /// The parts that have arrived while the request was waiting.
  private var held: [Held] = []
  private var isReadHeld = false

  init(_ queues: RequestQueues) { self.queues = queues }

  var isWaiting: Bool { phase == .waiting && context != nil }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    queue = queues.queue(of: context.eventLoop)
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelInactive(context: ChannelHandlerContext) {
    (phase, held) = (.passing, [])
    context.fireChannelInactive()
  }

  // MARK: requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (phase, unwrapInboundIn(data)) {
    case (.waiting, let part): held.append(.part(part))
    case (.refusing, .end): phase = .passing
    case (.refusing, _): break
    case (.passing, .head(let head)):
      if Self.isQueued(head), queue?.arrive(self) == false {
        phase = .waiting
        held.append(.part(.head(head)))
      } else {
        context.fireChannelRead(data)
      }
    case (.passing, _): context.fireChannelRead(data)
    }
  }

  /// Whether the process is alive and ready is answered also under overload: it would otherwise be restarted.
  private static func isQueued(_ head: HTTPRequest) -> Bool { head.path != "/livez" && head.path != "/readyz" }

  /// Less than a request's bytes wait with it.
  func read(context: ChannelHandlerContext) {
    if phase == .waiting { isReadHeld = true } else { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if phase == .waiting { held.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if phase == .waiting { held.append(.error(error)) } else { context.fireErrorCaught(error) }
  }

  /// Passes the request on.
  func proceed() {
    guard let context else { return }
    phase = .passing
    let inbound = held
    held = []
    release(inbound, context) { context.fireChannelRead(self.wrapInboundOut($0)) }
    context.fireChannelReadComplete()
  }

  /// Answers the request with 503.
  func refuse() {
    guard let context else { return }
    var (isComplete, hasBody) = (false, true)
    for case .part(let part) in held {
      switch part {
      case .head(let head): hasBody = head.method != .head
      case .body: break
      case .end: isComplete = true
      }
    }
    // Before the answer, after which the next request may already be there.
    phase = isComplete ? .passing : .refusing
    let inbound = held
    held = []
    answer(isComplete: isComplete, hasBody: hasBody, context)
    release(inbound, context) { _ in }
  }

  /// Treats what was held as if it arrived now.
  private func release(_ inbound: [Held], _ context: ChannelHandlerContext, _ take: (HTTPRequestPart) -> Void) {
    for item in inbound {
      switch item {
      case .part(let part): take(part)
      case .event(let event): context.fireUserInboundEventTriggered(event)
      case .error(let error): context.fireErrorCaught(error)
      }
    }
    // The next request may be waiting already.
    guard isReadHeld, phase != .waiting else { return }
    isReadHeld = false
    context.read()
  }

  // MARK: the refusal

  private static let body = ByteBuffer(bytes: (try? WireJSON.encode(Problem(.overloaded))) ?? [])

  private func answer(isComplete: Bool, hasBody: Bool, _ context: ChannelHandlerContext) {
    var head = HTTPResponse(status: .serviceUnavailable)
    head.headerFields = [
      .contentType: "application/problem+json", .contentLength: "\(Self.body.readableBytes)",
      // Those who are refused together do not come back together.
      .retryAfter: "\(Int.random(in: 1...3))",
    ]
    // A body that is still on its way is not awaited.
    if !isComplete { head.headerFields[.connection] = "close" }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if hasBody { context.write(wrapOutboundOut(.body(Self.body)), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
