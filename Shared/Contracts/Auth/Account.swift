/// Names a user in ids.
public enum UserSubject {}
public typealias UserID = ID<UserSubject>

/// Names a session in ids.
public enum SessionSubject {}
public typealias SessionID = ID<SessionSubject>

/// Names a medium, such as a profile photo, in ids.
public enum MediaSubject {}
public typealias MediaID = ID<MediaSubject>

/// What a user sees of the own account.
public struct Account: Codable, Sendable, Equatable, Versioned {
  public var id: UserID
  /// Unset for guests and for people of a provider that tells none.
  public var email: String?
  /// Whether the address has been proved to be the user's.
  public var isEmailVerified: Bool
  /// Unset until it is chosen.
  public var username: String?
  public var displayName: String
  /// Whether there is a password; without one, the user signs in with a provider or is a guest.
  public var hasPassword: Bool
  public var details: ProfileDetails
  /// Who may see each field of `details`.
  public var visibility: ProfileVisibility
  public var roles: [Role]
  /// Whether the user gets the newsletter.
  public var isSubscribed: Bool
  public var createdAt: Timestamp
  /// Counts the changes; also in `ETag`.
  public var version: Int

  public init(
    id: UserID,
    email: String?,
    isEmailVerified: Bool,
    username: String?,
    displayName: String,
    hasPassword: Bool,
    details: ProfileDetails = ProfileDetails(),
    visibility: ProfileVisibility = ProfileVisibility(),
    roles: [Role],
    isSubscribed: Bool = false,
    createdAt: Timestamp,
    version: Int
  ) {
    self.id = id
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.username = username
    self.displayName = displayName
    self.hasPassword = hasPassword
    self.details = details
    self.visibility = visibility
    self.roles = roles
    self.isSubscribed = isSubscribed
    self.createdAt = createdAt
    self.version = version
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
  /// Fields of the profile that the app asks every user for and that are not filled in yet.
  public var missingFields: [ProfileField]

  public init(
    user: Account,
    accessToken: String,
    refreshToken: String,
    expiresIn: Int,
    session: SessionID,
    missingFields: [ProfileField]
  ) {
    self.user = user
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    tokenType = "Bearer"
    self.expiresIn = expiresIn
    self.session = session
    self.missingFields = missingFields
  }
}
