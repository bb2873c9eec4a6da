public import Contracts
public import CurlClient
public import Logging
public import Persistence

/// The dependencies that the host passes to a service.
public struct ServiceEnvironment: Sendable {
  /// The service's name.
  public let name: String
  public let settings: Settings
  public let logger: Logger
  public let metrics: Metrics
  public let time: TimeSource
  public let ids: IDGenerator
  /// The folder for files that the service stores outside its database.
  public let dataFolder: String
  /// The keys that encrypt personal data.
  public let dataKeys: DataKeys
  /// The HTTP client of the process, for addresses outside the platform.
  public let http: CurlClient
  /// Verifies users' access tokens.
  public let tokens: TokenVerifier
  /// The features that administrators have switched off for everyone.
  public let switches: FeatureSwitches
  /// Signs URLs of this service that grant temporary access to their bearer.
  public let urls: URLSigner
  /// Signs URLs of other services in the name of this one, and verifies theirs.
  public let serviceURLs: ServiceURLs
  /// Locates the other services.
  public let upstreams: Upstreams
  /// Names of the services behind the edge, in this process and elsewhere. Other services have none.
  public let fronted: [String]
  /// The broker of the platform; `nil` when its services send events directly.
  package let bus: EventBus?
  package let conditions: TestConditions
  /// Replaced by tests that record its statements.
  package var ownDatabase: (any Database)?
  /// Records spans, if `telemetry.url` is set.
  var tracer: Tracer?
  let history: MetricsHistory
  let signalReceivers = SignalReceivers()

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
  public var measurements: ServiceMetrics { history.measurements(of: name) }

  /// Names for files that are removed after their use.
  public var temporaryFiles: TemporaryFiles { TemporaryFiles(dataFolder: dataFolder, ids: ids) }

  /// A typed client of a called service; calls carry this service's token.
  public func client(of api: any ServiceAPI.Type) -> APIClient { client(of: api.name) }

  /// A client of a service that is known by its name only.
  public func client(of service: String) -> APIClient { upstreams.client(of: service, caller: name) }

  /// Clients of all services that have subscribed to events of this one.
  public func consumers() async throws -> [(name: String, client: APIClient)] {
    try await Outbox(database: database).subscribers().map { subscriber in
      (subscriber.name, upstreams.client(of: subscriber.name, at: subscriber.url, caller: name))
    }
  }

  /// Clients of the services that have subscribed to an event of this one.
  public func consumers(of event: any Event.Type) async throws -> [(name: String, client: APIClient)] {
    try await Outbox(database: database).subscribers(of: event.type).map { subscriber in
      (subscriber.name, upstreams.client(of: subscriber.name, at: subscriber.url, caller: name))
    }
  }
}
