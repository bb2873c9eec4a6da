import Contracts
import HTTPServing
import Persistence
public import ServiceKit
import RedisClient

/// The edge: routes requests to the services of its process and to those whose URL is set, admits only their public
/// operations, and serves the streams of realtime events.
public struct GatewayPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: GatewayAPI.name,
    api: GatewayAPI.self,
    calls: [AuthAPI.self],
    consumes: [.init(from: AuthAPI.self, [UserDeleted.self])],
    consumesFromAll: [RealtimeEvent.self, TopicEvent.self, TopicAccessEnded.self],
    migrations: GatewayMigrations.all,
    settings: GatewaySettings.all,
    isEdge: true
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let redis = try settings[GatewaySettings.redisURL].flatMap { RedisAddress($0) }.map { RedisClient($0) }
    let own = try ServiceDescription(of: GatewayAPI.self)
    let hosts = try WebInterceptor.hosts(settings)
    let edge = Edge(
      tokens: environment.tokens,
      limiter: try RateLimiter(environment, redis: redis),
      cors: CORS(origins: try settings[GatewaySettings.corsOrigins]),
      plainHTTP: try GatewaySettings.plainHTTPPolicy(settings),
      publicURL: try settings[GatewaySettings.publicURL],
      hosts: hosts,
      time: environment.time
    )
    let web = try WebInterceptor(environment, hosts: hosts, plainHTTP: edge.plainHTTP)
    let documentation = Documentation(
      own: own, publicURL: try settings[GatewaySettings.publicURL], assets: web.assets)
    let bytes =
      try settings[GatewaySettings.fastEdge]
      ? ByteEdge(
        edge, web: web, trustedProxies: TrustedProxies(try settings[PlatformSettings.trustedProxies]),
        logger: environment.logger) : nil
    let discovery = try ServiceDiscovery(environment, own: own, documentation: documentation, bytes: bytes)
    var features: [any Feature] = [
      edge, discovery, documentation, web,
      try LinkPages(environment, owners: discovery, web: web),
      try Realtime(environment, redis: redis, owners: discovery),
      ACMEChallenges(folder: try settings[GatewaySettings.acmeFolder]?.absolutePath),
      try CrashReports(environment), ServiceMeasurements(environment),
    ]
    if let bytes { features.append(bytes) }
    self.features = features
  }
}
