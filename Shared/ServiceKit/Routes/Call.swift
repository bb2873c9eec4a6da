public import Contracts
public import HTTPTypes
public import Logging
public import Persistence

/// The context of a call to an endpoint: the caller, the headers, and the raw body.
public struct Call: Sendable {
  /// The authenticated caller.
  public enum Caller: Sendable {
    case anonymous
    case user(UserCaller)
    case service(String)
  }

  public let caller: Caller
  public let context: RequestContext
  public let headers: HTTPFields
  /// The raw body, for signature verification.
  public let body: [UInt8]
  /// The body of an operation that accepts files; removed after the call.
  public let file: BodyFile?
  /// The idempotency key of keyed operations; passed to ``Persistence/Transaction/idempotent(_:_:)``.
  public let idempotencyKey: IdempotentRequest?

  /// The signed-in user.
  /// - Throws: ``Problem`` 401 when the endpoint is public and no user is signed in.
  public var user: UserCaller {
    get throws {
      guard case .user(let user) = caller else { throw Problem(.tokenMissing) }
      return user
    }
  }

  /// The signed-in user, if there is one.
  public var identifiedUser: UserCaller? {
    if case .user(let user) = caller { user } else { nil }
  }

  /// The sender of a verified token as recorded in the audit trail, for endpoints that anyone may call.
  public func auditActor(as user: UserCaller) -> AuditActor {
    if user.isClient { return AuditActor("client:\(user.id)", address: context.clientAddress) }
    return .user(user.id, session: user.sessionID, address: context.clientAddress, app: user.app)
  }

  /// The caller as recorded when data of others are read in the rights of staff; `nil` for everyone else.
  public var staffActor: AuditActor? { identifiedUser?.isStaff == true ? auditActor : nil }

  public var logger: Logger { context.logger }

  /// The caller as recorded in the audit trail.
  public var auditActor: AuditActor {
    switch caller {
    case .anonymous: AuditActor("anonymous", address: context.clientAddress)
    case .user(let user): auditActor(as: user)
    case .service(let name): AuditActor("service:\(name)", address: context.clientAddress)
    }
  }
}

/// A user as described by an access token.
public struct UserCaller: Sendable, Hashable {
  public let id: UserID
  public let sessionID: SessionID
  public let app: ClientApp
  public let scopes: Set<String>
  public let roles: Set<Role>
  /// Whether this is a member of staff who acts as one.
  public var isStaff: Bool {
    scopes.contains(Scope.administration.rawValue) && !roles.isDisjoint(with: [.owner, .administrator, .support])
  }
  /// The features that the user's plans unlocked when the token was issued.
  public let entitlements: Set<FeatureName>
  /// Whether this is a registered client: it may do what its roles and scopes allow, but has no account.
  public let isClient: Bool
  /// When the user last proved who they are, and how; unset for clients.
  public let provedAt: Timestamp?
  public let methods: Set<AuthenticationMethod>
  /// Whether this is a minor without a guardian's consent, who may not publish or share anything.
  public let awaitsGuardian: Bool
  public let expiresAt: Timestamp
  /// The key of auth that has signed the token; `nil` when there was no token.
  var keyID: String?

  public init(
    id: UserID,
    sessionID: SessionID,
    app: ClientApp,
    scopes: Set<String>,
    roles: Set<Role>,
    entitlements: Set<FeatureName> = [],
    isClient: Bool = false,
    provedAt: Timestamp? = nil,
    methods: Set<AuthenticationMethod> = [],
    awaitsGuardian: Bool = false,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.sessionID = sessionID
    self.app = app
    self.scopes = scopes
    self.roles = roles
    self.entitlements = entitlements
    self.isClient = isClient
    self.provedAt = provedAt
    self.methods = methods
    self.awaitsGuardian = awaitsGuardian
    self.expiresAt = expiresAt
  }
}
