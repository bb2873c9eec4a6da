public typealias UserID = ID<Account>

/// An account as its user sees it.
public struct Account: Codable, Sendable, Equatable, Versioned {
  public var id: UserID
  /// Unset for guests and for users whose provider does not share an address.
  public var email: String?
  /// Whether the user has proved control of the address.
  public var isEmailVerified: Bool
  /// Unset until it is chosen.
  public var username: String?
  public var displayName: String
  /// Whether the account has a password; without one, the user signs in with a provider or is a guest.
  public var hasPassword: Bool
  public var details: ProfileDetails
  /// The visibility of each field of `details`.
  public var visibility: ProfileVisibility
  public var roles: [Role]
  /// Whether the user is subscribed to the newsletter.
  public var isSubscribed: Bool
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: UserID, email: String?, isEmailVerified: Bool, username: String?, displayName: String, hasPassword: Bool,
    details: ProfileDetails = ProfileDetails(), visibility: ProfileVisibility = ProfileVisibility(), roles: [Role],
    isSubscribed: Bool = false, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.email, self.isEmailVerified, self.username) = (id, email, isEmailVerified, username)
    (self.displayName, self.hasPassword, self.details) = (displayName, hasPassword, details)
    (self.visibility, self.roles, self.isSubscribed, self.createdAt) = (visibility, roles, isSubscribed, createdAt)
    self.version = version
  }
}

/// An account as administrators and support see it.
public struct AdministeredAccount: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String?
  public var displayName: String
  public var email: String?
  public var roles: [Role]
  public var isDisabled: Bool
  public var createdAt: Timestamp
  public init(
    id: UserID, username: String?, displayName: String, email: String?, roles: [Role], isDisabled: Bool,
    createdAt: Timestamp
  ) {
    (self.id, self.username, self.displayName, self.email, self.roles) = (id, username, displayName, email, roles)
    (self.isDisabled, self.createdAt) = (isDisabled, createdAt)
  }
}
