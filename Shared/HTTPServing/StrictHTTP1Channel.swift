import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Hummingbird's HTTP/1 connection with strict request validation and deadlines.
struct StrictHTTP1Channel: HTTPChannelHandler {
  let responder: HTTPChannelHandler.Responder
  let limits: ConnectionLimits
  let date: DateHeader
  var scheme = "http"
  /// Limits the connections; `nil` beneath TLS, whose channel does it.
  var caps: ConnectionCaps?
  /// The queues in which requests wait for their turn; `nil` when they do not wait.
  var queues: RequestQueues?

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
    channel.eventLoop.makeCompletedFuture {
      if let caps { try channel.pipeline.syncOperations.addHandler(ConnectionGate(caps)) }
      return try install(on: channel, logger)
    }
  }

  /// Adds the handlers of a connection; on its event loop.
  func install(on channel: any Channel, _ logger: Logger) throws -> AcceptedConnection {
    let strict = StrictHTTP1Handler(limits: limits, date: date, scheme: scheme)
    let pipeline = channel.pipeline.syncOperations
    try Self.addParser(strict, to: pipeline)
    if let queues { try pipeline.addHandler(RequestQueueHandler(queues)) }
    try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
    return AcceptedConnection(
      try NIOAsyncChannel(
        wrappingChannelSynchronously: channel,
        configuration: .init(isOutboundHalfClosureEnabled: true)
      )
    )
  }

  /// Adds what makes requests of bytes.
  static func addParser(_ strict: StrictHTTP1Handler, to pipeline: ChannelPipeline.SynchronousOperations) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 16 * 1024
    limits.maxHeaderListSize = 32 * 1024
    limits.maxHeaderFieldCount = 100
    try pipeline.addHandler(ByteCounter(strict))
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,  // NIOAsyncChannel handles one request at a time
      withErrorHandling: false,
      withOutboundHeaderValidation: false,  // HTTPField values are valid by construction
      withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits
    )
    try pipeline.addHandler(strict)
  }

  /// Runs the connection's task on its event loop, which saves two thread switches per request.
  func handle(value: AcceptedConnection, logger: Logger) async {
    let executor = EventLoopTaskExecutor(loop: value.channel.eventLoop)
    await withTaskExecutorPreference(executor) { await serve(value, logger: logger) }
  }

  /// Serves a connection on the current executor.
  func serve(_ connection: AcceptedConnection, logger: Logger) async {
    guard let parts = connection.take() else { return }
    await handleHTTP(asyncChannel: parts, logger: logger)
  }
}

/// Runs Swift tasks on a NIO event loop. The tasks must not block; databases and hashing use separate threads.
final class EventLoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
