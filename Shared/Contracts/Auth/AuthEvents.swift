/// An account was created.
public struct UserRegistered: Event {
  public static let type = "app.quintet.auth.user-registered"
  public var userID: UserID
  public var app: ClientApp
  public var subject: String { userID.rawValue }
  public init(userID: UserID, app: ClientApp) { (self.userID, self.app) = (userID, app) }
}

/// A guest signed up, with the same ID, or signed in to an existing account: what services keep for the guest now
/// belongs to the account.
public struct GuestSignedIn: Event {
  public static let type = "app.quintet.auth.guest-signed-in"
  public var guestID: UserID
  public var userID: UserID
  public var subject: String { userID.rawValue }
  public init(guestID: UserID, userID: UserID) { (self.guestID, self.userID) = (guestID, userID) }
}

/// A profile was changed; consumers that need it read it again.
public struct UserChanged: Event {
  public static let type = "app.quintet.auth.user-changed"
  public var userID: UserID
  public var version: Int
  public var subject: String { userID.rawValue }
  public init(userID: UserID, version: Int) { (self.userID, self.version) = (userID, version) }
}

/// An account has another e-mail address, or its user has proved control of the address; consumers that need it ask for
/// it (``AuthAPI/GetVerifiedAddresses``).
public struct UserAddressVerified: Event {
  public static let type = "app.quintet.auth.user-address-verified"
  public var userID: UserID
  public var subject: String { userID.rawValue }
  public init(userID: UserID) { self.userID = userID }
}

/// An account was deleted; services that store personal data of the user erase it.
public struct UserDeleted: Event {
  public static let type = "app.quintet.auth.user-deleted"
  public var userID: UserID
  public var subject: String { userID.rawValue }
  public init(userID: UserID) { self.userID = userID }
}

/// A session ended before its tokens expired.
public struct SessionEnded: Event {
  public enum Reason: String, WireEnum {
    case logOut, ended, displaced, refreshTokenReused, passwordChanged, rolesChanged, disabled, deleted
    /// It was not used for as long as the user or the platform allows.
    case inactive
    /// The user has reported a sign-in as not theirs.
    case denied
  }

  public static let type = "app.quintet.auth.session-ended"
  public var sessionID: SessionID
  public var userID: UserID
  public var reason: Reason
  public var subject: String { userID.rawValue }
  public init(sessionID: SessionID, userID: UserID, reason: Reason) {
    (self.sessionID, self.userID, self.reason) = (sessionID, userID, reason)
  }
}
