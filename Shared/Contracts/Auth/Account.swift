/// Names a user in ids.
public enum UserSubject {}
public typealias UserID = ID<UserSubject>

/// Names a session in ids.
public enum SessionSubject {}
public typealias SessionID = ID<SessionSubject>

/// The apps that may sign users in; the app is the `aud` of its tokens.
public enum ClientApp: String, WireEnum {
  case archived, keepfit, yesenia, roomi, letustudy, web

  /// What tokens of the app allow.
  public var scopes: [String] { ["account"] }
}

/// What a user sees of the own account.
public struct Account: Codable, Sendable, Equatable, Versioned {
  public var id: UserID
  public var email: String
  public var username: String
  public var displayName: String
  public var bio: String?
  public var roles: [Role]
  public var createdAt: Timestamp
  /// Counts the changes; also in `ETag`.
  public var version: Int

  public init(
    id: UserID,
    email: String,
    username: String,
    displayName: String,
    bio: String?,
    roles: [Role],
    createdAt: Timestamp,
    version: Int
  ) {
    self.id = id
    self.email = email
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.roles = roles
    self.createdAt = createdAt
    self.version = version
  }
}

/// What others see of a user.
public struct Profile: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String
  public var displayName: String
  public var bio: String?
  public var createdAt: Timestamp

  public init(id: UserID, username: String, displayName: String, bio: String?, createdAt: Timestamp) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.createdAt = createdAt
  }
}

/// The answer of every way to sign in.
public struct Authentication: Codable, Sendable {
  public var user: Account
  public var accessToken: String
  public var refreshToken: String
  /// Always `Bearer`.
  public var tokenType: String
  /// Seconds for which the access token is valid.
  public var expiresIn: Int
  public var session: SessionID

  public init(user: Account, accessToken: String, refreshToken: String, expiresIn: Int, session: SessionID) {
    self.user = user
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    tokenType = "Bearer"
    self.expiresIn = expiresIn
    self.session = session
  }
}

/// Public keys as RFC 7517 writes them; P-256 keys of RFC 7518 §6.2 only.
public struct JSONWebKeySet: Codable, Sendable, Equatable {
  public struct Key: Codable, Sendable, Equatable {
    public var kty: String
    public var crv: String
    public var use: String
    public var alg: String
    public var kid: String
    public var x: String
    public var y: String

    public init(kid: String, x: String, y: String) {
      kty = "EC"
      crv = "P-256"
      use = "sig"
      alg = "ES256"
      self.kid = kid
      self.x = x
      self.y = y
    }
  }

  public var keys: [Key]
  public init(keys: [Key]) { self.keys = keys }
}

/// A session that ended before its tokens did.
public struct RevokedSession: Codable, Sendable, Equatable {
  public var id: SessionID
  public var revokedAt: Timestamp

  public init(id: SessionID, revokedAt: Timestamp) {
    self.id = id
    self.revokedAt = revokedAt
  }
}

/// The answer to ``AuthAPI/ListRevokedSessions``.
public struct RevokedSessions: Codable, Sendable {
  public var items: [RevokedSession]
  /// Ask again from here; overlaps with what was answered, so that a slow commit is not missed.
  public var next: Timestamp

  public init(items: [RevokedSession], next: Timestamp) {
    self.items = items
    self.next = next
  }
}
