public import HTTPTypes
public import HummingbirdCore
public import NIOCore
import Synchronization

/// A response whose body is written whenever there is something to write, on the event loop of its connection, without a
/// task: for streams that are idle most of the time.
///
/// Several threads may write; the bytes of one call stay together. What is written after the end is discarded.
public final class OpenResponse: Sendable {
  /// How many bytes may wait for a reader; one that leaves more unread is disconnected. Each write counts 32 bytes in
  /// addition to its own. A single write may be larger while nothing waits.
  public static let unsentLimit = 256 * 1024

  /// Bytes that are passed to the connection at once, unless a single write is larger: the size of a TLS record.
  private static let batchBytes = 16 * 1024
  private static let bytesPerWrite = 32

  private enum Phase {
    case open
    /// ``end()`` was called; what waits is still sent.
    case ending
    /// To be disconnected without sending what waits.
    case broken
    case closed
  }

  private struct State {
    var phase = Phase.open
    /// Whether the event loop will look at what waits without being notified.
    var isAwake = false
    var waiting: [ByteBuffer] = []
    var unsent = 0
    var whenDrained: [@Sendable () -> Void] = []
    var whenClosed: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  /// Makes the writer call ``step(isWritable:)``, in a later turn: callers of this class may hold locks.
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  // MARK: for users

  /// Whether what is written can still reach the reader.
  public var isOpen: Bool { state.withLock { $0.phase == .open } }

  /// The bytes that wait until the connection can take them, with 32 more for each write.
  public var unsentBytes: Int { state.withLock { $0.unsent } }

  /// Sends bytes after those of earlier calls; from any thread, without waiting.
  public func write(_ bytes: ByteBuffer) {
    guard bytes.readableBytes > 0 else { return }
    let wakes = state.withLock { state in
      guard state.phase == .open else { return false }
      let size = bytes.readableBytes + Self.bytesPerWrite
      if state.unsent > 0, state.unsent + size > Self.unsentLimit { return Self.discard(&state) }
      state.waiting.append(bytes)
      state.unsent += size
      return Self.notify(&state)
    }
    if wakes { wake() }
  }

  /// Ends the response after everything that was written. An HTTP/1 connection closes with it.
  public func end() {
    let wakes = state.withLock { state in
      guard state.phase == .open else { return false }
      state.phase = .ending
      return Self.notify(&state)
    }
    if wakes { wake() }
  }

  /// Calls an action once the connection has taken everything written so far, or is closed: for sending a long log page
  /// by page. It runs on the connection's event loop and must not block; at once if the response is already closed.
  public func whenDrained(_ action: @escaping @Sendable () -> Void) {
    let (isClosed, wakes) = state.withLock { state in
      if state.phase == .closed { return (true, false) }
      state.whenDrained.append(action)
      return (false, Self.notify(&state))
    }
    if wakes { wake() }
    if isClosed { action() }
  }

  /// Calls an action once the connection is closed, whichever side ended it. It runs on the connection's event loop and
  /// must not block; at once if the response is already closed.
  public func whenClosed(_ action: @escaping @Sendable () -> Void) {
    let isClosed = state.withLock { state in
      if state.phase == .closed { return true }
      state.whenClosed.append(action)
      return false
    }
    if isClosed { action() }
  }

  // MARK: for writers

  enum Step {
    case write([ByteBuffer])
    case notify([@Sendable () -> Void])
    /// Nothing can be done until the next wake, or until the connection is writable again.
    case wait
    case end
    case disconnect
  }

  /// The next step of the writer.
  func step(isWritable: Bool) -> Step {
    state.withLock { state in
      switch state.phase {
      case .broken: return .disconnect
      case .closed: return .wait
      case .open, .ending:
        guard isWritable else { return .wait }
        if !state.waiting.isEmpty { return .write(Self.take(&state)) }
        if !state.whenDrained.isEmpty {
          defer { state.whenDrained = [] }
          return .notify(state.whenDrained)
        }
        if state.phase == .ending { return .end }
        state.isAwake = false
        return .wait
      }
    }
  }

  /// Closes the connection without sending what waits.
  func disconnect() {
    let wakes = state.withLock { state in
      guard state.phase == .open || state.phase == .ending else { return false }
      return Self.discard(&state)
    }
    if wakes { wake() }
  }

  /// Called by the writer when the connection is closed.
  func closed() {
    let actions = state.withLock { state in
      let actions = state.whenDrained + state.whenClosed
      state = State()
      state.phase = .closed
      return actions
    }
    for action in actions { action() }
  }

  private static func notify(_ state: inout State) -> Bool {
    defer { state.isAwake = true }
    return !state.isAwake
  }

  /// The writer is always woken, because it may be waiting for the reader.
  private static func discard(_ state: inout State) -> Bool {
    (state.phase, state.waiting, state.unsent) = (.broken, [], 0)
    return true
  }

  private static func take(_ state: inout State) -> [ByteBuffer] {
    var (count, bytes) = (0, 0)
    while count < state.waiting.count, bytes < batchBytes {
      bytes += state.waiting[count].readableBytes
      count += 1
    }
    state.unsent -= bytes + count * bytesPerWrite
    if count == state.waiting.count {
      defer { state.waiting = [] }
      return state.waiting
    }
    defer { state.waiting.removeFirst(count) }
    return Array(state.waiting[..<count])
  }
}

extension Response {
  /// A response that stays open. Middleware may change its headers, but must not wrap its body: the connection is taken
  /// over from the body's writer.
  ///
  /// - Parameters:
  ///   - headers: Without a length.
  ///   - context: The context of the request.
  ///   - begin: Called once the head is on its way, at most once: not for a HEAD request, and not when the client has
  ///     already left. It runs on the connection's event loop and must not block.
  public static func open(
    headers: HTTPFields,
    context: RequestContext,
    _ begin: @escaping @Sendable (OpenResponse) -> Void
  ) -> Response {
    guard let connection = context.connection else {
      return Response(
        status: .ok, headers: headers, body: ResponseBody { try await OpenResponse.write(to: &$0, begin) })
    }
    var headers = headers
    headers[.connection] = "close"  // HTTP/2 connections have no such header
    return Response(status: .ok, headers: headers, body: ResponseBody { _ in try await connection.takeOver(begin) })
  }
}

extension OpenResponse {
  /// Writes a response from the task that reads it, for requests that did not arrive on a connection. The reader has no
  /// deadline here; it has one on the connection that it writes to.
  fileprivate static func write(
    to writer: inout any ResponseBodyWriter,
    _ begin: (OpenResponse) -> Void
  ) async throws {
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let response = OpenResponse { continuation.yield() }
    defer { response.closed() }
    begin(response)
    for await _ in wakes {
      var isWaiting = false
      while !isWaiting {
        switch response.step(isWritable: true) {
        case .write(let parts): try await writer.write(contentsOf: parts)
        case .notify(let actions): for action in actions { action() }
        case .wait: isWaiting = true
        case .end: return try await writer.finish(nil)
        case .disconnect: throw ChannelError.ioOnClosedChannel
        }
      }
    }
    throw CancellationError()
  }
}
