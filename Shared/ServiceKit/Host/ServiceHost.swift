public import Contracts
import CurlClient
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import Persistence
import ServiceLifecycle

/// Assembles plugins: one per process, or all in one process.
public enum ServiceHost {
  /// Assembles databases, migrations, clients, plugins, and routes. Does not listen yet.
  ///
  /// The URL of a called service that is not among the plugins must be set.
  /// - Throws: ``SettingError`` that names what is missing or wrong.
  public static func build(
    _ plugins: [any ServicePlugin.Type],
    settings: Settings,
    time: TimeSource = .system,
    sink: LogSink = LogSink()
  ) async throws -> Platform {
    try await build(plugins, settings: settings, time: time, sink: sink, conditions: TestConditions())
  }

  /// The same under conditions that only tests set.
  package static func build(
    _ plugins: [any ServicePlugin.Type],
    settings: Settings,
    time: TimeSource = .system,
    sink: LogSink = LogSink(),
    conditions: TestConditions
  ) async throws -> Platform {
    let manifests = plugins.map { plugin in
      plugin.manifest.resolved(among: plugins.map { $0.manifest }, remotes: settings.services)
    }
    let log = ProcessLogging(
      level: try settings[PlatformSettings.logLevel],
      format: try settings[PlatformSettings.logFormat],
      sink: sink,
      time: time
    )
    try check(manifests, settings)
    let remotes = try remotes(of: manifests, settings)
    let instances = Upstreams.instances(remotes)
    let ownClient = try InternalTLS.client(settings)
    let http = CurlClient()
    let inside = ownClient ?? http
    let identity: ServiceIdentity
    do {
      identity = try Self.identity(
        of: manifests, settings, time,
        ServiceTrust(try PublishedServiceKeys.sources(settings, inside, instances), logger: log.logger("host")))
    } catch {
      await http.shutdown()
      if inside !== http { await inside.shutdown() }
      throw error
    }
    let upstreams = Upstreams(instances, http: inside, identity: identity)
    let metrics = Metrics()
    let history = MetricsHistory(of: metrics, time)
    let version = try settings[PlatformSettings.buildVersion]
    ProcessMetrics.observe(in: metrics, version: version)
    let share = try settings[PlatformSettings.telemetryShare]
    let tracer = try settings[PlatformSettings.telemetryURL].map { origin in
      Tracer(
        origin: origin, share: share, http: http, version: version, instance: IDGenerator(time: time).text(),
        metrics: metrics)
    }
    observe(http, in: metrics)
    let bus = try EventBus.load(settings, name: manifests.map(\.name).joined(separator: " "), metrics: metrics)
    let auth = upstreams.client(of: AuthAPI.name, caller: manifests.first?.name ?? "quintet")
    let revocations = RevocationFeed(time: time) { try await auth.send($0) }
    let tokens = TokenVerifier(time: time, revocations: revocations, maxLifetime: conditions.maxTokenLifetime) {
      try await auth.send(AuthAPI.GetKeys())
    }
    let switches = FeatureSwitches { try await auth.send(AuthAPI.ReadFeatures()) }
    // Programs that a service starts work in other folders.
    let dataFolder = try settings[PlatformSettings.data].absolutePath
    let dataKeys = try DataKeys.load(settings, dataFolder: dataFolder)
    let urls = URLSigner(dataKeys)
    let databases = try ServiceDatabases(settings, dataFolder: dataFolder)
    var mounted: [MountedService] = []
    // A pooler in transaction mode passes no notifications on; the other instances then poll.
    let notifiedURL = try settings[PlatformSettings.databasePooled] ? nil : settings[PlatformSettings.databaseURL]
    let notifications = notifiedURL.map { PostgresNotifications(url: $0, logger: log.logger("host")) }
    let sharedClock = try clock(settings, time)
    var opened: [any Database] = []
    do {
      for (plugin, manifest) in zip(plugins, manifests) {
        let serviceTime = manifest.needsDatabase ? sharedClock?.source ?? time : time
        let ids = IDGenerator(time: serviceTime)
        // It is measured in one of the databases, which are on one server.
        let clock = manifest.needsDatabase && mounted.allSatisfy { $0.database == nil } ? sharedClock : nil
        let database = try await database(
          of: manifest, in: databases, serviceTime, ids, notifications, log.logger(manifest.name)
        ).map { ObservedDatabase($0, of: manifest.name, metrics: metrics, tracer: tracer) }
        if let database { opened.append(database) }
        if let clock, let database { try await clock.measure(in: database) }
        if let database { try await dataKeys.claim(database) }
        let environment = ServiceEnvironment(
          name: manifest.name,
          settings: settings,
          logger: log.logger(manifest.name),
          metrics: metrics,
          time: serviceTime,
          ids: ids,
          dataFolder: dataFolder,
          dataKeys: dataKeys,
          http: http,
          tokens: tokens,
          switches: switches,
          urls: urls,
          serviceURLs: ServiceURLs(identity: identity, service: manifest.name),
          upstreams: upstreams,
          fronted: manifest.fronted,
          bus: bus,
          conditions: conditions,
          ownDatabase: database,
          tracer: tracer,
          history: history
        )
        let service = try await mount(
          plugin,
          manifest,
          environment,
          identity,
          log,
          clock,
          checksDependencies: try settings[PlatformSettings.readyDependencies]
        )
        upstreams.mount(manifest.name, service.dispatcher)
        mounted.append(service)
      }
      for feature in mounted.flatMap(\.plugin.features) { try await feature.prepare() }
    } catch {
      for database in opened { await database.close() }
      await notifications?.close()
      await http.shutdown()
      if inside !== http { await inside.shutdown() }
      throw error
    }
    return Platform(
      services: mounted,
      settings: settings,
      http: http,
      upstreams: upstreams,
      identity: identity,
      urls: urls,
      tokens: tokens,
      switches: switches,
      dataKeys: dataKeys,
      metrics: metrics,
      history: history,
      bus: bus,
      tracer: tracer,
      time: time,
      logging: log,
      notifications: notifications
    )
  }

