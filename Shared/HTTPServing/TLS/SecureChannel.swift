import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOSSL
import NIOTLS
import Synchronization

/// A TLS connection: HTTP/2 or HTTP/1.1, as negotiated by ALPN.
struct SecureChannel: ServerChildChannel {
  typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<AcceptedConnection>

  enum Connection: Sendable {
    case http1(AcceptedConnection)
    case bytes(ByteChannel.Value)
    case http2(Streams)
  }

  /// A connection on its way from its event loop to the task that serves it. When the server stops in between, it is
  /// closed: a server that stops waits for all connections.
  final class Value: ServerChildChannelValue {
    let channel: any Channel
    private let unserved: Mutex<EventLoopFuture<Connection>?>

    init(channel: any Channel, connection: EventLoopFuture<Connection>) {
      self.channel = channel
      unserved = Mutex(connection)
    }

    deinit {
      guard take() != nil else { return }
      channel.close(promise: nil)
    }

    /// Fails when the handshake does; `nil` from the second call on.
    func take() -> EventLoopFuture<Connection>? {
      unserved.withLock { connection in
        defer { connection = nil }
        return connection
      }
    }
  }

  let identity: TLSIdentity
  /// Serves HTTP/1.1 connections and each HTTP/2 stream.
  let http1: StrictHTTP1Channel
  /// Serves HTTP/1.1 connections first, if there is one.
  var bytes: ByteChannel?
  var caps: ConnectionCaps?

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      if let caps { try pipeline.addHandler(ConnectionGate(caps)) }
      try pipeline.addHandler(NIOSSLServerHandler(context: identity.context))
      try pipeline.addHandler(TLSGuard(seconds: http1.limits.headSeconds))
      let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Connection> { result, channel in
        switch result {
        case .negotiated("h2"):
          channel.eventLoop.makeCompletedFuture { .http2(try configureHTTP2(channel)) }
        default:  // the TLS handler negotiates only the two offered protocols
          channel.eventLoop.makeCompletedFuture {
            if let bytes { return .bytes(try bytes.install(on: channel)) }
            return .http1(try http1.install(on: channel, logger))
          }
        }
      }
      try pipeline.addHandler(negotiation)
      return Value(channel: channel, connection: negotiation.protocolNegotiationResult)
    }
  }

  private func configureHTTP2(_ channel: any Channel) throws -> Streams {
    let connection = HTTP2Connection(limits: http1.limits)
    let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
    let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
      mode: .server,
      streamDelegate: nil,
      frameDelegate: connection,
      configuration: Self.configuration
    ) { [limits = http1.limits, date = http1.date, queues = http1.queues] stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(
          StrictHTTP2Handler(connection: bound.value, limits: limits, date: date)
        )
        if let queues { try stream.pipeline.syncOperations.addHandler(RequestQueueHandler(queues)) }
        return AcceptedConnection(try NIOAsyncChannel(wrappingChannelSynchronously: stream))
      }
    }
    try channel.pipeline.syncOperations.addHandler(connection)
    return streams
  }

  private static let configuration: NIOHTTP2Handler.Configuration = {
    var configuration = NIOHTTP2Handler.Configuration()
    configuration.connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
      HTTP2Setting(parameter: .maxHeaderListSize, value: 16 * 1024),
    ]
    // The connection's window is replenished as bytes arrive, a stream's as they are read: 100 streams buffer 6.4 MB.
    configuration.connection.targetWindowSize = 1 << 20
    configuration.connection.maximumSequentialContinuationFrames = 5
    configuration.connection.maximumSequentialEmptyDataFrames = 1
    configuration.connection.maximumBufferedControlFrames = 1000
    configuration.connection.maximumConnectionGlitches = 100
    configuration.connection.controlFrameRateLimit.maximumCount = 200
    configuration.connection.controlFrameRateLimit.windowLength = .seconds(30)
    configuration.stream.streamResetFrameRateLimit.maximumCount = 200
    configuration.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
    configuration.stream.streamErrorRateLimit.maximumCount = 100
    configuration.stream.streamErrorRateLimit.windowLength = .seconds(30)
    configuration.stream.targetWindowSize = 65_535
    configuration.stream.outboundBufferSizeHighWatermark = 64 * 1024
    configuration.stream.outboundBufferSizeLowWatermark = 32 * 1024
    return configuration
  }()

  func handle(value: Value, logger: Logger) async {
    guard let connection = value.take() else { return }
    let executor = EventLoopTaskExecutor(loop: value.channel.eventLoop)
    await withTaskCancellationHandler {
      await withTaskExecutorPreference(executor) {
        switch try? await connection.get() {
        case .bytes(let connection): await bytes?.serve(connection, logger)
        case .http1(let connection): await http1.serve(connection, logger: logger)
        case .http2(let streams): await serve(streams, logger)
        case nil: value.channel.close(promise: nil)
        }
      }
    } onCancel: {
      value.channel.close(promise: nil)  // TLS cannot close the input alone, as Hummingbird attempts
    }
  }

  private func serve(_ streams: Streams, _ logger: Logger) async {
    await withDiscardingTaskGroup { group in
      do {
        for try await stream in streams.inbound {
          group.addTask { await http1.serve(stream, logger: logger) }
        }
      } catch {
        logger.trace("HTTP/2 connection ended", metadata: ["error": "\(error)"])
      }
    }
  }
}
