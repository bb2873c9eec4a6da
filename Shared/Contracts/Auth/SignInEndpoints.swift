extension AuthAPI {
  /// An e-mail address or a username is enough beside the password; what else the app asks every user for is in
  /// `missingFields` of the response. To register with a photo, see ``Upgrade``.
  public struct SignUp: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/signup", "Create an account and sign in", access: .anyone, success: 201,
      problems: [.emailTaken, .usernameTaken, .passwordTooCommon, .switchedOff], limits: .init(bodyBytes: 4096),
      cost: .account
    )
    public var email: EmailAddress?
    public var username: Username?
    /// The username by default.
    public var displayName: DisplayName?
    public var password: Password
    /// The app that signs in; `web` by default.
    public var app: ClientApp?
    public init(
      email: EmailAddress? = nil, username: Username? = nil, displayName: DisplayName? = nil, password: Password,
      app: ClientApp? = nil
    ) {
      (self.email, self.username, self.displayName, self.password) = (email, username, displayName, password)
      self.app = app
    }
  }

  public struct LogIn: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/login", "Sign in with an e-mail address or a username", access: .anyone,
      problems: [
        .invalidCredentials, .tooManyAttempts, .accountDisabled, .notAGuest, .secondFactorRequired,
        .passwordChangeRequired, .refreshTokenInvalid,
      ],
      limits: .init(bodyBytes: 4096)
    )
    /// E-mail address or username.
    public var login: String
    public var password: String
    public var app: ClientApp?
    /// An access token of the guest who signs in; the guest's cart moves into the account.
    public var guest: String?
    /// The guest's refresh token, which stays valid: an access token alone, which could be stolen, does not take the
    /// cart.
    public var guestRefreshToken: String?
    /// The `deviceSecret` of an earlier sign-in to this account. With it, wrong passwords that others try do not make
    /// this device wait.
    public var deviceSecret: String?
    public init(
      login: String, password: String, app: ClientApp? = nil, guest: String? = nil, guestRefreshToken: String? = nil,
      deviceSecret: String? = nil
    ) {
      (self.login, self.password, self.app, self.guest) = (login, password, app, guest)
      (self.guestRefreshToken, self.deviceSecret) = (guestRefreshToken, deviceSecret)
    }
  }

  /// The account has no e-mail address and no password; ``Upgrade`` makes it a full account.
  public struct SignInAsGuest: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/guest", "Create a guest account and sign in", access: .anyone, success: 201,
      limits: .init(bodyBytes: 4096), cost: .account
    )
    public var app: ClientApp?
    public init(app: ClientApp? = nil) { self.app = app }
  }

  /// The account keeps its ID and therefore everything that belongs to it. An e-mail address or a username is enough
  /// beside the password. This is also how an app registers a user with a photo: it signs in as a guest, uploads the
  /// photo, and upgrades.
  public struct Upgrade: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/upgrade", "Upgrade a guest account to a full account",
      problems: [
        .emailTaken, .usernameTaken, .passwordTooCommon, .notAGuest, .mediaNotFound, .mediaNotReady,
        .refreshTokenInvalid, .switchedOff,
      ], limits: .init(bodyBytes: 4096)
    )
    /// The guest's refresh token, which stays valid: an access token alone, which could be stolen, does not take the
    /// account.
    public var refreshToken: String
    public var email: EmailAddress?
    public var username: Username?
    /// The username by default.
    public var displayName: DisplayName?
    public var password: Password
    /// A picture that the guest has uploaded.
    public var photo: MediaID?
    public init(
      refreshToken: String, email: EmailAddress? = nil, username: Username? = nil, displayName: DisplayName? = nil,
      password: Password, photo: MediaID? = nil
    ) {
      self.refreshToken = refreshToken
      (self.email, self.username, self.displayName, self.password) = (email, username, displayName, password)
      self.photo = photo
    }
  }

  /// A person is identified by the `sub` of the provider, such as Google or Apple. The first sign-in creates an
  /// account, or links to the existing account with the same e-mail address. If that account has not verified the
  /// address, the provider's proof resets it: its password, sessions and other sign-in methods end. With a guest's
  /// tokens, the guest account becomes the person's account; if there is one already, the guest's cart moves into it. An
  /// ID token is accepted once. An account with a password is linked only with its `password`, one with a second factor
  /// once the factor is proved; without the password, the same token can be sent again with it.
  public struct SignInWithProvider: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/oidc/{provider}", "Sign in with an ID token of an OpenID Connect provider", access: .anyone,
      problems: Problem.Kind.idTokenProblems + [
        .refreshTokenInvalid, .providerUnknown, .accountDisabled, .notAGuest, .secondFactorRequired, .linkNeedsPassword,
        .invalidCredentials,
        .tooManyAttempts, .switchedOff,
      ],
      limits: .init(bodyBytes: 16_384)
    )
    /// The provider's name in the settings, such as `google`.
    public var provider: String
    public var idToken: String
    /// The random value that the app made for this sign-in. The token contains it verbatim or, if the app passes only
    /// a hash to the provider, as with Apple, its SHA-256 in hexadecimal digits.
    public var nonce: String?
    public var app: ClientApp?
    /// An access token of the guest who signs in.
    public var guest: String?
    /// The guest's refresh token, needed with `guest`; it stays valid.
    public var guestRefreshToken: String?
    /// That of the account which the provider is linked to, if it has one.
    public var password: String?
    public init(
      provider: String, idToken: String, nonce: String? = nil, app: ClientApp? = nil, guest: String? = nil,
      guestRefreshToken: String? = nil, password: String? = nil
    ) {
      (self.provider, self.idToken, self.nonce, self.app, self.guest) = (provider, idToken, nonce, app, guest)
      (self.guestRefreshToken, self.password) = (guestRefreshToken, password)
    }
  }

  /// None without a client for pages in the settings.
  public struct ListSignInProviders: Endpoint {
    public typealias Response = Page<SignInProvider>
    public static let operation = Operation.get(
      "/v1/auth/providers", "List the sign-in providers for browsers", access: .anyone,
      caching: .shared
    )
    public init() {}
  }

  /// Implements RFC 6749 §4.4 for registered clients, such as another back end.
  public struct IssueToken: Endpoint {
    public typealias Response = ClientToken
    public static let operation = Operation.post(
      "/v1/auth/token", "Issue a token to a registered client (client credentials)", access: .anyone,
      problems: [.invalidClient, .tooManyAttempts], limits: .init(bodyBytes: 4096), accepts: [.json, .form]
    )

    public enum Grant: String, WireEnum { case clientCredentials = "client_credentials" }

    public var grantType: Grant
    public var clientID: String
    public var clientSecret: String
    /// Scopes separated by spaces; all scopes of the client by default.
    public var scope: String?

    private enum CodingKeys: String, CodingKey {
      case grantType = "grant_type"
      case clientID = "client_id"
      case clientSecret = "client_secret"
      case scope
    }
    public init(clientID: String, clientSecret: String, scope: String? = nil) {
      (self.grantType, self.clientID, self.clientSecret) = (.clientCredentials, clientID, clientSecret)
      self.scope = scope
    }
  }

  public struct GetKeys: Endpoint {
    public typealias Response = JSONWebKeySet
    public static let operation = Operation.get(
      "/.well-known/jwks.json", "Get the public keys that verify access tokens", access: .anyone, caching: .shared
    )
    public init() {}
  }

  public struct GetIssuer: Endpoint {
    public typealias Response = IssuerDescription
    public static let operation = Operation.get(
      "/.well-known/openid-configuration", "Get the OpenID Connect discovery document", access: .anyone,
      caching: .shared
    )
    public init() {}
  }
}

