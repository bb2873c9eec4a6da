public import Contracts
public import CurlClient
package import Events
public import HTTPServing
public import Logging
public import Observability
public import Persistence

/// The dependencies that the host passes to a service: its own, and those of the process.
public struct ServiceEnvironment: Sendable {
  /// The values that all services of the process share.
  let process: ProcessEnvironment
  /// The service's name.
  public let name: String
  /// Names of the services behind the edge, in this process and elsewhere. Other services have none.
  public let fronted: [String]
  /// The database's clock, where instances share one.
  public let time: TimeSource
  public let ids: IDGenerator
  public let logger: Logger
  /// Signs URLs of other services in the name of this one, and verifies theirs.
  public let serviceURLs: ServiceURLs
  /// Replaced by tests that record its statements.
  package var ownDatabase: (any Database)?
  let signalReceivers = SignalReceivers()

  init(
    _ process: ProcessEnvironment, _ manifest: Manifest, time: TimeSource, ids: IDGenerator, _ database: (any Database)?
  ) {
    (self.process, self.time, self.ids, ownDatabase) = (process, time, ids, database)
    (name, fronted, logger) = (manifest.name, manifest.fronted, process.logging.logger(manifest.name))
    serviceURLs = ServiceURLs(identity: process.identity, service: manifest.name)
  }

  /// The service's database.
  /// - Throws: ``SettingError`` when its manifest declares no migrations, and so no database.
  public var database: any Database {
    get throws {
      guard let ownDatabase else {
        throw SettingError(message: "\(name) declares no migrations, so it has no database")
      }
      return ownDatabase
    }
  }

  /// The measurements of this process of the service in the last hour.
  public var measurements: ServiceMetrics { process.history.measurements(of: name) }

  /// Names for files that are removed after their use.
  public var temporaryFiles: TemporaryFiles { TemporaryFiles(dataFolder: dataFolder, ids: ids) }

  /// A typed client of a called service; calls carry this service's token.
  public func client(of api: any ServiceAPI.Type) -> APIClient { client(of: api.name) }

  /// A client of a service that is known by its name only.
  public func client(of service: String) -> APIClient { upstreams.client(of: service, caller: name) }

  /// Clients of all services that have subscribed to events of this one.
  public func consumers() async throws -> [(name: String, client: APIClient)] {
    clients(of: try await Outbox(database: database).subscribers())
  }

  /// Clients of the services that have subscribed to an event of this one.
  public func consumers(of event: any Event.Type) async throws -> [(name: String, client: APIClient)] {
    clients(of: try await Outbox(database: database).subscribers(of: event.type))
  }

  private func clients(of subscribers: [(name: String, url: String)]) -> [(name: String, client: APIClient)] {
    subscribers.map { ($0.name, upstreams.client(of: $0.name, at: $0.url, caller: name)) }
  }
}

// MARK: - what the process provides

extension ServiceEnvironment {
  public var settings: Settings { process.settings }
  public var metrics: Metrics { process.metrics }
  /// The folder for files that the service stores outside its database.
  public var dataFolder: String { process.dataFolder }
  /// The keys that encrypt personal data.
  public var dataKeys: DataKeys { process.dataKeys }
  /// The HTTP client of the process, for addresses outside the platform.
  public var http: CurlClient { process.clients.outside }
  /// Verifies users' access tokens.
  public var tokens: TokenVerifier { process.tokens }
  /// The features that administrators have switched off for everyone.
  public var switches: FeatureSwitches { process.switches }
  /// Signs URLs of this service that grant temporary access to their bearer.
  public var urls: URLSigner { process.urls }
  /// Locates the other services.
  public var upstreams: Upstreams { process.upstreams }
  /// The broker of the platform; `nil` when its services send events directly.
  package var bus: EventBus? { process.bus }
  package var conditions: TestConditions { process.conditions }
  /// Records spans, if `telemetry.url` is set.
  var tracer: Tracer? { process.tracer }
}
