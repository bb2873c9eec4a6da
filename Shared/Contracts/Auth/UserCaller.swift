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
  package var keyID: String?

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
