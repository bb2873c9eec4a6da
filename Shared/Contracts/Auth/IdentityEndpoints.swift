/// A person's account at a provider, such as Google or Apple, that signs in to an account.
public struct LinkedIdentity: Codable, Sendable, Equatable {
  public var id: String
  /// The provider's issuer, such as `https://accounts.google.com`.
  public var issuer: String
  public var createdAt: Timestamp
  public init(id: String, issuer: String, createdAt: Timestamp) {
    (self.id, self.issuer, self.createdAt) = (id, issuer, createdAt)
  }
}

extension AuthAPI {
  public struct ListIdentities: Endpoint {
    public typealias Response = Page<LinkedIdentity>
    public static let operation = Operation.get(
      "/v1/auth/identities", "List the caller's identities at sign-in providers")
    public init() {}
  }

  /// Requires a recent proof. The only way to sign in cannot be deleted.
  public struct DeleteIdentity: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auth/identities/{id}", "Delete one of the caller's identities at sign-in providers", success: 204,
      problems: [.identityNotFound, .lastSignInMethod, .recentSignInRequired]
    )
    public var id: String
    public init(id: String) { self.id = id }
  }
}

extension Problem.Kind {
  public static let identityNotFound = Self(
    "identity-not-found", status: 404, "There is no such identity",
    meaning: "The account is not linked to this identity of a sign-in provider.",
    remedy: "Load the linked identities again.")
  public static let lastSignInMethod = Self(
    "last-sign-in-method", status: 409, "The account could not be signed in to any more",
    meaning: "Without this method, no one could sign in to the account any more.",
    remedy: "Let the user add a password, a passkey or another provider first.")
  public static let linkNeedsPassword = Self(
    "link-needs-password", status: 401, "There is an account with the address; its password is needed to link it",
    meaning: "The sign-in provider confirms an address that an account with a password has already.",
    remedy: "Ask for the account's password and send it as `password` with the same request, which links both.")
}
