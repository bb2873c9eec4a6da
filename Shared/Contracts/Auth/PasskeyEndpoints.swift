extension AuthAPI {
  /// Requires a recent proof.
  public struct PasskeyRegistrationOptions: Endpoint {
    public typealias Response = PasskeyCreationOptions
    public static let operation = Operation.post(
      "/v1/auth/passkeys/options", "Start adding a passkey", problems: [.recentSignInRequired, .tooManyPasskeys]
    )
    public init() {}
  }

  /// Requires a recent proof, and the answer to ``PasskeyRegistrationOptions`` of the same session.
  public struct AddPasskey: Endpoint {
    public typealias Response = EnrolledFactor
    public static let operation = Operation.post(
      "/v1/auth/passkeys", "Add a passkey", success: 201,
      problems: [.recentSignInRequired, .passkeyRefused, .passkeyKnown, .tooManyPasskeys],
      limits: .init(bodyBytes: 65_536)
    )
    public var name: ShortText
    public var credential: PasskeyAttestation
    public init(name: ShortText, credential: PasskeyAttestation) { (self.name, self.credential) = (name, credential) }
  }

  public struct ListPasskeys: Endpoint {
    public typealias Response = Page<Passkey>
    public static let operation = Operation.get("/v1/auth/passkeys", "List the caller's passkeys")
    public init() {}
  }

  public struct RenamePasskey: Endpoint {
    public typealias Response = Passkey
    public static let operation = Operation.patch(
      "/v1/auth/passkeys/{id}", "Rename one of the caller's passkeys", problems: [.passkeyNotFound],
      limits: .init(bodyBytes: 4096)
    )
    public var id: PasskeyID
    public var name: ShortText
    public init(id: PasskeyID, name: ShortText) { (self.id, self.name) = (id, name) }
  }

  /// Requires a recent proof.
  public struct DeletePasskey: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auth/passkeys/{id}", "Delete one of the caller's passkeys", success: 204,
      problems: [.passkeyNotFound, .recentSignInRequired]
    )
    public var id: PasskeyID
    public init(id: PasskeyID) { self.id = id }
  }

  /// Without a ticket, the user chooses one of the passkeys on the device, and needs no user name.
  public struct LogInPasskeyOptions: Endpoint {
    public typealias Response = PasskeyRequestOptions
    public static let operation = Operation.post(
      "/v1/auth/login/passkey/options", "Start a sign-in with a passkey", access: .anyone,
      problems: [.factorTicketInvalid, .tooManyAttempts], limits: .init(bodyBytes: 4096)
    )
    /// The ticket of a sign-in that needs a second factor (``CompleteLogIn``).
    public var ticket: String?
    public init(ticket: String? = nil) { self.ticket = ticket }
  }

  /// The passkey alone counts as two factors, because its authenticator has verified the user.
  public struct LogInWithPasskey: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/login/passkey", "Sign in with a passkey", access: .anyone,
      problems: [.passkeyRefused, .tooManyAttempts, .accountDisabled, .notAGuest, .refreshTokenInvalid],
      limits: .init(bodyBytes: 32_768)
    )
    public var credential: PasskeyAssertion
    public var app: ClientApp?
    /// An access token of the guest who signs in.
    public var guest: String?
    /// The guest's refresh token, needed with `guest`; it stays valid.
    public var guestRefreshToken: String?
    public init(
      credential: PasskeyAssertion, app: ClientApp? = nil, guest: String? = nil, guestRefreshToken: String? = nil
    ) {
      (self.credential, self.app, self.guest) = (credential, app, guest)
      self.guestRefreshToken = guestRefreshToken
    }
  }

  public struct ProofPasskeyOptions: Endpoint {
    public typealias Response = PasskeyRequestOptions
    public static let operation = Operation.post(
      "/v1/auth/proof/passkey", "Start a re-authentication with a passkey", problems: [.passkeyNotFound]
    )
    public init() {}
  }
}

extension Problem.Kind {
  public static let passkeyRefused = Self(
    "passkey-refused", status: 401, "The passkey was not accepted",
    meaning: "The passkey is unknown, its signature is wrong, or the challenge is used or expired.",
    remedy: "Start again with new options, or offer another way to sign in.")
  public static let passkeyKnown = Self(
    "passkey-known", status: 409, "The passkey is already registered",
    meaning: "The passkey is registered already.",
    remedy: "Show the passkeys of the account; nothing else is to do.")
  public static let passkeyNotFound = Self(
    "passkey-not-found", status: 404, "There is no such passkey",
    meaning: "The account has no such passkey.",
    remedy: "Load the passkeys again.")
  public static let tooManyPasskeys = Self(
    "too-many-passkeys", status: 409, "The account has too many passkeys",
    meaning: "The account has reached the limit of passkeys.",
    remedy: "Let the user delete a passkey first.")
}