  /// Reads every setting once, so that an invalid one fails at startup instead of during a request.
  private static func check(_ manifests: [Manifest], _ settings: Settings) throws(SettingError) {
    func read<Value>(_ setting: Setting<Value>) throws(SettingError) { _ = try settings[setting] }
    for setting in PlatformSettings.all + manifests.flatMap(\.settings) {
      try (setting as? any Readable)?.read(settings)
    }
    guard Set(manifests.map(\.name)).count == manifests.count else {
      throw SettingError(message: "a plugin is listed twice")
    }
    guard manifests.count == 1 || manifests.count(where: \.isEdge) == 1 else {
      throw SettingError(message: "several services in one process need the gateway plugin in front of them")
    }
  }

  private static func remotes(of manifests: [Manifest], _ settings: Settings) throws(SettingError) -> [String: [String]]
  {
    var remotes: [String: [String]] = [:]
    for manifest in manifests {
      // Every service that authenticates users needs auth, for its keys and the revoked sessions.
      for name in manifest.peers.union(manifest.fronted).union([AuthAPI.name]).sorted()
      where !manifests.contains(where: { $0.name == name }) {
        let setting = PlatformSettings.url(of: name)
        guard let urls = try settings[setting] else {
          throw SettingError(setting, problem: "is not set, but \(manifest.name) calls \(name)", source: nil)
        }
        remotes[name] = urls
      }
    }
    // Services that only call are asked for their keys.
    for name in settings.services.sorted() where remotes[name] == nil && !manifests.contains(where: { $0.name == name })
    {
      remotes[name] = try settings[PlatformSettings.url(of: name)]
    }
    return remotes
  }

