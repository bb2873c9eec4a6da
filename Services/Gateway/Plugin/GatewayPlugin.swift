public import Contracts
import HTTPTypes
import HummingbirdCore
import Logging
import Persistence
public import ServiceKit
public import ServiceLifecycle

/// The edge: routes requests to the services of the platform, admits only their public operations, and serves the
/// streams of realtime events.
public struct GatewayPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: GatewayAPI.name,
    api: GatewayAPI.self,
    calls: PlatformAPIs.all,
    consumes: PlatformAPIs.all.map { api in
      .init(from: api, api.name == AuthAPI.name ? [RealtimeEvent.self, UserDeleted.self] : [RealtimeEvent.self])
    },
    mayLack: PlatformAPIs.all.filter { $0.name != AuthAPI.name },
    migrations: GatewayMigrations.all,
    settings: GatewaySettings.all,
    isEdge: true
  )

  let database: any Database
  /// The services behind the gateway.
  private let apis: [any ServiceAPI.Type]
  private let edge: Edge
  private let forwarder: Forwarder
  private let documentation: Documentation
  private let crashReports: CrashReports
  private let hub: StreamHub
  private let stream: EventStream
  private let log: EventLog
  private let fanOut: StreamFanOut?
  public let workers: [any Service]

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let database = try environment.database
    apis = PlatformAPIs.all.filter { environment.peers.contains($0.name) }
    let redis = try settings[GatewaySettings.redisURL].flatMap { RedisAddress($0) }.map { RedisClient($0) }
    let log = EventLog(database: database)
    let hub = StreamHub(most: try settings[GatewaySettings.streams], metrics: environment.metrics)
    let fanOut = redis.map { StreamFanOut($0, hub: hub, logger: environment.logger) }
    self.database = database
    self.hub = hub
    self.fanOut = fanOut
    self.log = log
    stream = EventStream(hub: hub, log: log, tokens: environment.tokens)
    edge = Edge(
      tokens: environment.tokens,
      limiter: try RateLimiter(environment, redis: redis),
      cors: CORS(origins: try settings[GatewaySettings.corsOrigins])
    )
    forwarder = Forwarder(upstreams: environment.upstreams, tokens: environment.tokens)
    documentation = try Documentation(of: apis + [GatewayAPI.self])
    let crashReports = CrashReports(database: database, ids: environment.ids)
    self.crashReports = crashReports
    let housekeeping = Housekeeping(log: log, crashReports: crashReports, logger: environment.logger)
    workers = [hub, housekeeping] + (fanOut.map { [$0] } ?? [])
  }

  public func personalData(of user: UserID) async throws -> JSONValue { try await log.everything(of: user) }

  public func drain() { hub.drain() }

  public func register(in routes: inout Routes) {
    routes.around { request, context, next in await edge.pass(request, context, next) }
    for api in apis {
      for endpoint in api.endpoints where endpoint.operation.access != .service {
        let operation = endpoint.operation
        guard let method = HTTPRequest.Method(operation.method.rawValue) else { continue }
        routes.raw(method, operation.path) { request, context in
          try await forwarder.forward(request, context, operation, to: api.name)
        }
      }
    }
    routes.on(GatewayAPI.ReportCrash.self) { request, _ in try await crashReports.add(request) }
    routes.on(GatewayAPI.ListCrashReports.self) { request, call in
      try await crashReports.list(request, by: call.auditActor)
    }
    routes.raw(.get, "/v1/events") { request, _ in try await stream.open(request) }
    routes.on(RealtimeEvent.self) { event, tx in
      try EventLog.append(event, in: tx)
    } afterwards: { event in
      hub.wake(event.userID)
      fanOut?.publish(event.userID)
    }
    routes.on(UserDeleted.self) { event, tx in try EventLog.forget(event.userID, in: tx) }
    routes.raw(.get, "/openapi.json") { _, _ in .json(.ok, documentation.json) }
    routes.raw(.get, "/docs") { _, _ in documentation.page }
    routes.raw(.get, "/") { _, _ in Response(status: .found, headers: [.location: "/docs"]) }
  }
}

/// Deletes expired events and crash reports every hour.
private struct Housekeeping: Service {
  let log: EventLog
  let crashReports: CrashReports
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await log.purge()
          try await crashReports.purge()
        } catch {
          logger.warning("deleting expired entries failed: \(error)")
        }
        do { try await Task.sleep(for: .seconds(3600)) } catch { return }
      }
    }
  }
}
