public import Contracts
import CurlClient
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
package import Persistence
import ServiceLifecycle
import UnixSignals

/// The assembled plugins of a process: serves in-process calls, and listens when it is run.
public struct Platform: Sendable {
  let services: [MountedService]
  let settings: Settings
  let http: CurlClient
  let upstreams: Upstreams
  let identity: ServiceIdentity
  /// Signs and verifies the URLs of this process's services.
  package let urls: URLSigner
  let tokens: TokenVerifier
  package let switches: FeatureSwitches
  package let dataKeys: DataKeys
  /// The process's metrics.
  public let metrics: Metrics
  let history: MetricsHistory
  let bus: EventBus?
  let tracer: Tracer?
  let time: TimeSource
  let logging: ProcessLogging
  /// Wakes the other processes on the same PostgreSQL server.
  let notifications: PostgresNotifications?

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
    let logger = logging.logger("host")
    try await startBus()
    let date = DateHeader(time: time)
    let limits = try PlatformSettings.connectionLimits(settings)
    let host = try settings[PlatformSettings.host]
    let port = try settings[PlatformSettings.port]
    let isEdge = front.manifest.isEdge
    let inside = try ServiceSettings.tlsFiles(settings).map { try TLSIdentity(files: $0, logger: logger) }
    // Whoever calls a service that is not the edge is another service.
    let tls = try isEdge ? tlsIdentity(logger) : inside ?? tlsIdentity(logger)
    // A service behind the edge has the connections of few machines.
    let caps = ConnectionCaps(
      perNetwork: isEdge ? try settings[PlatformSettings.connectionsPerAddress] : 0,
      trusted: TrustedProxies(try settings[PlatformSettings.trustedProxies]), metrics: metrics)
    let responder = closing(of: front) { request, connection in
      await front.dispatcher.respond(to: request, on: connection, port: isEdge ? .public : .any)
    }
    let queues = RequestQueues(maxWait: try settings[PlatformSettings.queueSeconds], metrics: metrics)
    let server = try HTTPServer(
      host: host, port: port, limits: limits, tls: tls, caps: caps, queues: queues, bytes: byteConnections(of: front),
      date: date, logger: logger, responder: responder)
    let redirect = try redirectPort(isEdge: isEdge).map { port in
      try HTTPServer(
        host: host, port: port, limits: limits, caps: caps, queues: queues, date: date, logger: logger,
        responder: responder)
    }
    let privateHost = try settings[PlatformSettings.metricsHost]
    let operations = try HTTPServer(
      host: privateHost,
      port: try settings[PlatformSettings.metricsPort] ?? PlatformSettings.defaultMetricsPort(for: port),
      limits: limits,
      // The edge's private port is that of the other services.
      tls: isEdge ? inside : nil,
      date: date,
      logger: logger,
      responder: closing(of: front, OperationsRoutes.responder(of: self, token: try .load(settings, logger)))
    )
    let notice = try settings[PlatformSettings.noticeSeconds] ?? (ServiceHost.isWhole(services.map(\.manifest)) ? 0 : 5)
    let announcer = ReadinessNotifier(noticeSeconds: notice) {
      guard let port = await server.listeningPort(), let privatePort = await operations.listeningPort() else { return }
      let scheme = tls == nil ? "http" : "https"
      let privateScheme = isEdge && inside != nil ? "https" : "http"
      var addresses = Addresses(
        url: "\(scheme)://\(host):\(port)", privateURL: "\(privateScheme)://\(privateHost):\(privatePort)")
      addresses.redirectURL = await redirect?.listeningPort().map { "http://\(host):\($0)" }
      await onReady(addresses)
    } onNotice: { [services] in
      for service in services { service.health.drain() }
    } onDrain: { [services] in
      for feature in services.flatMap(\.plugin.features) { feature.drain() }
    }
    // Services stop in reverse order: readiness is withdrawn first, then new requests are rejected, then workers stop.
    // An edge service receives events on the private port.
    let events = front.manifest.isEdge ? operations : server
    let ownURL = try settings[PlatformSettings.serviceURL]
    let eventScheme = (isEdge ? inside : tls) == nil ? "http" : "https"
    let eventHost = front.manifest.isEdge ? privateHost : host
    var workers =
      try workers {
        if let ownURL { return ownURL }
        return await events.listeningPort().map { "\(eventScheme)://\(eventHost):\($0)" }
      }
    for identity in [tls, inside].compactMap({ $0 }) {
      let seconds = try settings[PlatformSettings.tlsReloadSeconds]
      workers.append(PeriodicTask("tls.reload", every: .seconds(seconds), logger: logger) { try identity.reload() })
    }
    let drainSeconds = try settings[PlatformSettings.drainSeconds]
    let group = ServiceGroup(
      configuration: {
        var configuration = ServiceGroupConfiguration(
          services: (workers + [operations, server] + (redirect.map { [$0] } ?? []) + [announcer]).map {
            .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
          },
          gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
          logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
        )
        configuration.maximumGracefulShutdownDuration = .seconds(notice + drainSeconds)
        return configuration
      }()
    )
    let outcome: Result<Void, any Error>
    do {
      // A separate task, so that canceling the current one drains connections instead of dropping them.
      let running = Task { try await group.run() }
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await close()
    try outcome.get()
  }

  /// A process that is about to stop says so with each response, so that callers open no more connections to it than
  /// they need.
  private func closing(of front: MountedService, _ responder: @escaping HTTPServer.Responder) -> HTTPServer.Responder {
    { request, connection in
      var response = await responder(request, connection)
      if front.health.isDraining {
        response.headers[.connection] = "close"
        connection.closeAfterResponses()
      }
      return response
    }
  }

  /// The handler that serves the edge's connections first, if a feature has one.
  private func byteConnections(
    of front: MountedService
  ) -> (any ByteConnections, RequestRecords, isDraining: @Sendable () -> Bool)? {
    for case let bytes as any ByteConnections in front.plugin.features {
      return (bytes, front.dispatcher.records, isDraining: { [health = front.health] in health.isDraining })
    }
    return nil
  }

  /// - Throws: ``SettingError`` when there is no HTTPS to redirect to.
  private func redirectPort(isEdge: Bool) throws(SettingError) -> Int? {
    guard let port = try settings[PlatformSettings.redirectPort] else { return nil }
    guard isEdge else { throw SettingError(PlatformSettings.redirectPort, "is a setting of the gateway only") }
    guard try settings[PlatformSettings.tlsCertificate] != nil else {
      throw SettingError(PlatformSettings.redirectPort, "is set, but tls.certificate is not")
    }
    return port
  }

  private func tlsIdentity(_ logger: Logger) throws -> TLSIdentity? {
    guard let files = try PlatformSettings.tlsFiles(settings) else { return nil }
    do { return try TLSIdentity(files: files, logger: logger) } catch {
      throw SettingError(PlatformSettings.tlsCertificate, "and tls.key cannot be used together: \(error)")
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
    if let tracer { workers.append(tracer.worker(logger)) }
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
    await notifications?.close()
    upstreams.unmountAll()
    // The last spans; a collector that is away does not keep the process.
    try? await tracer?.flush()
    await http.shutdown()
    if upstreams.client !== http { await upstreams.client.shutdown() }
    bus?.close()
    logging.sink.flush()
  }
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
