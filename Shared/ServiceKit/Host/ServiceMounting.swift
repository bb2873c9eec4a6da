import Contracts
import Events
import Foundation
import HTTPServing
import HTTPTypes
import Logging
import Observability
import Persistence
import ServiceLifecycle

/// Mounts a service: registers what its features and the host answer, and collects their work and their health checks.
struct ServiceMounting {
  private let plugin: any ServicePlugin
  private let manifest: Manifest
  private let environment: ServiceEnvironment
  private var routes: Routes
  private var workers: [any Service] = []
  private var checks: [Health.Check] = []

  private var database: (any Database)? { environment.ownDatabase }

  init(_ plugin: any ServicePlugin, _ manifest: Manifest, _ environment: ServiceEnvironment) throws {
    (self.plugin, self.manifest, self.environment) = (plugin, manifest, environment)
    environment.temporaryFiles.removeOld(before: environment.time.now().advanced(bySeconds: -86_400))
    routes = Routes(
      manifest: type(of: plugin).manifest,
      accessGuard: AccessGuard(
        service: manifest.name, tokens: environment.tokens, identity: environment.process.identity,
        switches: environment.switches),
      files: environment.temporaryFiles, database: environment.ownDatabase)
    for feature in plugin.features { feature.register(in: &routes) }
    try addErasure()
    try addChecks()
  }

  /// Measures the clock that the instances share in this service's database.
  mutating func measure(_ clock: DatabaseClock) {
    guard let database else { return }
    workers.append(
      PeriodicTask("database.clock", every: .seconds(10), logger: environment.logger) {
        try await clock.measure(in: database)
      })
  }

  /// Deletes the personal data of users whose accounts are deleted.
  private mutating func addErasure() throws {
    guard manifest.consumes.contains(where: { $0.events.contains { $0.type == UserDeleted.type } }) else { return }
    let erasures = try ErasureJobs(environment) { [plugin] user, tx in try plugin.eraseAll(of: user, in: tx) }
    workers.append(erasures)
    routes.on(UserDeleted.self) { [plugin] event, tx in
      try plugin.eraseAll(of: event.userID, in: tx)
      try erasures.add(in: tx)
      try erasures.addRepetition(for: event.userID, in: tx)
    }
  }

  private mutating func addChecks() throws {
    if let database { checks.append(.database(database)) }
    if try environment.settings[PlatformSettings.readyDependencies] {
      checks += manifest.peers.sorted().map { .service($0, environment.upstreams) }
    }
    checks.append(.endedSessions(environment.tokens.revocations))
    if let bus = environment.bus { checks.append(.bus(bus)) }
    for dependency in plugin.features.flatMap(\.dependencies) { watch(dependency) }
  }

  private mutating func watch(_ dependency: Dependency) {
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

  /// - Throws: ``SettingError`` that names what the service lacks.
  mutating func finish() throws -> MountedService {
    let health = Health(checks: checks, time: environment.time)
    try addPlatformRoutes(health)
    try routes.checkComplete()
    return MountedService(
      manifest: manifest,
      plugin: plugin,
      dispatcher: try dispatcher(),
      database: database,
      receiver: database.map { routes.eventReceiver(in: $0, environment.tracer) },
      health: health,
      workers: workers
    )
  }

  /// The routes that every service has.
  private mutating func addPlatformRoutes(_ health: Health) throws {
    routes.on(GatewayAPI.alive, logsAtDebug: true) { _, _ in .text(.ok, "ok\n") }
    routes.on(GatewayAPI.ready, logsAtDebug: true) { _, _ in await health.readiness() }
    if let database {
      if !manifest.consumes.isEmpty { routes.addEventDelivery(to: database, environment.tracer) }
      if !manifest.emits.isEmpty { routes.addSubscriptions(in: database) }
      routes.addPrivacy(of: plugin, database)
      routes.addAudit(database)
      routes.addBackgroundWork(database)
    }
    if !manifest.isEdge { try routes.addDescription(of: manifest) }
    routes.addMetrics(environment.process.history)
    routes.addServiceKeys(of: manifest.name, environment.process.identity)
    routes.addTopics()
    routes.addReaders()
    routes.addPreviews()
  }

  private func dispatcher() throws -> Dispatcher {
    Dispatcher(
      routes: routes.routes,
      forwarded: routes.forwarded,
      name: manifest.name,
      isEdge: manifest.isEdge,
      trustedProxies: try environment.settings[PlatformSettings.trustedProxies],
      interceptor: routes.interceptor,
      middleware: routes.middleware,
      answerSeconds: try environment.settings[PlatformSettings.answerSeconds],
      log: environment.process.logging.handler(manifest.name),
      metrics: environment.metrics,
      tracer: environment.tracer
    )
  }
}
