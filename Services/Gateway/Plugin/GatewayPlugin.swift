import Contracts
import Persistence
public import ServiceKit

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
    optionalDependencies: PlatformAPIs.all.filter { $0.name != AuthAPI.name },
    migrations: GatewayMigrations.all,
    settings: GatewaySettings.all,
    isEdge: true
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let database = try environment.database
    let redis = try settings[GatewaySettings.redisURL].flatMap { RedisAddress($0) }.map { RedisClient($0) }
    let apis = PlatformAPIs.all.filter { environment.peers.contains($0.name) }
    let edge = Edge(
      tokens: environment.tokens,
      limiter: try RateLimiter(environment, redis: redis),
      cors: CORS(origins: try settings[GatewaySettings.corsOrigins])
    )
    features = [
      edge, Forwarding(environment, apis: apis),
      try Realtime(environment, redis: redis),
      CrashReports(database: database, ids: environment.ids, logger: environment.logger),
      try Documentation(of: apis + [GatewayAPI.self]),
    ]
  }
}
