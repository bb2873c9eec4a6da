import Contracts
import Logging
import RedisClient
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// The streams of events: recorded by services, kept for a day, sent to every open stream of the user or topic.
struct Realtime: Feature {
  private let database: any Database
  let hub: StreamHub
  let access: TopicAccess
  let tail: EventTail
  private let streams: EventStreams
  private let fanOut: StreamFanOut?
  private let signals: BusSignals?
  private let logger: Logger

  private static let keptSeconds = 86_400.0

  init(_ environment: ServiceEnvironment, redis: RedisClient?, owners: any TopicOwners) throws {
    (database, logger) = (try environment.database, environment.logger)
    access = TopicAccess(owners: owners, time: environment.time, logger: logger) { environment.client(of: $0) }
    hub = StreamHub(
      maxCount: try environment.settings[GatewaySettings.streams],
      maxPerNetwork: try environment.settings[GatewaySettings.streamsPerAddress], access: access,
      tokens: environment.tokens,
      metrics: environment.metrics
    )
    tail = EventTail(database, hub: hub, logger: logger)
    streams = EventStreams(
      hub: hub, access: access, opener: StreamOpener(database, logger: logger), tail: tail, database: database,
      tokens: environment.tokens, ids: environment.ids, keys: environment.dataKeys
    )
    let channel: (any GatewayChannel)? =
      environment.bus.map { BusChannel(bus: $0) } ?? redis.map { RedisChannel($0) }
    fanOut = channel.map { [hub, tail] in
      StreamFanOut($0, id: environment.ids.text(), hub: hub, tail: tail, logger: environment.logger)
    }
    signals = environment.bus.map { [hub, access] in
      BusSignals(bus: $0, hub: hub, access: access, logger: environment.logger)
    }
  }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.events) { request, context in try await streams.open(request, context) }
    routes.on(GatewayAPI.FollowTopics.self) { request, call in
      let answer = try await streams.follow(request, call.user)
      fanOut?.publish()
      return answer
    }
    routes.on(SignalsAPI.Send.self) { [access] signal, call -> Void in
      guard case .service(let sender) = call.caller else { throw Problem(.forbidden) }
      try access.requireOwner(of: [signal.topic], is: sender)
      try LoggedEvent.check(signal.name, at: "body.name")
      try access.requireName(signal.name, of: sender, on: signal.topic)
      hub.signal(signal)
      fanOut?.publish(signal)
    }
    routes.on(
      RealtimeEvent.self, for: .readCommitted, admitting: { [access] in try access.requireName($0.name, of: $1) },
      { try EventLogStore.insert($0, in: $1) }, afterwards: { _ in notify() }
    )
    routes.on(
      TopicEvent.self, for: .readCommitted,
      admitting: { [access] event, sender in
        try access.requireOwner(of: [event.topic], is: sender)
        try access.requireName(event.name, of: sender, on: event.users.isEmpty ? event.topic : nil)
      },
      { try EventLogStore.insert($0, in: $1) }, afterwards: { _ in notify() }
    )
    routes.on(
      TopicAccessEnded.self, for: .readCommitted,
      admitting: { [access] in try access.requireOwner(of: $0.topics, is: $1) },
      { try EventLogStore.insert($0, in: $1) }, afterwards: { _ in notify() }
    )
  }

  private func notify() {
    tail.wake()
    fanOut?.publish()
  }

  func prepare() async throws { try await tail.begin() }

  var workers: [any Service] {
    let turns = Turns()
    let keepAlive = PeriodicTask("realtime.keep-alive", every: .seconds(1), logger: logger) {
      hub.keepAlive(turns.next())
    }
    // Events that another gateway has stored, when no notification arrives.
    let poll = PeriodicTask("realtime.poll", every: .seconds(1), logger: logger) { tail.wake() }
    let reviews = Turns()
    let review = PeriodicTask("realtime.review-topics", every: .seconds(1), logger: logger) {
      await access.review(hub.followers(inTurn: reviews.next()), in: hub)
    }
    let closed = PeriodicTask("realtime.closed-streams", every: .seconds(1), logger: logger) {
      let ids = hub.takeClosed()
      for start in stride(from: 0, to: ids.count, by: 512) {
        let some = Array(ids[start..<min(start + 512, ids.count)])
        try await database.write(.readCommitted) { tx in
          try OpenStreamStore.delete(some, in: tx)
          try EventLogStore.delete(of: some, in: tx)
        }
      }
    }
    let purge = PeriodicTask("realtime.purge", per: .platform, every: .seconds(600), logger: logger) {
      try await self.purge()
    }
    let clean = PeriodicTask("realtime.clean-access", every: .seconds(600), logger: logger) { access.clean() }
    return [tail, keepAlive, poll, review, closed, purge, clean] + (fanOut.map { [$0] } ?? [])
      + (signals.map { [$0] } ?? [])
  }

  private func purge() async throws {
    try await database.write(.readCommitted) { tx in try OpenStreamStore.delete(expiredBefore: tx.now, in: tx) }
    // Many small transactions, so that events are not held up.
    while try await database.write(
      .readCommitted,
      { tx in
        try EventLogStore.purge(before: tx.now.advanced(bySeconds: -Self.keptSeconds), in: tx)
      })
    {}
  }

  func drain() { hub.drain() }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("events", try EventLogStore.export(user, in: db)), ("streams", try OpenStreamStore.export(user, in: db))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try EventLogStore.delete(of: user, in: tx)
    try TopicEndStore.delete(of: user, in: tx)
    try OpenStreamStore.delete(of: user, in: tx)
  }
}

/// Counts rounds.
private final class Turns: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
