import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Connections that are served by their bytes, until one is handed over to the usual handlers.
struct ByteChannel: ServerChildChannel {
  /// A connection on its way to the task that serves it. When the server stops in between, it is closed.
  final class Value: ServerChildChannelValue {
    let channel: any Channel
    /// `nil` when the connection has been closed without being handed over.
    private let rest: EventLoopFuture<AcceptedConnection?>
    private let isServed = Atomic(false)

    init(_ channel: any Channel, _ rest: EventLoopFuture<AcceptedConnection?>) {
      (self.channel, self.rest) = (channel, rest)
    }

    deinit {
      if !isServed.load(ordering: .relaxed) { channel.close(promise: nil) }
    }

    /// The connection that is handed over, for the task that serves it.
    func take() -> EventLoopFuture<AcceptedConnection?> {
      isServed.store(true, ordering: .relaxed)
      return rest
    }
  }

  let bytes: any ByteConnections
  let records: RequestRecords
  let isDraining: @Sendable () -> Bool
  let http1: StrictHTTP1Channel
  let logger: Logger
  /// Limits the connections; `nil` beneath TLS, whose channel does it.
  var caps: ConnectionCaps?

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      if let caps { try channel.pipeline.syncOperations.addHandler(ConnectionGate(caps)) }
      return try install(on: channel)
    }
  }

  /// Adds the handler of the connection; on its event loop.
  func install(on channel: any Channel) throws -> Value {
    let promise = channel.eventLoop.makePromise(of: AcceptedConnection?.self)
    let start = ByteConnectionStart(
      channel: channel, scheme: http1.scheme, limits: http1.limits, date: http1.date, records: records,
      queue: http1.queues?.queue(of: channel.eventLoop), isDraining: isDraining,
      handover: .init(http1, promise, logger))
    do { try channel.pipeline.syncOperations.addHandler(bytes.handler(for: start)) } catch {
      promise.fail(error)
      throw error
    }
    return Value(channel, promise.futureResult)
  }

  func handle(value: Value, logger: Logger) async {
    let executor = EventLoopTaskExecutor(loop: value.channel.eventLoop)
    await withTaskExecutorPreference(executor) { await serve(value, logger) }
  }

  func serve(_ value: Value, _ logger: Logger) async {
    let (channel, handover) = (value.channel, value.take())
    let rest = await withTaskCancellationHandler {
      try? await handover.get()
    } onCancel: {
      channel.close(promise: nil)
    }
    // `try?` of an optional has one level.
    if let rest { await http1.serve(rest, logger: logger) }
  }
}
