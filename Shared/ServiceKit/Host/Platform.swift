public import Contracts
import CurlClient
import Events
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
public import Observability
package import Persistence
import ServiceLifecycle
import UnixSignals

/// The assembled plugins of a process: serves in-process calls, and listens when it is run.
public struct Platform: Sendable {
  let services: [MountedService]
  let process: ProcessEnvironment

  /// The addresses that the running process listens on.
  public struct Addresses: Sendable {
    public var url: String
    public var privateURL: String
    /// The address at which plain HTTP is redirected.
    public var redirectURL: String?
  }

  /// The service that external callers reach: the gateway, or the only service.
  var front: MountedService? { services.first { $0.manifest.isEdge } ?? services.first }

  /// A typed client that calls a mounted service, or the services behind the gateway, without a socket.
  ///
  /// - Parameter service: The service's name; the gateway, or the only service, by default.
  public func client(of service: String? = nil) -> APIClient {
    APIClient(transport: UpstreamTransport(name: service ?? front?.manifest.name ?? "", upstreams: upstreams))
  }

  /// A transport for raw requests to a mounted service.
  public func transport(to service: String) -> any Transport { UpstreamTransport(name: service, upstreams: upstreams) }

  /// A typed client that calls a service in the name of another one, in this process or not; for tests.
  package func client(of api: any ServiceAPI.Type, as caller: String) -> APIClient {
    identity.pretend(caller)
    return upstreams.client(of: api.name, caller: caller)
  }

  /// Runs until SIGTERM or SIGINT, or until the task is canceled; then gives notice that it is not ready any more, and
  /// drains.
  ///
  /// - Parameter onReady: Called once the port is open.
  public func run(
    handlesSignals: Bool = true,
    onReady: @escaping @Sendable (Addresses) async -> Void
  ) async throws {
    guard let front else { return }
    do { try await serve(front, handlesSignals: handlesSignals, onReady) } catch {
      await close()
      throw error
    }
    await close()
  }

  private func serve(
    _ front: MountedService, handlesSignals: Bool, _ onReady: @escaping @Sendable (Addresses) async -> Void
  ) async throws {
    let logger = logging.logger("host")
    try await startBus()
    let servers = try PlatformServers(self, front, logger)
    let notice = try settings[PlatformSettings.noticeSeconds] ?? (services.map(\.manifest).areWhole ? 0 : 5)
    let notifier = ReadinessNotifier(noticeSeconds: notice) {
      if let addresses = await servers.addresses() { await onReady(addresses) }
    } onNotice: { [services] in
      for service in services { service.health.drain() }
    } onDrain: { [services] in
      for feature in services.flatMap(\.plugin.features) { feature.drain() }
    }
    // They stop in reverse order: readiness is withdrawn first, then new requests are rejected, then workers stop.
    let all = try workers(servers.eventURL) + servers.reloading(logger) + servers.all + [notifier]
    let drainSeconds = try settings[PlatformSettings.drainSeconds]
    try await Self.run(all, handlesSignals: handlesSignals, stoppingWithin: notice + drainSeconds)
  }

  private static func run(
    _ services: [any Service], handlesSignals: Bool, stoppingWithin seconds: Double
  ) async throws {
    var configuration = ServiceGroupConfiguration(
      services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
      logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
    )
    configuration.maximumGracefulShutdownDuration = .seconds(seconds)
    let group = ServiceGroup(configuration: configuration)
    // A separate task, so that canceling the current one drains connections instead of dropping them.
    let running = Task { try await group.run() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task { await group.triggerGracefulShutdown() }
    }
  }

