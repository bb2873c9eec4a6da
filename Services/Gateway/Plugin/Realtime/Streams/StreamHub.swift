import Contracts
import NIOCore
import Observability
import ServiceKit
import Synchronization

/// The open streams of this process, by user, topic and id.
final class StreamHub: Sendable {
  private typealias Streams = [ObjectIdentifier: EventStream]

  private struct State {
    /// The number of the latest event that streams have been found for.
    var number: Int64 = 0
    /// All events up to this number have been offered to their streams.
    var offered: Int64 = 0
    var users: [UserID: [EventStream]] = [:]
    /// How many streams each network has.
    var networks: [String: Int] = [:]
    var topics: [Topic: Streams] = [:]
    var streams: [StreamID: EventStream] = [:]
    /// Streams by the second of a minute in which it is their turn, so that not all write at the same time.
    var turns: [Streams] = Array(repeating: [:], count: StreamHub.turnCount)
    var closed: [StreamID] = []
    /// Streams opened since the process started; spreads the turns.
    var opened = 0
    var isDraining = false

    mutating func unfollow(_ topic: Topic, _ key: ObjectIdentifier) {
      topics[topic]?[key] = nil
      if topics[topic]?.isEmpty == true { topics[topic] = nil }
    }
  }

  /// The keep-alive interval of idle streams in seconds; proxies close idle connections after 30 to 60.
  static let keepAliveSeconds = 20
  static let turnCount = 60
  private static let maxPerUser = 20

  private let maxCount: Int
  /// 0 for no limit.
  private let maxPerNetwork: Int
  private let access: TopicAccess
  private let tokens: TokenVerifier
  private let state = Mutex(State())

  init(maxCount: Int, maxPerNetwork: Int = 0, access: TopicAccess, tokens: TokenVerifier, metrics: Metrics) {
    (self.maxCount, self.maxPerNetwork, self.access, self.tokens) = (maxCount, maxPerNetwork, access, tokens)
    metrics.gauge("realtime_streams", help: "Open streams of GET /v1/events.") { [weak self] in
      Double(self?.count ?? 0)
    }
  }

  var count: Int { state.withLock { $0.streams.count } }

  /// The number of the latest event that streams have been found for.
  var number: Int64 { state.withLock { $0.number } }

  func begin(after number: Int64) {
    access.begin(at: number)
    state.withLock { ($0.number, $0.offered) = (number, number) }
  }

  // MARK: opening and closing

  /// - Throws: ``Problem`` 503 when the process has reached its stream limit or is shutting down; 429 when the network has
  ///   too many streams.
  func checkRoom(for network: String? = nil) throws(Problem) {
    let (hasRoom, networkHasRoom) = state.withLock { state in
      (!state.isDraining && state.streams.count < maxCount, self.hasRoom(for: network, in: state))
    }
    guard hasRoom else { throw Problem(.overloaded, retryAfter: 5) }
    guard networkHasRoom else {
      throw Problem(.tooManyRequests, detail: "Too many streams are open at this address.", retryAfter: 30)
    }
  }

  private func hasRoom(for network: String?, in state: State) -> Bool {
    guard maxPerNetwork > 0, let network else { return true }
    return state.networks[network, default: 0] < maxPerNetwork
  }

  /// Adds a stream, which follows the topics that the user has not lost since access was checked. When the user exceeds
  /// the limit, the oldest one ends, as its client may have vanished.
  ///
  /// - Returns: The number after which events are new to the stream, and the topics that it cannot follow; `nil` while
  ///   the process is shutting down.
  func open(_ stream: EventStream, _ change: TopicsChange) -> (number: Int64, refused: [RefusedTopic])? {
    let user = stream.viewer.id
    let opened = state.withLock { state -> (number: Int64, refused: [RefusedTopic], displaced: EventStream?)? in
      // Others may have opened since the room was checked.
      guard !state.isDraining, state.streams.count < maxCount, hasRoom(for: stream.network, in: state) else {
        return nil
      }
      stream.begin(at: state.number)
      let own = state.users[user] ?? []
      state.users[user] = own + [stream]
      state.streams[stream.id] = stream
      if let network = stream.network { state.networks[network, default: 0] += 1 }
      state.turns[state.opened % Self.turnCount][ObjectIdentifier(stream)] = stream
      state.opened += 1
      let refused = follow(change, stream, in: &state)
      return (state.number, refused, own.count >= Self.maxPerUser ? own.first : nil)
    }
    guard let opened else { return nil }
    if let displaced = opened.displaced {
      displaced.end()
      // At once, although a client that does not read may keep the connection for a while.
      close(displaced)
    }
    stream.whenClosed { [weak self, weak stream] in if let stream { self?.close(stream) } }
    return (opened.number, opened.refused)
  }

