public import Contracts
public import Persistence
public import ServiceLifecycle

/// A service: a value that a host runs alone in a process or together with others.
///
/// Everything it needs is handed to it; nothing is global.
public protocol ServicePlugin: Sendable {
  /// What the service is and needs; the first thing to read.
  static var manifest: Manifest { get }

  /// Makes the service. Databases are migrated and clients are ready.
  init(environment: ServiceEnvironment) async throws

  /// Says what answers each endpoint and event. The host refuses to start when one of the manifest is missing.
  func register(in routes: inout Routes)

  /// Work that goes on beside requests; stopped in reverse order.
  var workers: [any Service] { get }

  /// Called before the process stops taking requests: answers that would go on for ever, such as streams, end now.
  func drain()

  /// Everything that the service keeps about a user, for the user's own eyes. A service that keeps anything consumes
  /// ``Contracts/UserDeleted`` too, by which auth knows whom to ask.
  func personalData(of user: UserID) async throws -> JSONValue
}

extension ServicePlugin {
  public var workers: [any Service] { [] }
  public func drain() {}
  public func personalData(of user: UserID) async throws -> JSONValue { .object([JSONValue.Member]()) }
}

/// What a service is and needs.
public struct Manifest: Sendable {
  /// Name in settings, tokens, metrics and the database's file or schema.
  public var name: String
  /// The endpoints it implements; `nil` for the gateway, which has none of its own.
  public var api: (any ServiceAPI.Type)?
  /// APIs of other services that it calls.
  public var calls: [any ServiceAPI.Type]
  /// Events that it tells.
  public var emits: [any Event.Type]
  /// Events of other services that it wants, by the service that emits them.
  public var consumes: [Consumption]
  /// Of those two, APIs without which it does its work as well: where nobody says where their service is, there is none.
  public var mayLack: [any ServiceAPI.Type]
  /// Its database's history; empty when it has no database.
  public var migrations: [Migration]
  /// Columns that hold encrypted values, besides those of the platform's own tables.
  public var sealedColumns: [SealedColumn]
  /// Settings of its own.
  public var settings: [any SettingDescription]
  /// The public door: faces callers that cannot be trusted, and in a process with others it alone listens.
  public var isEdge: Bool

  /// Events of one service.
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

  /// Every other service that it speaks to.
  var peers: [any ServiceAPI.Type] {
    (calls + consumes.map(\.api)).reduce(into: []) { peers, api in
      if !peers.contains(where: { $0.name == api.name }) { peers.append(api) }
    }
  }

  /// The manifest where only some services are.
  func reduced(to isPresent: (String) throws(SettingError) -> Bool) throws(SettingError) -> Manifest {
    var reduced = self
    for api in mayLack where try !isPresent(api.name) {
      reduced.calls.removeAll { $0.name == api.name }
      reduced.consumes.removeAll { $0.api.name == api.name }
    }
    return reduced
  }
}