  /// - Parameter url: The URL where the process receives events, once it is known.
  private func workers(_ url: @escaping @Sendable () async -> String?) throws -> [any Service] {
    let logger = logging.logger("host")
    let auth = upstreams.client(of: AuthAPI.name, caller: front?.manifest.name ?? "")
    let instances = InstanceHealthCheck(upstreams: upstreams, logger: logger)
    var workers: [any Service] = [
      PeriodicTask("sessions.revoked", every: .seconds(1), logger: logger) { [tokens] in
        try await tokens.revocations.read()
      },
      sessionUses(to: auth),
      PeriodicTask("tokens.keys", every: .seconds(30), logger: logger) { [tokens] in try await tokens.refreshKeys() },
      PeriodicTask("features.read", every: FeatureSwitches.interval, logger: logger) { [switches] in
        try await switches.read()
      },
      PeriodicTask("service.keys", every: .seconds(ServiceTrust.interval), logger: logger) { [identity] in
        try await identity.refresh()
      },
      PeriodicTask("metrics.history", every: MetricsHistory.interval, logger: logger) { [history, services] in
        history.sample(services.map(\.manifest.name))
      },
      PeriodicTask("instances.check", every: .seconds(InstanceHealthCheck.interval), logger: logger) {
        await instances.checkAll()
      },
      EventLoopDelay.observed(in: metrics, logger),
    ]
    if let bus { workers.append(EndedSessionsListener(bus: bus, revocations: tokens.revocations)) }
    metrics.gauge("sessions_ended_age_seconds", help: "Age of the list of ended sessions.") { [tokens] in
      tokens.revocations.age ?? .infinity
    }
    if let tracer {
      workers.append(PeriodicTask("telemetry.send", every: .seconds(1), logger: logger) { try await tracer.flush() })
    }
    for (name, instances) in upstreams.elsewhere {
      metrics.histogram(
        "http_client_request_duration_seconds", help: "Calls to another service, up to the head of the response.",
        labels: [("service", name)], of: instances.latency)
      metrics.gauge("upstream_instances_ejected", help: "Instances currently ejected.", labels: [("service", name)]) {
        Double(instances.ejected)
      }
      let labels: Metrics.Labels = [("service", name)]
      metrics.counter("upstream_retries_total", help: "Requests sent to a second instance.", labels: labels) {
        instances.retries
      }
      metrics.counter(
        "upstream_retries_refused_total", help: "Requests not sent again: a tenth of all is the limit.", labels: labels
      ) { instances.refusedRetries }
    }
    for service in services {
      let logger = logging.logger(service.manifest.name)
      let own = service.plugin.features.flatMap(\.workers) + service.workers
      workers += try service.database.map { try upkeep(of: service, $0, beside: own, logger) } ?? own
      if let database = service.database, !service.manifest.emits.isEmpty {
        workers.append(relay(service.manifest, database, logger))
      }
      if let bus { workers += busWorkers(of: service, bus, logger) }
      for consumption in service.manifest.consumes {
        workers.append(
          Subscriber(
            name: service.manifest.name,
            url: url,
            consumption: consumption,
            client: upstreams.client(of: consumption.service, caller: service.manifest.name)
          ).task(logger)
        )
      }
    }
    return workers
  }

  /// A service's workers with those that every database needs; what is done once per platform waits for the leadership.
  private func upkeep(
    of service: MountedService, _ database: any Database, beside own: [any Service], _ logger: Logger
  ) throws -> [any Service] {
    let gauges = DatabaseGauges(of: service.manifest.name, database, time, in: metrics)
    let purge = PeriodicTask("platform.purge", per: .platform, every: .seconds(3600), logger: logger) {
      let retention = service.manifest.emits.map { ($0.type, $0.retentionSeconds) }
      try await Outbox(database: database).purge(emitted: Dictionary(retention) { first, _ in first })
      try await StoredLimit.purge(database)
      try await JobQueues(of: service.manifest.name, database).purge()
    }
    let workers = own + (try auditUpkeep(of: service, database).workers(logger)) + [purge, gauges.worker(logger)]
    let leadership = Leadership(database, holder: IDGenerator(time: time).text(), logger: logger)
    // Stopped last, so that no other process leads before the work has ended.
    return [leadership] + workers.map { ($0 as? PeriodicTask)?.led(by: leadership) ?? $0 }
  }