extension Problem.Kind {
  public static let emailTaken = Self(
    "email-taken", status: 409, "The e-mail address is already in use",
    meaning: "Another account has this address.",
    remedy: "Offer to sign in instead, or to reset the password.")
  public static let usernameTaken = Self(
    "username-taken", status: 409, "The username is taken",
    meaning: "Another user has this name.",
    remedy: "Let the user choose another name.")
  public static let invalidCredentials = Self(
    "invalid-credentials", status: 401, "The login or password is incorrect",
    meaning: "No account has this login with this password. It is not said which of them is wrong.",
    remedy: "Let the user try again, and offer to reset the password.")
  public static let tooManyAttempts = Self(
    "too-many-attempts", status: 429, "Too many failed attempts",
    meaning: "Too many attempts have failed for this account or from this address.",
    remedy: "Wait for the seconds in `Retry-After`. Never repeat the attempt automatically.")
  public static let accountDisabled = Self(
    "account-disabled", status: 403, "The account is disabled",
    meaning: "Support has disabled the account.",
    remedy: "Tell the user to contact support.")
  public static let notAGuest = Self(
    "not-a-guest", status: 409, "The account is already a full account",
    meaning: "Only guests complete their account this way.",
    remedy: "Load the account again and continue.")
  public static let providerUnknown = Self(
    "provider-unknown", status: 404, "There is no such sign-in provider",
    meaning: "The platform does not offer this sign-in provider.",
    remedy: "Load the providers that are offered, and choose one of them.")
  public static let invalidClient = Self(
    "invalid-client", status: 401, "The client ID or secret is incorrect",
    meaning: "No client is registered with this ID and secret.",
    remedy: "Check the configuration of the client. Its secret may have been replaced.")