  /// A key pair for each service of the process. Where all services of the platform are in it, no other process needs
  /// to know them, and they are not stored.
  private static func identity(
    of manifests: [Manifest], _ settings: Settings, _ time: TimeSource, _ trust: ServiceTrust
  ) throws -> ServiceIdentity {
    let isWhole = Self.isWhole(manifests)
    let isSet = try settings[ServiceSettings.privateKeys] != nil
    var own: [String: ServiceKeys] = [:]
    for manifest in manifests {
      own[manifest.name] = isWhole && !isSet ? .inMemory() : try .load(manifest.name, settings)
    }
    return ServiceIdentity(own, trust: trust, time: time)
  }

  /// Whether all services of the platform are in one process.
  static func isWhole(_ manifests: [Manifest]) -> Bool {
    let names = Set(manifests.map(\.name))
    return manifests.contains(where: \.isEdge)
      && manifests.allSatisfy { $0.peers.union($0.fronted).isSubset(of: names) }
  }

  /// Instances that share a database share its clock too; a test's clock is already the same for all of them.
  private static func clock(_ settings: Settings, _ time: TimeSource) throws -> DatabaseClock? {
    guard time.isLocal else { return nil }
    return try settings[PlatformSettings.databaseURL].map { _ in DatabaseClock(time) }
  }

  private static func database(
    of manifest: Manifest,
    in databases: ServiceDatabases,
    _ time: TimeSource,
    _ ids: IDGenerator,
    _ notifications: PostgresNotifications?,
    _ logger: Logger
  ) async throws -> (any Database)? {
    guard manifest.needsDatabase else { return nil }
    let database = try databases.open(
      manifest.name, notifications: notifications, time: time, ids: ids, logger: logger)
    do {
      guard try await !database.isCopiedAhead() else {
        throw SettingError(
          message: "the database of \(manifest.name) was copied ahead, and what came later is missing in it; run "
            + "`quintet move` without --ahead first")
      }
      try await database.migrate(manifest.allMigrations, logger: logger)
    } catch let error as DatabaseError where error.kind == .unavailable && database.dialect == .postgresql {
      await database.close()
      throw SettingError(
        PlatformSettings.databaseURL, problem: "names a server that does not answer: \(error.detail)", source: nil)
    } catch {
      await database.close()
      throw error
    }
    return database
  }

