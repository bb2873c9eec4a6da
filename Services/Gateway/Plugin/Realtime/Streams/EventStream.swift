import Contracts
import HTTPServing
import NIOCore
import ServiceKit
import Synchronization

/// The output for the frames of a stream.
protocol StreamOutput: Sendable {
  var isOpen: Bool { get }
  func write(_ bytes: ByteBuffer)
  func end()
  func whenDrained(_ action: @escaping @Sendable () -> Void)
  func whenClosed(_ action: @escaping @Sendable () -> Void)
}

extension OpenResponse: StreamOutput {}

/// One open stream. While it reads what it has missed, new events wait in memory.
final class EventStream: Sendable {
  private struct Waiting {
    var number: Int64
    var topic: Topic?
    var frame: ByteBuffer
    var endsStream: Bool
  }

  private struct State {
    var topics: Set<Topic> = []
    /// The number of the latest event that was written, or waits.
    var position: Int64
    /// `nil` once the stream is up to date.
    var waiting: [Waiting]? = []
    var hasEnded = false
  }

  /// A stream that is further behind ends, and reads the rest when its app has reconnected.
  private static let maxWaiting = 1000
  private static let keepAlive = ByteBuffer(string: ": alive\n\n")

  let id: StreamID
  let viewer: UserCaller
  /// The network of its app; `nil` within the process.
  let network: String?
  private let response: any StreamOutput
  private let state: Mutex<State>

  init(_ id: StreamID, _ viewer: UserCaller, _ response: any StreamOutput, network: String? = nil) {
    (self.id, self.viewer, self.response, self.network) = (id, viewer, response, network)
    state = Mutex(State(position: 0))
  }

  var isOpen: Bool { response.isOpen }

  // MARK: topics

  var topics: Set<Topic> { state.withLock { $0.topics } }

  /// - Returns: What the stream followed before.
  @discardableResult
  func replace(_ topics: Set<Topic>) -> Set<Topic> {
    state.withLock { state in
      defer {
        state.topics = topics
        state.waiting?.removeAll { $0.topic.map { !topics.contains($0) } ?? false }
      }
      return state.topics
    }
  }

  /// Sends the event `topics`.
  func announce(refused: [RefusedTopic]) {
    let followed = FollowedTopics(stream: id, topics: topics.sorted { $0.rawValue < $1.rawValue }, refused: refused)
    write(Self.frame("topics", followed))
  }

  // MARK: the beginning

  /// Sets the number at which the stream starts: later events are new.
  func begin(at number: Int64) { state.withLock { $0.position = number } }

  /// Sends the delay before a reconnection, with jitter: apps of one gateway do not all reconnect at once.
  func introduce(at number: Int64?) {
    // An id alone is no event, but the app resumes from it when it is disconnected before the first event.
    write(ByteBuffer(string: "\(number.map { "id: \($0)\n" } ?? "")\(Self.retry(within: 5))\n"))
  }

  /// Ends the stream, whose app reconnects within so many seconds.
  func end(returningWithin seconds: Int) {
    write(ByteBuffer(string: "\(Self.retry(within: seconds))\n"))
    end()
  }

  private static func retry(within seconds: Int) -> String { "retry: \(Int.random(in: 1000...seconds * 1000))\n" }

  /// Sends the event `resync`.
  ///
  /// - Parameter number: Where the stream continues, when it has missed everything.
  func resync(_ missed: MissedEvents, at number: Int64? = nil) {
    var buffer = number.map { ByteBuffer(string: "id: \($0)\n") } ?? ByteBuffer()
    buffer.writeImmutableBuffer(Self.frame("resync", missed))
    write(buffer)
  }

  /// Writes events that were missed, of what the stream still follows.
  func write(missed events: [LoggedEvent]) {
    var (last, buffer, isOver) = (Int64(0), ByteBuffer(), false)
    for event in events where event.number > last && !isOver {
      if case .topic(let topic) = event.subject, !topics.contains(topic) { continue }
      guard isReadable(event) else { continue }
      last = event.number
      buffer.writeImmutableBuffer(event.frame)
      isOver = event.endedSession == viewer.sessionID
    }
    write(buffer)
    if isOver { end() }
  }

  /// Performs an action when the reader has taken what was written, so that a long absence is caught up page by page.
  func whenDrained(_ action: @escaping @Sendable () -> Void) { response.whenDrained(action) }

  /// Writes what has waited, once; from now on, events are written at once.
  ///
  /// - Parameter number: Everything up to it has been written.
  func goLive(after number: Int64) {
    state.withLock { state in
      state.position = max(state.position, number)
      let events = (state.waiting ?? []).filter { $0.number > number }
      response.write(events.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1.frame) })
      if events.contains(where: \.endsStream) { response.end() }
      state.waiting = nil
    }
  }

  // MARK: events

  /// Whether the app that reads the stream may have an event to its user: a user's other apps have other scopes.
  private func isReadable(_ event: LoggedEvent) -> Bool {
    if case .user = event.subject { viewer.mayRead(Scope.of(event: event.name)) } else { true }
  }

  /// Writes a new event, unless the stream has it already.
  func offer(_ event: LoggedEvent, _ frame: ByteBuffer, endsSession: SessionID?) {
    guard isReadable(event) else { return }
    let topic: Topic? = if case .topic(let topic) = event.subject { topic } else { nil }
    state.withLock { state in
      guard event.number > state.position, !state.hasEnded, topic.map({ state.topics.contains($0) }) ?? true else {
        return
      }
      state.position = event.number
      let endsStream = endsSession == viewer.sessionID
      if let count = state.waiting?.count {
        state.hasEnded = count >= Self.maxWaiting
        if state.hasEnded { return response.end() }
        state.waiting?.append(Waiting(number: event.number, topic: topic, frame: frame, endsStream: endsStream))
      } else {
        response.write(frame)
        if endsStream { response.end() }
      }
    }
  }

  /// Writes what is not in the log and not waited for.
  func signal(_ frame: ByteBuffer) {
    state.withLock { if $0.waiting == nil { response.write(frame) } }
  }

  /// - Parameters:
  ///   - number: All events up to it have been offered. The app resumes from it, so that a stream without events for
  ///     days has missed nothing.
  ///   - frame: The comment with that number.
  func keepAlive(_ number: Int64, _ frame: ByteBuffer) {
    state.withLock { state in
      response.write(state.waiting == nil && state.position <= number ? frame : Self.keepAlive)
    }
  }

  static func keepAliveFrame(_ number: Int64) -> ByteBuffer { ByteBuffer(string: ": alive\nid: \(number)\n\n") }

  static func frame(_ name: String, _ content: some Encodable) -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    // The contents are the gateway's own types, which can always be encoded.
    buffer.writeBytes((try? WireJSON.encode(content)) ?? Array("{}".utf8))
    buffer.writeStaticString("\n\n")
    return buffer
  }

  func whenClosed(_ action: @escaping @Sendable () -> Void) {
    // Later, because the response may close while this stream or the hub is locked.
    response.whenClosed { Task { action() } }
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    response.end()
  }

  /// Within the lock, so that frames do not overtake each other.
  private func write(_ frame: ByteBuffer) { state.withLock { _ in response.write(frame) } }
}
