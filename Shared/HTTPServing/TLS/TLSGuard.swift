import NIOCore
import NIOTLS

/// Follows the TLS handler: enforces a handshake deadline, and closes the connection on a TLS error instead of passing
/// the error on.
final class TLSGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let seconds: Double
  private var deadline: Scheduled<Void>?
  private var isComplete = false

  init(seconds: Double) { self.seconds = seconds }

  func handlerAdded(context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(seconds * 1000))) {
      context.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      isComplete = true
      deadline?.cancel()
    } else if event is ChannelShouldQuiesceEvent, !isComplete {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
