public import Contracts
public import Persistence
import ServiceLifecycle

/// A service, which a host runs alone in a process or together with others.
///
/// All dependencies are injected; there is no global state.
public protocol ServicePlugin: Sendable {
  /// Describes what the service provides and requires.
  static var manifest: Manifest { get }

  /// Creates the service. Databases have been migrated and clients are ready.
  init(environment: ServiceEnvironment) async throws

  /// The parts of the service: what they register, run, export and erase is all that it does. The host does not start
  /// when an endpoint or event of the manifest has no handler.
  var features: [any Feature] { get }
}

extension ServicePlugin where Self: Feature {
  /// A small service is its only feature.
  public var features: [any Feature] { [self] }
}

extension ServicePlugin {
  /// Everything that the service stores about a user, read in one transaction.
  package func export(_ user: UserID, from database: any Database) async throws -> JSONValue {
    let features = features
    return try await database.read { db in
      .object(try features.flatMap { try $0.export(user, in: db) }.map { ($0.section, $0.content) })
    }
  }

  /// Deletes the personal data of a user in every feature and in the platform's own tables.
  package func eraseAll(of user: UserID, in tx: Transaction) throws {
    for feature in features { try feature.erase(user, in: tx) }
    try tx.erase(user)
  }

  /// Runs what is due now, for tests whose workers do not run.
  ///
  /// - Parameter name: Only the worker of that name; all by default.
  /// - Returns: How much was due.
  @discardableResult
  package func runOnce(_ name: String? = nil) async throws -> Int {
    var count = 0
    for case let worker as any Worker in features.flatMap(\.workers) where name == nil || worker.name == name {
      count += try await worker.runOnce()
    }
    return count
  }
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
  public var optionalDependencies: [any ServiceAPI.Type]
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
    optionalDependencies: [any ServiceAPI.Type] = [],
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
    self.optionalDependencies = optionalDependencies
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
    for api in optionalDependencies where try !isPresent(api.name) {
      reduced.calls.removeAll { $0.name == api.name }
      reduced.consumes.removeAll { $0.api.name == api.name }
    }
    return reduced
  }
}
