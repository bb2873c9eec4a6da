public import Contracts
public import Persistence
public import ServiceLifecycle

/// A service, which a host runs alone in a process or together with others.
///
/// All dependencies are injected; there is no global state.
public protocol ServicePlugin: Sendable {
  /// Describes what the service provides and requires.
  static var manifest: Manifest { get }

  /// Creates the service. Databases have been migrated and clients are ready.
  init(environment: ServiceEnvironment) async throws

  /// Registers the handlers of endpoints and events. The host does not start when one from the manifest is missing.
  func register(in routes: inout Routes)

  /// Background services; stopped in reverse order.
  var workers: [any Service] { get }

  /// Called before the process stops accepting requests: unbounded responses, such as streams, must end now.
  func drain()

  /// All data that the service stores about a user, for the user's data export. A service that stores such data must
  /// also consume ``Contracts/UserDeleted``, because auth queries the subscribers of that event.
  func personalData(of user: UserID) async throws -> JSONValue
}

extension ServicePlugin {
  public var workers: [any Service] { [] }
  public func drain() {}
  public func personalData(of user: UserID) async throws -> JSONValue { .object([JSONValue.Member]()) }
}

/// Describes what a service provides and requires.
public struct Manifest: Sendable {
  /// Name in settings, tokens, metrics and the database's file or schema.
  public var name: String
  /// The endpoints it implements; `nil` for the gateway, which has no API.
  public var api: (any ServiceAPI.Type)?
  /// APIs of other services that it calls.
  public var calls: [any ServiceAPI.Type]
  /// Events that it emits.
  public var emits: [any Event.Type]
  /// Events of other services that it consumes, grouped by the emitting service.
  public var consumes: [Consumption]
  /// Optional APIs among `calls` and `consumes`: skipped when their service is neither in the process nor configured.
  public var mayLack: [any ServiceAPI.Type]
  /// Its database migrations; empty when it has no database.
  public var migrations: [Migration]
  /// Columns that hold encrypted values, besides those of the platform's own tables.
  public var sealedColumns: [SealedColumn]
  /// The service's own settings.
  public var settings: [any SettingDescription]
  /// Whether it is the edge, which faces untrusted callers and is the only service that listens in a shared process.
  public var isEdge: Bool

  /// The events that are consumed from one service.
  public struct Consumption: Sendable {
    public var api: any ServiceAPI.Type
    public var events: [any Event.Type]

    public init(from api: any ServiceAPI.Type, _ events: [any Event.Type]) {
      self.api = api
      self.events = events
    }
  }

  public init(
    name: String,
    api: (any ServiceAPI.Type)? = nil,
    calls: [any ServiceAPI.Type] = [],
    emits: [any Event.Type] = [],
    consumes: [Consumption] = [],
    mayLack: [any ServiceAPI.Type] = [],
    migrations: [Migration] = [],
    sealedColumns: [SealedColumn] = [],
    settings: [any SettingDescription] = [],
    isEdge: Bool = false
  ) {
    self.name = name
    self.api = api
    self.calls = calls
    self.emits = emits
    self.consumes = consumes
    self.mayLack = mayLack
    self.migrations = migrations
    self.sealedColumns = sealedColumns
    self.settings = settings
    self.isEdge = isEdge
  }

  var needsDatabase: Bool { !migrations.isEmpty || !emits.isEmpty || !consumes.isEmpty }

  /// The services that it calls or consumes events from.
  var peers: [any ServiceAPI.Type] {
    (calls + consumes.map(\.api)).reduce(into: []) { peers, api in
      if !peers.contains(where: { $0.name == api.name }) { peers.append(api) }
    }
  }

  /// The manifest without the optional services that are absent.
  func reduced(to isPresent: (String) throws(SettingError) -> Bool) throws(SettingError) -> Manifest {
    var reduced = self
    for api in mayLack where try !isPresent(api.name) {
      reduced.calls.removeAll { $0.name == api.name }
      reduced.consumes.removeAll { $0.api.name == api.name }
    }
    return reduced
  }
}