  /// Reasons for rejecting an ID token, each with a separate code.
  public static let idTokenProblems: [Self] = [
    .idTokenMalformed, .idTokenAlgorithm, .idTokenKeyUnknown, .idTokenSignature, .idTokenIssuer, .idTokenAudience,
    .idTokenAuthorizedParty, .idTokenExpired, .idTokenFromTheFuture, .idTokenSubject, .idTokenNonceMissing,
    .idTokenNonceUnexpected, .idTokenNonceWrong, .idTokenNonceReused, .idTokenEmailUnverified, .idTokenTooOld,
    .idTokenReused,
  ]
  public static let idTokenMalformed = Self(
    "id-token-malformed", status: 401, "The ID token is malformed",
    meaning: "The text is not a signed JSON Web Token with the claims of OpenID Connect.",
    remedy: "Send the ID token exactly as the provider returned it, not its access token.")
  public static let idTokenAlgorithm = Self(
    "id-token-algorithm", status: 401, "The ID token's algorithm is not allowed",
    meaning: "The token is signed by an algorithm that the platform does not accept from this provider.",
    remedy: "Configure the client at the provider for one of the usual algorithms, such as RS256.")
  public static let idTokenKeyUnknown = Self(
    "id-token-key-unknown", status: 401, "The provider has no such key",
    meaning: "The provider publishes no key with the key ID of the token.",
    remedy: "Sign in at the provider again; the token may be older than its keys.")
  public static let idTokenSignature = Self(
    "id-token-signature", status: 401, "The ID token's signature is invalid",
    meaning: "The signature does not match the content of the token.",
    remedy: "Sign in at the provider again, and send the token unchanged.")
  public static let idTokenIssuer = Self(
    "id-token-issuer", status: 401, "The ID token was issued by another issuer",
    meaning: "The token's `iss` is not the provider that the request names.",
    remedy: "Send the token together with the name of the provider that issued it.")
  public static let idTokenAudience = Self(
    "id-token-audience", status: 401, "The ID token is for another client",
    meaning: "The token's `aud` is not a client of this platform.",
    remedy: "Use the client ID that is configured for this platform when signing in at the provider.")
  public static let idTokenAuthorizedParty = Self(
    "id-token-authorized-party", status: 401, "The ID token was issued to another client",
    meaning: "The token's `azp` is not a client of this platform.",
    remedy: "Use the client ID that is configured for this platform when signing in at the provider.")
  public static let idTokenExpired = Self(
    "id-token-expired", status: 401, "The ID token has expired",
    meaning: "The token's `exp` is in the past.",
    remedy: "Sign in at the provider again and send the new token at once.")
  public static let idTokenTooOld = Self(
    "id-token-too-old", status: 401, "The ID token was issued too long ago",
    meaning: "The token was issued longer ago than the platform accepts.",
    remedy: "Sign in at the provider again and send the new token at once.")
  public static let idTokenFromTheFuture = Self(
    "id-token-from-the-future", status: 401, "The ID token is not valid yet",
    meaning: "The token's `iat` or `nbf` is in the future.",
    remedy: "Try again after some seconds; if it stays, a clock is wrong.")
  public static let idTokenSubject = Self(
    "id-token-subject", status: 401, "The ID token has no valid subject",
    meaning: "The token's `sub` is missing, empty or too long.",
    remedy: "Report it to the provider; the client cannot correct it.")
  public static let idTokenNonceMissing = Self(
    "id-token-nonce-missing", status: 401, "The nonce is missing",
    meaning: "The sign-in has to be bound to a nonce of the platform, and the request or the token has none.",
    remedy: "Request a nonce, pass it to the provider, and send it with the token.")
  public static let idTokenNonceUnexpected = Self(
    "id-token-nonce-unexpected", status: 401, "The ID token has an unexpected nonce",
    meaning: "The token has a nonce, and the request does not say which.",
    remedy: "Send the nonce that was passed to the provider.")
  public static let idTokenNonceWrong = Self(
    "id-token-nonce-wrong", status: 401, "The ID token's nonce does not match",
    meaning: "The nonce of the token is not that of the request.",
    remedy: "Start the sign-in again with a new nonce.")
  public static let idTokenNonceReused = Self(
    "id-token-nonce-reused", status: 401, "The nonce was already used",
    meaning: "A nonce is valid for one sign-in.",
    remedy: "Start the sign-in again with a new nonce.")
  public static let idTokenReused = Self(
    "id-token-reused", status: 401, "The ID token was already used",
    meaning: "An ID token is valid for one sign-in.",
    remedy: "Sign in at the provider again.")
  public static let idTokenEmailUnverified = Self(
    "id-token-email-unverified", status: 401, "The provider has not verified the e-mail address",
    meaning: "The provider does not confirm that the address belongs to the user.",
    remedy: "Ask the user to verify the address at the provider, or sign up with a password.")
}