  private static func mount(
    _ plugin: any ServicePlugin.Type,
    _ manifest: Manifest,
    _ environment: ServiceEnvironment,
    _ identity: ServiceIdentity,
    _ log: ProcessLogging,
    _ clock: DatabaseClock?,
    checksDependencies: Bool
  ) async throws -> MountedService {
    let instance = try await plugin.init(environment: environment)
    let database = environment.ownDatabase
    let accessGuard = AccessGuard(
      service: manifest.name, tokens: environment.tokens, identity: identity, switches: environment.switches)
    environment.temporaryFiles.removeOld(before: environment.time.now().advanced(bySeconds: -86_400))
    var routes = Routes(
      manifest: plugin.manifest, accessGuard: accessGuard, files: environment.temporaryFiles, database: database)
    for feature in instance.features { feature.register(in: &routes) }
    var workers: [any Service] = []
    if manifest.consumes.contains(where: { $0.events.contains { $0.type == UserDeleted.type } }) {
      let erasures = try ErasureJobs(environment) { user, tx in try instance.eraseAll(of: user, in: tx) }
      workers.append(erasures)
      routes.on(UserDeleted.self) { event, tx in
        try instance.eraseAll(of: event.userID, in: tx)
        try erasures.add(in: tx)
        try erasures.addRepetition(for: event.userID, in: tx)
      }
    }
    if let clock, let database {
      workers.append(
        PeriodicTask("database.clock", every: .seconds(10), logger: environment.logger) {
          try await clock.measure(in: database)
        })
    }
    var checks = database.map { [Health.Check.database($0)] } ?? []
    if checksDependencies { checks += manifest.peers.sorted().map { .service($0, environment.upstreams) } }
    checks.append(.endedSessions(environment.tokens.revocations))
    if let bus = environment.bus { checks.append(.bus(bus)) }
    for dependency in instance.features.flatMap(\.dependencies) {
      let watch = DependencyWatch(dependency, environment.logger)
      checks.append(watch.healthCheck)
      environment.metrics.gauge(
        "dependency_up", help: "Whether a system beside the database can be used.",
        labels: [("service", manifest.name), ("dependency", dependency.name)]
      ) { watch.gauge }
      workers.append(
        PeriodicTask("dependencies.check", every: .seconds(DependencyWatch.interval), logger: environment.logger) {
          await watch.check()
        })
    }
    let health = Health(checks: checks, time: environment.time)
    routes.on(GatewayAPI.alive, logsAtDebug: true) { _, _ in .text(.ok, "ok\n") }
    routes.on(GatewayAPI.ready, logsAtDebug: true) { _, _ in await health.readiness() }
    if let database {
      if !manifest.consumes.isEmpty { routes.addEventDelivery(to: database, environment.tracer) }
      if !manifest.emits.isEmpty { routes.addSubscriptions(in: database) }
      routes.addPrivacy(of: instance, database)
      routes.addAudit(database)
      routes.addBackgroundWork(database)
    }
    if !manifest.isEdge { try routes.addDescription(of: manifest) }
    routes.addMetrics(environment.history)
    routes.addServiceKeys(of: manifest.name, identity)
    routes.addTopics()
    routes.addReaders()
    routes.addPreviews()
    try routes.checkComplete()
    return MountedService(
      manifest: manifest,
      plugin: instance,
      dispatcher: Dispatcher(
        routes: routes.routes,
        forwarded: routes.forwarded,
        name: manifest.name,
        isEdge: manifest.isEdge,
        trustedProxies: try environment.settings[PlatformSettings.trustedProxies],
        interceptor: routes.interceptor,
        middleware: routes.middleware,
        answerSeconds: try environment.settings[PlatformSettings.answerSeconds],
        log: log.handler(manifest.name),
        metrics: environment.metrics,
        tracer: environment.tracer
      ),
      database: database,
      receiver: database.map { routes.eventReceiver(in: $0, environment.tracer) },
      health: health,
      workers: workers
    )
  }

  private static func observe(_ http: CurlClient, in metrics: Metrics) {
    metrics.counter("http_client_requests_total", help: "Requests sent to other services.") { http.statistics.requests }
    metrics.counter("http_client_failures_total", help: "Requests without a response.") { http.statistics.failures }
    metrics.counter("http_client_retries_total", help: "Attempts after the first.") { http.statistics.retries }
    metrics.counter("curl_new_connections_total", help: "Connections opened.") { http.statistics.newConnections }
    metrics.gauge("http_client_in_flight", help: "Requests in flight.") { Double(http.statistics.inFlight) }
    metrics.gauge("upstream_circuits_open", help: "Origins with an open circuit breaker.") {
      Double(http.statistics.openCircuits)
    }
  }
}

/// An assembled plugin with its dispatcher, database, and health checks.
struct MountedService: Sendable {
  let manifest: Manifest
  let plugin: any ServicePlugin
  let dispatcher: Dispatcher
  let database: (any Database)?
  /// Applies the events that it consumes.
  let receiver: EventReceiver?
  let health: Health
  /// The host's own work for the service.
  let workers: [any Service]
}

private protocol Readable { func read(_ settings: Settings) throws(SettingError) }
extension Setting: Readable { func read(_ settings: Settings) throws(SettingError) { _ = try settings[self] } }

/// The logging configuration of the process.
struct ProcessLogging: Sendable {
  let level: Logger.Level
  let format: LogFormat
  let sink: LogSink
  let time: TimeSource

  func handler(_ label: String) -> StructuredLog {
    StructuredLog(label: label, level: level, format: format, sink: sink, time: time)
  }

  func logger(_ label: String) -> Logger { Logger(label: label) { _ in handler(label) } }
}
