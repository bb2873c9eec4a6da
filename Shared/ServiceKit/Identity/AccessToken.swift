import Contracts
public import JWTKit

/// The claims of an access token (RFC 9068).
public struct AccessClaims: JWTPayload {
  public var iss: String
  public var sub: String
  public var aud: String
  public var sid: String
  /// Set in tokens of clients, which do not act on behalf of a user.
  public var clientID: String?
  public var scope: String
  public var roles: [String]
  public var iat: Int64
  public var exp: Int64
  public var jti: String
  /// The features that the user's plans unlock (``FeatureName``); absent when there are none.
  public var ent: [String]?
  /// When the user last proved who they are: by sign-in or by a later proof.
  public var authTime: Int64?
  /// How (RFC 8176).
  public var amr: [String]?
  /// Whether the user is a minor without a guardian's consent; absent for others.
  public var awaitsGuardian: Bool?

  private enum CodingKeys: String, CodingKey {
    case iss, sub, aud, sid
    case clientID = "client_id"
    case scope, roles, iat, exp, jti, ent, amr
    case authTime = "auth_time"
    case awaitsGuardian = "awaits_guardian"
  }

  public init(
    iss: String,
    sub: String,
    aud: String,
    sid: String,
    clientID: String? = nil,
    scope: String,
    roles: [String],
    iat: Int64,
    exp: Int64,
    jti: String,
    ent: [String]? = nil,
    authTime: Int64? = nil,
    amr: [String]? = nil,
    awaitsGuardian: Bool? = nil
  ) {
    self.iss = iss
    self.sub = sub
    self.aud = aud
    self.sid = sid
    self.clientID = clientID
    self.scope = scope
    self.roles = roles
    self.iat = iat
    self.exp = exp
    self.jti = jti
    self.ent = ent
    self.authTime = authTime
    self.amr = amr
    self.awaitsGuardian = awaitsGuardian
  }

  /// Times are checked by ``TokenVerifier``, which has the clock.
  public func verify(using algorithm: some JWTAlgorithm) {}

  /// Converts the claims to a caller; `nil` when a claim has a value that this platform does not issue.
  func caller() -> UserCaller? {
    guard let id = UserID(sub), let sessionID = SessionID(sid), let app = ClientApp(rawValue: aud),
      let expiresAt = Timestamp(seconds: exp)
    else { return nil }
    return UserCaller(
      id: id,
      sessionID: sessionID,
      app: app,
      scopes: Set(scope.split(separator: " ").map(String.init)),
      roles: Set(roles.compactMap(Role.init(rawValue:))),
      entitlements: Set((ent ?? []).map { FeatureName(checked: $0) }),
      isClient: clientID != nil,
      provedAt: authTime.flatMap { Timestamp(seconds: $0) },
      methods: Set((amr ?? []).compactMap(AuthenticationMethod.init(rawValue:))),
      awaitsGuardian: awaitsGuardian ?? false,
      expiresAt: expiresAt
    )
  }
}

/// The issuer of the platform's tokens.
public enum Issuer {
  public static let name = "quintet"
  /// The `typ` header of access tokens (RFC 9068 §2.1); prevents the use of other tokens as access tokens.
  public static let accessTokenType = "at+jwt"
}
