import Foundation
import HummingbirdCore
import NIOCore
import NIOHTTP1
import Synchronization

/// The connection, or HTTP/2 stream, that a request arrived on.
package struct ClientConnection: Sendable {
  let channel: any Channel
  let responses: OpenResponses
  /// Whether callers have shown a certificate of the private authority.
  let isMutualTLS: Bool

  var remoteAddress: String? { channel.remoteAddress?.ipAddress }

  /// Closes the HTTP/2 connection after the responses that are being made; an HTTP/1 connection is closed by the field
  /// `Connection` of its response.
  package func closeAfterResponses() {
    guard let parent = channel.parent else { return }
    parent.eventLoop.execute { try? parent.pipeline.syncOperations.handler(type: HTTP2Connection.self).end() }
  }

  /// The state of a protocol's handler when the head of a response has been sent.
  struct Handover {
    var isChunked = false
    /// Whether the server is shutting down.
    var isQuiescing = false
  }

  /// Thrown instead of ending the response, so that Hummingbird leaves the connection: it would otherwise wait until the
  /// connection is closed. Its attempt to close it has no effect.
  struct TakenOver: Error {}

  /// Takes the connection over from Hummingbird, for a response whose head has been written; always throws.
  func takeOver(_ begin: @escaping @Sendable (OpenResponse) -> Void) async throws {
    // In a turn of its own: no handler is at work.
    try await channel.eventLoop.submit { try install(begin) }.get()
    throw TakenOver()
  }

  private func install(_ begin: (OpenResponse) -> Void) throws {
    let pipeline = channel.pipeline.syncOperations
    if let strict = try? pipeline.handler(type: StrictHTTP1Handler.self) {
      guard let handover = strict.handover, channel.isActive else { throw ChannelError.ioOnClosedChannel }
      let counter = try pipeline.handler(type: ByteCounter.self)
      let parser = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
      let handler = OpenResponseHandler(HTTP1Framing(isChunked: handover.isChunked), responses)
      try pipeline.addHandler(handler, position: .before(counter))
      // The parser leaves in the next turn, and passes on what it holds before it does.
      pipeline.removeHandler(context: parser).assumeIsolated().whenComplete { _ in
        Self.removeHandlers([counter, strict], from: pipeline)
        handler.finishInbound()
      }
      // Releases buffers of earlier requests; NIO keeps one.
      try? channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      limitUnacknowledged(on: channel)
      handler.start(handover.isQuiescing ? { $0.end() } : begin)
    } else {
      let strict = try pipeline.handler(type: StrictHTTP2Handler.self)
      guard let handover = strict.handover, channel.isActive else { throw ChannelError.ioOnClosedChannel }
      let handler = OpenResponseHandler(HTTP2Framing(), responses)
      try pipeline.addHandler(handler, position: .after(strict))
      handler.finishInbound()
      if let parent = channel.parent { limitUnacknowledged(on: parent) }
      handler.start(handover.isQuiescing ? { $0.end() } : begin)
    }
  }

  /// Removes what an open response does not need; the parser has been removed.
  private static func removeHandlers(
    _ known: [any RemovableChannelHandler],
    from pipeline: ChannelPipeline.SynchronousOperations
  ) {
    for handler in known { pipeline.removeHandler(handler, promise: nil) }
    for context in [
      try? pipeline.context(handlerType: HTTPResponseEncoder.self),
      try? pipeline.context(handlerType: HTTPConnectionStateHandler.self),
      try? pipeline.context(handlerType: RequestQueueHandler.self),
    ] { if let context { pipeline.removeHandler(context: context, promise: nil) } }
  }

  /// A client that has vanished is noticed by what it does not acknowledge, long before the socket's buffer is full.
  private func limitUnacknowledged(on socket: any Channel) {
    #if os(Linux)
      let milliseconds = SocketOptionValue(max(1, responses.limits.writeSeconds * 1000))
      let option = NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)
      // A failure is a connection that is closing, or no TCP connection.
      try? socket.syncOptions?.setOption(.tcpOption(option), value: milliseconds)
    #endif
  }
}

/// The open responses of a server, which have no tasks that the server could wait for.
final class OpenResponses: Sendable {
  private struct State {
    var responses: [ObjectIdentifier: OpenResponse] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let limits: ConnectionLimits
  private let state = Mutex(State())

  init(limits: ConnectionLimits) { self.limits = limits }

  func insert(_ response: OpenResponse) {
    state.withLock { $0.responses[ObjectIdentifier(response)] = response }
  }

  func remove(_ response: OpenResponse) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.responses[ObjectIdentifier(response)] = nil
      guard state.responses.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends all responses and waits until their connections are closed; cancellation disconnects them. The caller makes
  /// sure that no response is added.
  func drain() async {
    let responses = state.withLock { Array($0.responses.values) }
    for response in responses { response.end() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isEmpty = state.withLock { state in
          if !state.responses.isEmpty { state.waiters.append(continuation) }
          return state.responses.isEmpty
        }
        if isEmpty { continuation.resume() }
      }
    } onCancel: {
      for response in responses { response.disconnect() }
    }
  }
}
