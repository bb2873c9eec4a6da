import CHiredis
import NIOCore

/// The last handler of a connection to Redis: parses the replies with hiredis.
final class RedisReplies: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let reader: UnsafeMutablePointer<redisReader>
  private let onReply: (RedisReply) -> Void
  private let onEnd: (RedisFailure) -> Void
  private var failure = RedisFailure(reason: "the connection was closed")

  /// - Parameters:
  ///   - onReply: Called for each reply, or message of a subscription, in their order.
  ///   - onEnd: Called once, when the connection is closed.
  init(onReply: @escaping (RedisReply) -> Void, onEnd: @escaping (RedisFailure) -> Void) throws {
    guard let reader = redisReaderCreate() else { throw RedisFailure(reason: "out of memory") }
    (self.reader, self.onReply, self.onEnd) = (reader, onReply, onEnd)
  }

  deinit { redisReaderFree(reader) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isFed = unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
      bytes.baseAddress.map { redisReaderFeed(reader, $0.assumingMemoryBound(to: CChar.self), bytes.count) == REDIS_OK }
    }
    var isRead = isFed ?? true
    while isRead {
      var reply: UnsafeMutableRawPointer?
      isRead = redisReaderGetReply(reader, &reply) == REDIS_OK
      guard isRead, let reply else { break }
      defer { freeReplyObject(reply) }
      onReply(RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee))
    }
    guard !isRead else { return }
    failure = RedisFailure(reason: "the reply is not valid")
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    onEnd(failure)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failure = RedisFailure(reason: "\(error)")
    context.close(promise: nil)
  }
}
