import Contracts
import ServiceKit
import Synchronization

/// Tracks the open streams of this process and wakes them: for events of their users, for keep-alives, and to end.
final class StreamHub: Sendable {
  private struct State {
    var streams: [UserID: [StreamSignal]] = [:]
    /// Streams by the second of the period in which they send keep-alives, so that not all write at the same time.
    var turns: [[ObjectIdentifier: StreamSignal]] = Array(repeating: [:], count: StreamHub.keepAliveSeconds)
    /// The second whose streams send keep-alives next.
    var turn = 0
    var count = 0
    /// Streams opened since the process started; spreads the turns.
    var opened = 0
    var isDraining = false
  }

  /// The keep-alive interval of idle streams in seconds; proxies close idle connections after 30 to 60.
  static let keepAliveSeconds = 20
  private static let mostPerUser = 20

  private let maxCount: Int
  private let state = Mutex(State())

  init(maxCount: Int, metrics: Metrics) {
    self.maxCount = maxCount
    metrics.gauge("realtime_streams", help: "Open streams of GET /v1/events.") { [weak self] in
      Double(self?.state.withLock { $0.count } ?? 0)
    }
  }

  /// - Throws: ``Problem`` 503 when the process has reached its stream limit or is shutting down.
  func checkRoom() throws(Problem) {
    let hasRoom = state.withLock { !$0.isDraining && $0.count < maxCount }
    guard hasRoom else { throw Problem(.overloaded, retryAfter: 5) }
  }

  /// Adds a stream. When the user exceeds the limit, the oldest one ends, as its client may have silently disconnected.
  func open(_ user: UserID) -> StreamSignal {
    let signal = StreamSignal()
    let displaced = state.withLock { state -> StreamSignal? in
      let own = state.streams[user] ?? []
      state.streams[user] = own + [signal]
      state.turns[state.opened % Self.keepAliveSeconds][ObjectIdentifier(signal)] = signal
      state.opened += 1
      state.count += 1
      if state.isDraining { return signal }
      return own.count >= Self.mostPerUser ? own.first : nil
    }
    displaced?.raise(.end)
    return signal
  }

  func close(_ signal: StreamSignal, of user: UserID) {
    state.withLock { state in
      let before = state.streams[user]?.count ?? 0
      state.streams[user]?.removeAll { $0 === signal }
      if state.streams[user]?.isEmpty == true { state.streams[user] = nil }
      state.count -= before - (state.streams[user]?.count ?? 0)
      for turn in state.turns.indices { state.turns[turn][ObjectIdentifier(signal)] = nil }
    }
  }

  /// Wakes the streams of a user for new events.
  func wake(_ user: UserID) {
    let signals = state.withLock { $0.streams[user] ?? [] }
    for signal in signals { signal.raise(.event) }
  }

  /// Wakes all streams, because notifications may have been lost.
  func wakeAll() {
    let signals = state.withLock { $0.streams.values.flatMap { $0 } }
    for signal in signals { signal.raise(.event) }
  }

  /// Makes the next streams send keep-alives; called every second.
  func keepAlive() {
    let signals = state.withLock { state in
      defer { state.turn = (state.turn + 1) % Self.keepAliveSeconds }
      return Array(state.turns[state.turn].values)
    }
    for signal in signals { signal.raise(.keepAlive) }
  }

  /// Ends every stream; apps reconnect to another instance, or to this one after its restart.
  func drain() {
    let signals = state.withLock { state in
      state.isDraining = true
      return state.streams.values.flatMap { $0 }
    }
    for signal in signals { signal.raise(.end) }
  }
}