  private func close(_ stream: EventStream) {
    let key = ObjectIdentifier(stream)
    state.withLock { state in
      guard state.streams.removeValue(forKey: stream.id) != nil else { return }
      if let network = stream.network {
        let count = state.networks[network, default: 1] - 1
        state.networks[network] = count == 0 ? nil : count
      }
      let user = stream.viewer.id
      state.users[user]?.removeAll { $0 === stream }
      if state.users[user]?.isEmpty == true { state.users[user] = nil }
      for topic in stream.replace([]) { state.unfollow(topic, key) }
      for turn in state.turns.indices { state.turns[turn][key] = nil }
      state.closed.append(stream.id)
    }
  }

  /// The streams that have closed since the last call.
  func takeClosed() -> [StreamID] {
    state.withLock { state in
      defer { state.closed = [] }
      return state.closed
    }
  }

  /// How many streams return per second to other gateways after a shutdown.
  private static let returnsPerSecond = 500

  /// Ends every stream; apps reconnect to another instance, or to this one after its restart.
  func drain() {
    let streams = state.withLock { state in
      state.isDraining = true
      return Array(state.streams.values)
    }
    let seconds = max(5, streams.count / Self.returnsPerSecond)
    for stream in streams { stream.end(returningWithin: seconds) }
  }

  // MARK: events

  /// Passes events to the streams that follow them. Called by one task, in the order of the log.
  ///
  /// - Parameter through: There are no other events up to this number.
  func dispatch(_ events: [LoggedEvent], through: Int64) {
    for event in events {
      switch event.subject {
      case .user(let user): offer(event) { $0.users[user] ?? [] }
      case .topic(let topic): offer(event) { $0.topics[topic].map { Array($0.values) } ?? [] }
      case .stream(let id):
        let change = try? WireJSON.decode(TopicsChange.self, from: event.data.utf8)
        apply(change, to: id, at: event.number)
      case .access:
        let ended = try? WireJSON.decode(TopicAccessEnded.self, from: event.data.utf8)
        if let ended { end(ended, at: event.number) }
      }
    }
    state.withLock { ($0.number, $0.offered) = (through, through) }
  }

  private func offer(_ event: LoggedEvent, to find: (State) -> [EventStream]) {
    let streams = state.withLock { state in
      state.number = event.number
      return find(state)
    }
    guard !streams.isEmpty else { return }
    let (frame, session) = (event.frame, event.endedSession)
    for stream in streams { stream.offer(event, frame, endsSession: session) }
  }

  /// Sends `resync` to the streams that follow the topics.
  func resync(_ topics: Set<Topic>) {
    let streams = state.withLock { state in
      topics.reduce(into: Streams()) { found, topic in
        found.merge(state.topics[topic] ?? [:]) { first, _ in first }
      }
    }
    for stream in streams.values {
      let missed = stream.topics.intersection(topics).sorted { $0.rawValue < $1.rawValue }
      stream.resync(MissedEvents(user: false, topics: missed))
    }
  }

  /// Sends `resync` for everything to all streams.
  func resyncAll() {
    for stream in state.withLock({ Array($0.streams.values) }) {
      stream.resync(MissedEvents(user: true, topics: stream.topics.sorted { $0.rawValue < $1.rawValue }))
    }
  }

