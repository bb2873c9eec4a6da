public import Contracts
public import CurlClient
public import Logging
public import Persistence

/// Everything a service is given.
public struct ServiceEnvironment: Sendable {
  /// The service's name.
  public let name: String
  public let settings: Settings
  public let logger: Logger
  public let metrics: Metrics
  public let time: TimeSource
  public let ids: IDGenerator
  /// The folder for files that the service keeps beside its database.
  public let dataFolder: String
  /// The keys under which personal data is kept.
  public let dataKeys: DataKeys
  /// The HTTP client of the process, for addresses outside the platform.
  public let http: CurlClient
  /// Checks users' access tokens.
  public let tokens: TokenVerifier
  /// Signs addresses that let their bearers in for a while.
  public let urls: URLSigner
  /// The other services, by what is known of them.
  public let upstreams: Upstreams
  /// Names of the services that it speaks to: those of its manifest, but for what it may lack and there is not.
  public let peers: Set<String>
  let ownDatabase: (any Database)?

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

  /// A typed client of a called service; calls carry this service's token.
  public func client(of api: any ServiceAPI.Type) -> APIClient { upstreams.client(of: api, caller: name) }

  /// Clients of the services that have subscribed to an event of this one.
  public func consumers(of event: any Event.Type) async throws -> [(name: String, client: APIClient)] {
    try await Outbox(database: database).subscribers(of: event.type).map { subscriber in
      (subscriber.name, upstreams.client(of: subscriber.name, at: subscriber.url, caller: name))
    }
  }
}
