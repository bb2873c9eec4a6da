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
  /// The kinds of realtime topics that it has, such as `auction`.
  public var topics: [String]
  /// The kinds of objects whose links it answers for, such as `listing`.
  public var previews: [String]
  /// Events that it consumes from every service that emits them; for the edge.
  public var consumesFromAll: [any Event.Type]
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

  /// The services behind the edge.
  var fronted: [String] = []

  /// The events that are consumed from one service.
  public struct Consumption: Sendable {
    var service: String
    var events: [any Event.Type]

    public init(from api: any ServiceAPI.Type, _ events: [any Event.Type]) {
      self.init(from: api.name, events)
    }

    init(from service: String, _ events: [any Event.Type]) { (self.service, self.events) = (service, events) }
  }

  public init(
    name: String,
    api: (any ServiceAPI.Type)? = nil,
    calls: [any ServiceAPI.Type] = [],
    emits: [any Event.Type] = [],
    topics: [String] = [],
    previews: [String] = [],
    consumes: [Consumption] = [],
    consumesFromAll: [any Event.Type] = [],
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
    self.topics = topics
    self.previews = previews
    self.consumes = consumes
    self.consumesFromAll = consumesFromAll
    self.optionalDependencies = optionalDependencies
    self.migrations = migrations
    self.sealedColumns = sealedColumns
    self.settings = settings
    self.isEdge = isEdge
  }

  /// Its migrations after those of the platform's own tables, in the order in which they are applied.
  package var allMigrations: [Migration] { PlatformMigrations.all + migrations }

  package var needsDatabase: Bool { !migrations.isEmpty || !emits.isEmpty || !consumes.isEmpty }

  /// The services that it calls or consumes events from.
  var peers: Set<String> { Set(calls.map { $0.name } + consumes.map(\.service)) }

  /// The manifest in a process: without the optional services that are absent and, for the edge, with those behind it.
  ///
  /// - Parameters:
  ///   - manifests: The manifests of the process.
  ///   - remotes: The services whose URL is set.
  func resolved(among manifests: [Manifest], remotes: Set<String>) -> Manifest {
    let locals = Set(manifests.map(\.name))
    var resolved = self
    for api in optionalDependencies where !locals.contains(api.name) && !remotes.contains(api.name) {
      resolved.calls.removeAll { $0.name == api.name }
      resolved.consumes.removeAll { $0.service == api.name }
    }
    guard isEdge else { return resolved }
    resolved.fronted = locals.union(remotes).subtracting([name]).sorted()
    for service in resolved.fronted {
      let emitted = manifests.first { $0.name == service }?.emits.map { $0.type }
      // The events that a remote service emits are not known here; one that emits nothing refuses the subscription.
      let events = consumesFromAll.filter { emitted?.contains($0.type) ?? true }
      if let index = resolved.consumes.firstIndex(where: { $0.service == service }) {
        resolved.consumes[index].events += events
      } else if !events.isEmpty {
        resolved.consumes.append(Consumption(from: service, events))
      }
    }
    return resolved
  }
}
