import Contracts
import HTTPTypes
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// The streams of users' events: recorded by services, kept for a day, sent to every open stream of the user.
struct Realtime: Feature {
  private let database: any Database
  private let hub: StreamHub
  private let stream: EventStream
  private let fanOut: StreamFanOut?
  private let logger: Logger

  private static let keptSeconds = 86_400.0

  init(_ environment: ServiceEnvironment, redis: RedisClient?) throws {
    database = try environment.database
    hub = StreamHub(maxCount: try environment.settings[GatewaySettings.streams], metrics: environment.metrics)
    stream = EventStream(hub: hub, database: database, tokens: environment.tokens)
    fanOut = redis.map { [hub] in StreamFanOut($0, hub: hub, logger: environment.logger) }
    logger = environment.logger
  }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.events) { request, _ in try await stream.open(request) }
    routes.on(RealtimeEvent.self) { event, tx in
      try EventStore.insert(event, in: tx)
    } afterwards: { event in
      hub.wake(event.userID)
      fanOut?.publish(event.userID)
    }
  }

  var workers: [any Service] {
    let keepAlive = PeriodicTask("realtime.keep-alive", every: .seconds(1), logger: logger) { hub.keepAlive() }
    let purge = PeriodicTask("realtime.purge", every: .seconds(3600), logger: logger) {
      try await database.write { tx in
        try EventStore.delete(before: tx.now.advanced(bySeconds: -Self.keptSeconds), in: tx)
      }
    }
    return [keepAlive, purge] + (fanOut.map { [$0] } ?? [])
  }

  func drain() { hub.drain() }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("events", try EventStore.export(user, in: db))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try EventStore.delete(of: user, in: tx) }
}