  /// Sends what is not stored to the streams that follow a topic, except those of the sender.
  func signal(_ signal: SignalsAPI.Send) {
    let streams = state.withLock { $0.topics[signal.topic].map { Array($0.values) } ?? [] }
    guard !streams.isEmpty else { return }
    let frame = EventStream.frame(signal.name, signal.data)
    for stream in streams where stream.viewer.id != signal.sender { stream.signal(frame) }
  }

  // MARK: topics

  private func apply(_ change: TopicsChange?, to id: StreamID, at number: Int64) {
    let (stream, refused) = state.withLock { state -> (EventStream?, [RefusedTopic]) in
      state.number = number
      guard let change, let stream = state.streams[id] else { return (nil, []) }
      return (stream, follow(change, stream, in: &state))
    }
    stream?.announce(refused: refused)
  }

  /// Replaces what a stream follows. It keeps topics whose service does not respond.
  ///
  /// - Returns: The topics that it does not follow.
  private func follow(_ change: TopicsChange, _ stream: EventStream, in state: inout State) -> [RefusedTopic] {
    let key = ObjectIdentifier(stream)
    let user = stream.viewer.id
    let before = stream.topics
    var followed: Set<Topic> = []
    var refused: [RefusedTopic] = []
    // Within the lock: access that ends later finds the stream.
    for topic in change.topics {
      switch access.state(of: topic, for: user, since: change.checkedAt) {
      case .unchanged: followed.insert(topic)
      case .ended: refused.append(RefusedTopic(topic, .notAllowed))
      case .unknown: refused.append(RefusedTopic(topic, .unavailable))
      }
    }
    for refusal in change.refused {
      if refusal.reason == .unavailable, before.contains(refusal.topic) {
        followed.insert(refusal.topic)
      } else {
        refused.append(refusal)
      }
    }
    stream.replace(followed)
    for topic in before.subtracting(followed) { state.unfollow(topic, key) }
    for topic in followed.subtracting(before) { state.topics[topic, default: [:]][key] = stream }
    return refused
  }

  private func end(_ ended: TopicAccessEnded, at number: Int64) {
    access.end(ended, at: number)
    state.withLock { $0.number = number }
    drop(Set(ended.topics)) { ended.user == nil || $0.viewer.id == ended.user }
  }

  /// Removes topics from streams, and notifies their apps.
  func drop(_ topics: Set<Topic>, from isAffected: (EventStream) -> Bool) {
    let lost = state.withLock { state -> [(stream: EventStream, topics: Set<Topic>)] in
      let affected = topics.reduce(into: Streams()) { found, topic in
        found.merge(state.topics[topic]?.filter { isAffected($0.value) } ?? [:]) { first, _ in first }
      }
      return affected.map { key, stream in
        let lost = stream.topics.intersection(topics)
        stream.replace(stream.topics.subtracting(topics))
        for topic in lost { state.unfollow(topic, key) }
        return (stream, lost)
      }
    }
    for (stream, topics) in lost {
      stream.announce(refused: topics.sorted { $0.rawValue < $1.rawValue }.map { RefusedTopic($0, .notAllowed) })
    }
  }

  /// The streams whose topics are checked again in a second of the minute.
  func followers(inTurn turn: Int) -> [EventStream] {
    state.withLock { Array($0.turns[turn % Self.turnCount].values) }.filter { !$0.topics.isEmpty }
  }

  // MARK: keep-alives

  /// Makes the streams of a second write keep-alives, or end when their token has expired or its session has ended.
  func keepAlive(_ second: Int) {
    let (streams, number) = state.withLock { state in
      let turns = stride(from: second % Self.keepAliveSeconds, to: Self.turnCount, by: Self.keepAliveSeconds)
      return (turns.flatMap { Array(state.turns[$0].values) }, state.offered)
    }
    let frame = EventStream.keepAliveFrame(number)
    for stream in streams {
      if tokens.isValid(stream.viewer) {
        stream.keepAlive(number, frame)
      } else {
        stream.end()
      }
    }
  }
}