  private func sessionUses(to auth: APIClient) -> SessionUseReporter {
    SessionUseReporter(uses: tokens.uses, auth: auth, time: time, logger: logging.logger("host"))
  }

  /// Does at once what the process otherwise does at intervals: reads auth's keys and the ended sessions, and reports
  /// which sessions were used. For tests whose workers do not run.
  package func confirmSessions() async throws {
    try await tokens.refreshKeys()
    _ = try await sessionUses(to: upstreams.client(of: AuthAPI.name, caller: front?.manifest.name ?? "")).runOnce()
    try await tokens.revocations.read()
  }

  private func relay(_ manifest: Manifest, _ database: any Database, _ logger: Logger) -> EventRelay {
    let labels: Metrics.Labels = [("service", manifest.name)]
    metrics.gauge("db_writer_queue_depth", help: "Statements that are waiting for the database.", labels: labels) {
      Double(database.queueDepth)
    }
    return EventRelay(
      source: manifest.name,
      database: database,
      transport: transport(of: manifest.name),
      ids: IDGenerator(time: time),
      time: time,
      logger: logger,
      deadLetters: metrics.counter("outbox_dead_letters_total", help: "Dead-lettered deliveries.", labels: labels)
    )
  }

  /// Signs URLs as a service does, in this process or not; for tests.
  package func serviceURLs(of service: any ServiceAPI.Type) -> ServiceURLs {
    identity.pretend(service.name)
    return ServiceURLs(identity: identity, service: service.name)
  }

  /// Reads the key files again, and the public keys of the other services.
  package func refreshServiceKeys() async throws { try await identity.refresh() }

  /// The database of a mounted service, for tests that look at what is stored.
  package func database(of service: String) -> (any Database)? {
    services.first { $0.manifest.name == service }?.database
  }

  /// An assembled plugin, for the operator's commands.
  public func plugin<Plugin: ServicePlugin>(_ type: Plugin.Type) -> Plugin? {
    services.lazy.compactMap { $0.plugin as? Plugin }.first
  }

  /// Adds a new first key to the key file, unless the keys come from a setting, and re-encrypts every value of every
  /// service with the first key.
  /// - Returns: The number of re-encrypted values.
  public func rotateDataKeys() async throws -> Int {
    if try settings[PlatformSettings.dataKeys] == nil { try dataKeys.addKey() }
    var count = 0
    for service in services {
      guard let database = service.database else { continue }
      count += try await dataKeys.reseal(service.manifest.sealedColumns, of: database)
    }
    return count
  }

  /// Closes databases and connections and flushes the log.
  public func close() async {
    for service in services { await service.database?.close() }
    await process.close()
  }
}

// MARK: - what the process provides

extension Platform {
  var settings: Settings { process.settings }
  var upstreams: Upstreams { process.upstreams }
  var identity: ServiceIdentity { process.identity }
  var tokens: TokenVerifier { process.tokens }
  var history: MetricsHistory { process.history }
  var bus: EventBus? { process.bus }
  var tracer: Tracer? { process.tracer }
  var time: TimeSource { process.time }
  var logging: ProcessLogging { process.logging }
  /// Signs and verifies the URLs of this process's services.
  package var urls: URLSigner { process.urls }
  package var switches: FeatureSwitches { process.switches }
  package var dataKeys: DataKeys { process.dataKeys }
  /// The process's metrics.
  public var metrics: Metrics { process.metrics }
}

/// Reports that the process is ready and, as the first service to be stopped, gives notice that it no longer is: those
/// who send it requests have time to notice, while it still serves them.
private struct ReadinessNotifier: Service {
  let noticeSeconds: Double
  let onReady: @Sendable () async -> Void
  let onNotice: @Sendable () -> Void
  let onDrain: @Sendable () -> Void

  func run() async throws {
    await onReady()
    try? await gracefulShutdown()
    onNotice()
    try? await Task.sleep(for: .seconds(noticeSeconds))
    onDrain()
  }
}
