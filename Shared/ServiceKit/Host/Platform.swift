public import Contracts
import CurlClient
import Foundation
import HummingbirdCore
import Logging
public import Persistence
import ServiceLifecycle
import UnixSignals

/// Assembled plugins: answers calls inside the process, and listens when it is run.
public struct Platform: Sendable {
  let services: [MountedService]
  let settings: Settings
  let http: CurlClient
  let upstreams: Upstreams
  let identity: ServiceIdentity
  /// Verifies access tokens.
  let tokens: TokenVerifier
  let dataKeys: DataKeys
  /// Everything that is counted.
  public let metrics: Metrics
  let time: TimeSource
  let logging: ProcessLogging

  /// Where it listens once it runs.
  public struct Addresses: Sendable {
    public var url: String
    public var privateURL: String
  }

  /// The service that faces callers: the gateway, or the only one.
  var front: MountedService? { services.first { $0.manifest.isEdge } ?? services.first }

  /// A typed client that calls a mounted service, or what the gateway routes to, without a socket.
  ///
  /// - Parameter service: The service's name; the one that faces callers unless said.
  public func client(of service: String? = nil) -> APIClient {
    APIClient(transport: UpstreamTransport(name: service ?? front?.manifest.name ?? "", upstreams: upstreams))
  }

  /// Carries requests to a mounted service as bytes.
  public func transport(to service: String) -> any Transport { UpstreamTransport(name: service, upstreams: upstreams) }

  /// A client that calls a service as another service of the platform would.
  public func client(of api: any ServiceAPI.Type, as caller: String) -> APIClient {
    upstreams.client(of: api, caller: caller)
  }

