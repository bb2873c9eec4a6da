public import Contracts
public import Logging
public import Persistence

/// Who calls an endpoint, and how.
public struct Call: Sendable {
  /// Who calls.
  public enum Caller: Sendable {
    case anonymous
    case user(UserCaller)
    case service(String)
  }

  public let caller: Caller
  public let context: RequestContext
  /// For keyed operations; given to ``Persistence/Transaction/once(_:_:)``.
  public let keyed: KeyedRequest?

  /// The signed-in user.
  /// - Throws: ``Problem`` 401 when the endpoint lets anyone in and nobody is signed in.
  public var user: UserCaller {
    get throws {
      guard case .user(let user) = caller else { throw Problem(.tokenMissing) }
      return user
    }
  }

  public var logger: Logger { context.logger }
}

/// A user as the access token describes one.
public struct UserCaller: Sendable, Hashable {
  public let id: UserID
  public let sessionID: SessionID
  public let app: ClientApp
  public let scopes: Set<String>
  public let roles: Set<Role>
  public let expiresAt: Timestamp

  public init(
    id: UserID,
    sessionID: SessionID,
    app: ClientApp,
    scopes: Set<String>,
    roles: Set<Role>,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.sessionID = sessionID
    self.app = app
    self.scopes = scopes
    self.roles = roles
    self.expiresAt = expiresAt
  }
}
