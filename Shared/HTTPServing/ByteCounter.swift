import NIOCore

/// Precedes the parser: notifies the handler after it of received bytes.
final class ByteCounter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let handler: StrictHTTP1Handler

  init(_ handler: StrictHTTP1Handler) { self.handler = handler }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    handler.received(bytes: unwrapInboundIn(data).readableBytes, context)
    context.fireChannelRead(data)
  }
}
