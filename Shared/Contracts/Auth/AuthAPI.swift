/// Accounts, sessions and profiles.
public enum AuthAPI: ServiceAPI {
  public static let name = "auth"
  public static let summary = "Accounts, sign-in, sessions and profiles"
  public static let endpoints: [any Endpoint.Type] = [
    SignUp.self, LogIn.self, Refresh.self, LogOut.self, GetKeys.self, GetMe.self, UpdateMe.self, GetUser.self,
    ListRevokedSessions.self,
  ]

  /// Create an account and sign in.
  public struct SignUp: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation(
      .post,
      "/v1/auth/signup",
      "Create an account and sign in",
      access: .anyone,
      success: 201,
      problems: [.emailTaken, .usernameTaken],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var email: EmailAddress
      public var username: Username
      public var displayName: DisplayName
      public var password: Password
      /// The app that signs in; `web` unless said.
      public var app: ClientApp?

      public init(
        email: EmailAddress,
        username: Username,
        displayName: DisplayName,
        password: Password,
        app: ClientApp? = nil
      ) {
        self.email = email
        self.username = username
        self.displayName = displayName
        self.password = password
        self.app = app
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Sign in with an e-mail address or a username.
  public struct LogIn: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation(
      .post,
      "/v1/auth/login",
      "Sign in with an e-mail address or a username",
      access: .anyone,
      problems: [.invalidCredentials],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      /// E-mail address or username.
      public var login: String
      public var password: String
      public var app: ClientApp?

      public init(login: String, password: String, app: ClientApp? = nil) {
        self.login = login
        self.password = password
        self.app = app
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Exchange a refresh token for its successor and a fresh access token.
  ///
  /// Sending the same token again within ten seconds answers the same successor; later it ends the session.
  public struct Refresh: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation(
      .post,
      "/v1/auth/refresh",
      "Exchange a refresh token for a fresh pair of tokens",
      access: .anyone,
      problems: [.refreshTokenInvalid, .refreshTokenReused],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var refreshToken: String
      public init(refreshToken: String) { self.refreshToken = refreshToken }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// End this session, the user's others, or all.
  public struct LogOut: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/logout",
      "End this session, the user's others, or all",
      access: .user,
      idempotency: .idempotent,
      success: 204
    )

    public enum Scope: String, WireEnum { case local, others, global }

    /// Which sessions end; `local` unless said.
    public var scope: Scope?
    public init(scope: Scope? = nil) { self.scope = scope }
  }

  /// The public keys that verify access tokens (RFC 7517).
  public struct GetKeys: Endpoint {
    public typealias Response = JSONWebKeySet
    public static let operation = Operation(
      .get,
      "/.well-known/jwks.json",
      "Public keys that verify access tokens",
      access: .anyone
    )
    public init() {}
  }

  /// The signed-in user's own account.
  public struct GetMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation(.get, "/v1/users/me", "The signed-in user's account", access: .user)
    public init() {}
  }

  /// Change parts of the own profile (JSON merge patch, RFC 7396).
  public struct UpdateMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation(
      .patch,
      "/v1/users/me",
      "Change parts of the own profile (JSON merge patch)",
      access: .user
    )

    public struct Body: Codable, Sendable {
      public var displayName: DisplayName?
      /// `null` removes the text.
      public var bio: Patch<Biography>

      public init(displayName: DisplayName? = nil, bio: Patch<Biography> = .keep) {
        self.displayName = displayName
        self.bio = bio
      }
    }

    /// When given, the change is made only to that version of the account.
    public var ifMatch: EntityTag?
    public var body: Body

    public init(ifMatch: EntityTag? = nil, body: Body) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// What others may see of a user.
  public struct GetUser: Endpoint {
    public typealias Response = Profile
    public static let operation = Operation(
      .get,
      "/v1/users/{id}",
      "What others may see of a user",
      access: .user,
      problems: [.userNotFound]
    )
    public var id: UserID
    public init(id: UserID) { self.id = id }
  }

  /// Sessions ended at or after a moment, oldest first, so that services refuse their access tokens.
  public struct ListRevokedSessions: Endpoint {
    public typealias Response = RevokedSessions
    public static let operation = Operation(
      .get,
      "/internal/v1/revoked-sessions",
      "Sessions ended since a moment",
      access: .service
    )
    public var since: Timestamp
    public init(since: Timestamp) { self.since = since }
  }
}

extension Problem.Kind {
  public static let emailTaken = Self("email-taken", status: 409, "The e-mail address has an account")
  public static let usernameTaken = Self("username-taken", status: 409, "The username is taken")
  public static let invalidCredentials = Self("invalid-credentials", status: 401, "Login or password are wrong")
  public static let refreshTokenInvalid = Self("refresh-token-invalid", status: 401, "The refresh token is not valid")
  public static let refreshTokenReused = Self("refresh-token-reused", status: 401, "The refresh token was used before")
  public static let userNotFound = Self("user-not-found", status: 404, "There is no such user")
}