  /// Listens and works until SIGTERM or SIGINT, or until the task is cancelled; then drains.
  ///
  /// - Parameter onReady: Called once the port is open.
  public func run(
    handlesSignals: Bool = true,
    onReady: @escaping @Sendable (Addresses) async -> Void
  ) async throws {
    guard let front else { return }
    let logger = logging.logger("host")
    let date = DateHeader(time: time)
    let limits = try PlatformSettings.connectionLimits(settings)
    let host = try settings[PlatformSettings.host]
    let port = try settings[PlatformSettings.port]
    let tls = try tlsIdentity(logger)
    let isEdge = front.manifest.isEdge
    let server = try HTTPServer(host: host, port: port, limits: limits, tls: tls, date: date, logger: logger) {
      request,
      address in
      await front.dispatcher.respond(to: request, remoteAddress: address, port: isEdge ? .public : .any)
    }
    let privateHost = try settings[PlatformSettings.metricsHost]
    let operations = try HTTPServer(
      host: privateHost,
      port: try settings[PlatformSettings.metricsPort] ?? (port == 0 ? 0 : min(65_535, port + 1000)),
      limits: limits,
      date: date,
      logger: logger,
      responder: OperationsRoutes.responder(of: self)
    )
    let announcer = Announcer {
      guard let port = await server.listeningPort(), let privatePort = await operations.listeningPort() else { return }
      let scheme = tls == nil ? "http" : "https"
      await onReady(Addresses(url: "\(scheme)://\(host):\(port)", privateURL: "http://\(privateHost):\(privatePort)"))
    } onDrain: { [services] in
      for service in services {
        service.health.drain()
        service.plugin.drain()
      }
    }
    // Stopped from the last to the first: first not ready, then no new requests, then the workers.
    // Who faces the public takes events by the private port.
    let events = front.manifest.isEdge ? operations : server
    let ownURL = try settings[PlatformSettings.serviceURL]
    let eventScheme = front.manifest.isEdge || tls == nil ? "http" : "https"
    let eventHost = front.manifest.isEdge ? privateHost : host
    let workers =
      try workers {
        if let ownURL { return ownURL }
        return await events.listeningPort().map { "\(eventScheme)://\(eventHost):\($0)" }
      } + (tls.map { [$0] } ?? [])
    let group = ServiceGroup(
      configuration: {
        var configuration = ServiceGroupConfiguration(
          services: (workers + [operations, server, announcer]).map {
            .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
          },
          gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
          logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
        )
        configuration.maximumGracefulShutdownDuration = .seconds((try? settings[PlatformSettings.drainSeconds]) ?? 20)
        return configuration
      }()
    )
    let outcome: Result<Void, any Error>
    do {
      // Apart from this task, so that cancelling it drains instead of cutting connections off.
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

  private func tlsIdentity(_ logger: Logger) throws -> TLSIdentity? {
    guard let files = try PlatformSettings.tlsFiles(settings) else { return nil }
    let seconds = try settings[PlatformSettings.tlsReloadSeconds]
    do { return try TLSIdentity(files: files, interval: .seconds(seconds), logger: logger) } catch {
      throw SettingError(PlatformSettings.tlsCertificate, "and tls.key cannot be used together: \(error)")
    }
  }

  /// - Parameter url: Where events for the process are to go, once it is known.
  private func workers(_ url: @escaping @Sendable () async -> String?) throws -> [any Service] {
    var workers: [any Service] = [
      RevocationFeed(
        auth: upstreams.client(of: AuthAPI.self, caller: front?.manifest.name ?? ""),
        tokens: tokens,
        time: time,
        logger: logging.logger("host")
      )
    ]
    workers.append(InstanceWatch(upstreams: upstreams, logger: logging.logger("host")))
    for (name, instances) in upstreams.elsewhere {
      metrics.gauge("upstream_instances_ejected", help: "Instances left out for now.", labels: [("service", name)]) {
        Double(instances.ejected)
      }
    }
    for service in services {
      let logger = logging.logger(service.manifest.name)
      workers += service.plugin.workers
      if let database = service.database {
        workers.append(AuditChaining(trail: AuditTrail(database), logger: logger))
      }
      if let database = service.database, !service.manifest.emits.isEmpty {
        workers.append(relay(service.manifest, database, logger))
      }
      for consumption in service.manifest.consumes {
        workers.append(
          Subscriber(
            name: service.manifest.name,
            url: url,
            consumption: consumption,
            client: upstreams.client(of: consumption.api, caller: service.manifest.name),
            logger: logger
          )
        )
      }
    }
    return workers
  }

  private func relay(_ manifest: Manifest, _ database: any Database, _ logger: Logger) -> EventRelay {
    let labels: Metrics.Labels = [("service", manifest.name)]
    metrics.gauge("db_writer_queue_depth", help: "Statements that wait for the database.", labels: labels) {
      Double(database.queueDepth)
    }
    return EventRelay(
      source: manifest.name,
      database: database,
      upstreams: upstreams,
      identity: identity,
      time: time,
      logger: logger,
      deadLetters: metrics.counter("outbox_dead_letters_total", help: "Deliveries that were parked.", labels: labels)
    )
  }

  /// Signs and checks the platform's addresses.
  package var urls: URLSigner { identity.urls }

  /// An assembled plugin, for the operator's commands.
  public func plugin<Plugin: ServicePlugin>(_ type: Plugin.Type) -> Plugin? {
    services.lazy.compactMap { $0.plugin as? Plugin }.first
  }

  /// Follows the audit chain of every service.
  public func verifyAudit() async throws -> [(service: String, verdict: AuditTrail.Verdict)] {
    var verdicts: [(String, AuditTrail.Verdict)] = []
    for service in services {
      guard let database = service.database else { continue }
      verdicts.append((service.manifest.name, try await AuditTrail(database).verify()))
    }
    return verdicts
  }

  /// Puts a new key in front of the ring's file, unless the ring comes from a setting, and encrypts every value of every
  /// service under the ring's first key.
  /// - Returns: How many values were encrypted anew.
  public func rotateDataKeys() async throws -> Int {
    if try settings[PlatformSettings.dataKeys] == nil { try dataKeys.addKey() }
    var count = 0
    for service in services {
      guard let database = service.database else { continue }
      count += try await dataKeys.reseal(service.manifest.sealedColumns, of: database)
    }
    return count
  }

  /// Lets go of databases, connections and threads.
  public func close() async {
    for service in services { await service.database?.close() }
    await http.shutdown()
    logging.sink.flush()
  }
}

/// Tells that the process is ready, and as the first to be stopped, that it no longer is.
private struct Announcer: Service {
  let onReady: @Sendable () async -> Void
  let onDrain: @Sendable () -> Void

  func run() async throws {
    await onReady()
    await withGracefulShutdownHandler {
      try? await gracefulShutdown()
    } onGracefulShutdown: {
      onDrain()
    }
  }
}
