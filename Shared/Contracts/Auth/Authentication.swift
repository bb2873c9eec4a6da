/// The response of every sign-in endpoint.
public struct Authentication: Codable, Sendable {
  public var user: Account
  public var accessToken: String
  public var refreshToken: String
  /// Always `Bearer`.
  public var tokenType: String
  /// Lifetime of the access token in seconds.
  public var expiresIn: Int
  public var session: SessionID
  /// Profile fields that the app asks every user for and that are still empty.
  public var missingFields: [ProfileField]
  /// Identifies the device at its next sign-in to this account (``AuthAPI/LogIn``). In responses to sign-up, upgrade and
  /// sign-in with a password; kept by the app after logging out.
  public var deviceSecret: String?
  /// Present when the roles allow administration, but the token does not, for want of a second factor.
  public var missingFactor: MissingFactor?
  /// Whether the app should offer a passkey now: the account has none, and may add one without another proof.
  public var offersPasskey: Bool?
  public init(
    user: Account, accessToken: String, refreshToken: String, expiresIn: Int, session: SessionID,
    missingFields: [ProfileField], deviceSecret: String? = nil, missingFactor: MissingFactor? = nil,
    offersPasskey: Bool? = nil
  ) {
    (self.missingFactor, self.offersPasskey) = (missingFactor, offersPasskey)
    (self.user, self.accessToken, self.refreshToken, self.tokenType) = (user, accessToken, refreshToken, "Bearer")
    (self.expiresIn, self.session, self.missingFields) = (expiresIn, session, missingFields)
    self.deviceSecret = deviceSecret
  }
}

/// The response of the token endpoint (RFC 6749 §5.1).
public struct ClientToken: Codable, Sendable, Equatable {
  public var accessToken: String
  public var tokenType: String
  /// Lifetime of the token in seconds.
  public var expiresIn: Int
  public var scope: String

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case scope
  }

  public init(accessToken: String, expiresIn: Int, scope: String) {
    (self.accessToken, self.tokenType, self.expiresIn, self.scope) = (accessToken, "Bearer", expiresIn, scope)
  }
}
