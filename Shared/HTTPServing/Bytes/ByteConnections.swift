import Logging
package import NIOCore

/// Serves connections by their bytes, on their event loops and without tasks, and hands those over to the usual handlers
/// that send something else than it knows.
package protocol ByteConnections: Sendable {
  /// Makes the handler of a new connection, on its event loop. It is the last one in the pipeline.
  func handler(for connection: ByteConnectionStart) -> any ChannelHandler
}

/// The dependencies of the handler of a new connection.
package struct ByteConnectionStart {
  package let channel: any Channel
  /// `http` or `https`.
  package let scheme: String
  package let limits: ConnectionLimits
  package let date: DateHeader
  package let records: RequestRecords
  /// The queue in which requests wait for their turn; `nil` when they do not wait.
  package let queue: RequestQueue?
  /// Whether the process is about to stop, so that each response ends its connection.
  package let isDraining: @Sendable () -> Bool
  package let handover: Handover

  /// Hands a connection over to the usual handlers; on the event loop.
  package final class Handover {
    private let http1: StrictHTTP1Channel
    private let promise: EventLoopPromise<AcceptedConnection?>
    private let logger: Logger
    private var isDone = false

    init(_ http1: StrictHTTP1Channel, _ promise: EventLoopPromise<AcceptedConnection?>, _ logger: Logger) {
      (self.http1, self.promise, self.logger) = (http1, promise, logger)
    }

    /// Adds the usual handlers, which receive what has arrived, and removes the handler that has received it so far.
    ///
    /// - Parameters:
    ///   - bytes: What no request has been made of yet.
    ///   - events: What the handler has not passed on, such as the end of the input.
    package func complete(_ bytes: ByteBuffer, events: [any Sendable], _ context: ChannelHandlerContext) {
      guard !isDone else { return }
      isDone = true
      do {
        let value = try http1.install(on: context.channel, logger)
        promise.succeed(value)
      } catch {
        promise.fail(error)
        return context.close(promise: nil)
      }
      if bytes.readableBytes > 0 {
        context.fireChannelRead(NIOAny(bytes))
        context.fireChannelReadComplete()
      }
      for event in events { context.fireUserInboundEventTriggered(event) }
      let pipeline = context.pipeline.syncOperations
      let channel = context.channel
      pipeline.removeHandler(context: context, promise: nil)
      // A read that was held back.
      channel.read()
    }

    /// The connection has been closed before.
    package func abandon() {
      guard !isDone else { return }
      isDone = true
      promise.succeed(nil)
    }
  }
}
