public import HTTPTypes
public import HummingbirdCore
public import NIOCore
import Synchronization

/// A response body that is written as things happen, until either side ends it.
public final class OpenResponse: Sendable {
  private struct State {
    var isOpen = true
    /// Bytes that have been written and not sent.
    var pending = 0
    var actions: [@Sendable () -> Void] = []
    var whenDrained: [@Sendable () -> Void] = []
  }

  /// A reader that is this many bytes behind is disconnected.
  private static let mostPending = 1 << 20

  private let state = Mutex(State())
  private let chunks: AsyncStream<ByteBuffer>
  private let continuation: AsyncStream<ByteBuffer>.Continuation

  init() { (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self) }

  /// Whether it has not ended.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Writes bytes without waiting. A reader that is too far behind is disconnected.
  public func write(_ bytes: ByteBuffer) {
    guard bytes.readableBytes > 0 else { return }
    let (isOpen, isSlow) = state.withLock { state in
      state.pending += bytes.readableBytes
      return (state.isOpen, state.pending > Self.mostPending)
    }
    guard isOpen else { return }
    if isSlow { close() } else { continuation.yield(bytes) }
  }

  /// Ends the body after what has been written.
  public func end() { continuation.finish() }

  /// Performs an action once everything written so far has been sent, or the response has ended.
  public func whenDrained(_ action: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      if state.isOpen, state.pending > 0 { state.whenDrained.append(action) }
      return !state.isOpen || state.pending == 0
    }
    if isDue { action() }
  }

  /// Performs an action once the response has ended, or now if it has.
  public func whenClosed(_ action: @escaping @Sendable () -> Void) {
    let isOpen = state.withLock { state in
      if state.isOpen { state.actions.append(action) }
      return state.isOpen
    }
    if !isOpen { action() }
  }

  fileprivate func close() {
    let actions = state.withLock { state in
      state.isOpen = false
      defer { (state.actions, state.whenDrained) = ([], []) }
      return state.actions + state.whenDrained
    }
    continuation.finish()
    for action in actions { action() }
  }

  fileprivate func send(to writer: inout any ResponseBodyWriter) async throws {
    defer { close() }
    for await chunk in chunks {
      guard isOpen else { return }
      try await writer.write(chunk)
      let actions = state.withLock { state in
        state.pending -= chunk.readableBytes
        guard state.pending == 0 else { return [@Sendable () -> Void]() }
        defer { state.whenDrained = [] }
        return state.whenDrained
      }
      for action in actions { action() }
    }
    try await writer.finish(nil)
  }
}

extension Response {
  /// A successful response whose body is written through an ``OpenResponse``.
  ///
  /// - Parameter begin: Called when the head is sent; never for a response without a body.
  public static func open(
    headers: HTTPFields, context: RequestContext, _ begin: @escaping @Sendable (OpenResponse) -> Void
  ) -> Response {
    Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        let response = OpenResponse()
        begin(response)
        try await response.send(to: &writer)
      }
    )
  }
}
