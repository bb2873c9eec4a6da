public import Contracts
public import Persistence
public import ServiceLifecycle

/// A part of a service: what it answers, what it does beside requests, and what it stores about users, in one place.
/// Only what a feature has needs to be written; everything has a default.
public protocol Feature: Sendable {
  /// Registers what answers the feature's endpoints and events.
  func register(in routes: inout Routes)

  /// Called once when every service of the process is mounted, before it listens.
  func prepare() async throws

  /// Background work, stopped in reverse order.
  var workers: [any Service] { get }

  /// The dependencies that the feature uses beside the database, and can do without for a while.
  var dependencies: [Dependency] { get }

  /// Ends what would otherwise not end, such as streams; called before the process stops accepting requests.
  func drain()

  /// Everything that the feature stores about a user, by the names of the export's sections.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)]

  /// Deletes the personal data of a user whose account has been deleted, in the transaction that notes the deletion.
  func erase(_ user: UserID, in tx: Transaction) throws
}

extension Feature {
  public func register(in routes: inout Routes) {}
  public func prepare() async throws {}
  public var workers: [any Service] { [] }
  public var dependencies: [Dependency] { [] }
  public func drain() {}
  public func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] { [] }
  public func erase(_ user: UserID, in tx: Transaction) throws {}
}
