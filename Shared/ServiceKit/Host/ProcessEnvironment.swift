import Contracts
import CurlClient
import Events
import Foundation
import Logging
import Observability
import Persistence

/// The values that the services of a process share. They are made before the first of them, which see them through their
/// ``ServiceEnvironment``; the ``Platform`` that runs them holds the same.
package final class ProcessEnvironment: Sendable {
  let settings: Settings
  let logging: ProcessLogging
  let time: TimeSource
  let conditions: TestConditions
  let clients: HTTPClients
  let upstreams: Upstreams
  let identity: ServiceIdentity
  let tokens: TokenVerifier
  let switches: FeatureSwitches
  let dataFolder: String
  let dataKeys: DataKeys
  let urls: URLSigner
  let databases: ServiceDatabases
  /// Wakes the other processes on the same PostgreSQL server.
  let notifications: PostgresNotifications?
  /// The clock of the database that instances share.
  let databaseClock: DatabaseClock?
  let bus: EventBus?
  let metrics = Metrics()
  let history: MetricsHistory
  let tracer: Tracer?

  /// - Parameter manifests: The manifests of the services of the process.
  /// - Throws: ``SettingError`` that names what is missing or wrong.
  static func open(
    for manifests: [Manifest], _ settings: Settings, time: TimeSource, sink: LogSink, conditions: TestConditions
  ) async throws -> ProcessEnvironment {
    let clients = try HTTPClients(settings)
    do {
      return try ProcessEnvironment(
        manifests, settings, time: time, sink: sink, conditions: conditions, clients: clients)
    } catch {
      await clients.shutdown()
      throw error
    }
  }

  private init(
    _ manifests: [Manifest], _ settings: Settings, time: TimeSource, sink: LogSink, conditions: TestConditions,
    clients: HTTPClients
  ) throws {
    (self.settings, self.time, self.conditions, self.clients) = (settings, time, conditions, clients)
    logging = ProcessLogging(
      level: try settings[PlatformSettings.logLevel], format: try settings[PlatformSettings.logFormat], sink: sink,
      time: time)
    let logger = logging.logger("host")
    let instances = Upstreams.instances(try Self.remotes(of: manifests, settings))
    let trust = ServiceTrust(try PublishedServiceKeys.sources(settings, clients.inside, instances), logger: logger)
    identity = try Self.identity(of: manifests, settings, time, trust)
    upstreams = Upstreams(instances, http: clients.inside, identity: identity)
    history = MetricsHistory(of: metrics, time)
    let version = try settings[PlatformSettings.buildVersion]
    ProcessMetrics.observe(in: metrics, version: version)
    clients.outside.observe(in: metrics)
    let share = try settings[PlatformSettings.telemetryShare]
    tracer = try settings[PlatformSettings.telemetryURL].map { [metrics] origin in
      Tracer(
        origin: origin, share: share, http: clients.outside, version: version,
        instance: IDGenerator(time: time).text(), metrics: metrics)
    }
    bus = try EventBus.load(settings, name: manifests.map(\.name).joined(separator: " "), metrics: metrics)
    let auth = upstreams.client(of: AuthAPI.name, caller: manifests.first?.name ?? "quintet")
    let revocations = RevocationFeed(time: time) { try await auth.send($0) }
    tokens = TokenVerifier(time: time, revocations: revocations, maxLifetime: conditions.maxTokenLifetime) {
      try await auth.send(AuthAPI.GetKeys())
    }
    switches = FeatureSwitches { try await auth.send(AuthAPI.ReadFeatures()) }
    // Programs that a service starts work in other folders.
    dataFolder = try settings[PlatformSettings.data].absolutePath
    dataKeys = try DataKeys.load(settings, dataFolder: dataFolder)
    urls = URLSigner(dataKeys)
    databases = try ServiceDatabases(settings, dataFolder: dataFolder)
    // Instances that share a database share its clock too; a test's clock is already the same for all of them.
    databaseClock = try time.isLocal ? settings[PlatformSettings.databaseURL].map { _ in DatabaseClock(time) } : nil
    // A pooler in transaction mode passes no notifications on; the other instances then poll.
    let notifiedURL = try settings[PlatformSettings.databasePooled] ? nil : settings[PlatformSettings.databaseURL]
    notifications = notifiedURL.map { PostgresNotifications(url: $0, logger: logger) }
  }

  /// Ends connections and flushes the log; the services' databases are closed before.
  func close() async {
    await notifications?.close()
    upstreams.unmountAll()
    // The last spans; a collector that is away does not keep the process.
    try? await tracer?.flush()
    await clients.shutdown()
    bus?.close()
    logging.sink.flush()
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
    let isWhole = manifests.areWhole
    let isSet = try settings[ServiceSettings.privateKeys] != nil
    var own: [String: ServiceKeys] = [:]
    for manifest in manifests {
      own[manifest.name] = isWhole && !isSet ? .inMemory() : try .load(manifest.name, settings)
    }
    return ServiceIdentity(own, trust: trust, time: time)
  }
}

extension [Manifest] {
  /// Whether they are all services of the platform.
  var areWhole: Bool {
    let names = Set(map(\.name))
    return contains(where: \.isEdge) && allSatisfy { $0.peers.union($0.fronted).isSubset(of: names) }
  }
}

/// The HTTP clients of a process.
struct HTTPClients: Sendable {
  /// For addresses outside the platform.
  let outside: CurlClient
  /// For the other services; the same when they talk in cleartext.
  let inside: CurlClient

  init(_ settings: Settings) throws(SettingError) {
    let own = try InternalTLS.client(settings)
    outside = CurlClient()
    inside = own ?? outside
  }

  func shutdown() async {
    await outside.shutdown()
    if inside !== outside { await inside.shutdown() }
  }
}

extension CurlClient {
  fileprivate func observe(in metrics: Metrics) {
    metrics.counter("http_client_requests_total", help: "Requests sent to other services.") { self.statistics.requests }
    metrics.counter("http_client_failures_total", help: "Requests without a response.") { self.statistics.failures }
    metrics.counter("http_client_retries_total", help: "Attempts after the first.") { self.statistics.retries }
    metrics.counter("curl_new_connections_total", help: "Connections opened.") { self.statistics.newConnections }
    metrics.gauge("http_client_in_flight", help: "Requests in flight.") { Double(self.statistics.inFlight) }
    metrics.gauge("upstream_circuits_open", help: "Origins with an open circuit breaker.") {
      Double(self.statistics.openCircuits)
    }
  }
}

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
