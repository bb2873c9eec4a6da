extension AuthAPI {
  /// Most recently used first.
  public struct ListSessions: Endpoint {
    public typealias Response = Page<SessionInfo>
    public static let operation = Operation.get("/v1/auth/sessions", "List the caller's sessions")
    public init() {}
  }

  public struct EndSession: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auth/sessions/{id}", "End one of the caller's sessions", success: 204, problems: [.sessionNotFound]
    )
    public var id: SessionID
    public init(id: SessionID) { self.id = id }
  }

  public struct LogOut: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/logout{?scope}", "End the current session, the caller's other sessions, or all", success: 204
    )

    public enum Scope: String, WireEnum { case local, others, global }

    /// The sessions that end; `local` by default.
    public var scope: Scope?
    public init(scope: Scope? = nil) { self.scope = scope }
  }

  /// Sending the same token again within ten seconds returns the same new refresh token; later, it ends the session.
  public struct Refresh: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/refresh", "Exchange a refresh token for a new pair of tokens", access: .anyone,
      problems: [.refreshTokenInvalid, .refreshTokenReused], limits: .init(bodyBytes: 4096)
    )
    public var refreshToken: String
    public init(refreshToken: String) { self.refreshToken = refreshToken }
  }

  /// Internal, for browsers, whose refresh tokens are kept by the gateway. The refresh token stays as it is (RFC 9700
  /// §2.2.2: the gateway authenticates itself): no answer can be lost, and several gateways need not agree on who asks.
  public struct RenewSession: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/internal/v1/sessions/renew", "Renew the access token of a browser session",
      access: .services(GatewayAPI.self), idempotency: .safe,
      problems: [.refreshTokenInvalid, .refreshTokenReused], limits: .init(bodyBytes: 4096)
    )
    public var refreshToken: String
    public init(refreshToken: String) { self.refreshToken = refreshToken }
  }

  /// Lists sessions that ended at or after `since`, oldest first, so that services reject their access tokens.
  public struct ListRevokedSessions: Endpoint {
    public typealias Response = RevokedSessions
    public static let operation = Operation.get(
      "/internal/v1/revoked-sessions", "List sessions that ended since a point in time", access: .anyService
    )
    public var since: Timestamp
    /// The `cursor` of the page before, which continues after its last session.
    public var cursor: String?
    public init(since: Timestamp, cursor: String? = nil) { (self.since, self.cursor) = (since, cursor) }
  }
}

extension Problem.Kind {
  public static let refreshTokenInvalid = Self(
    "refresh-token-invalid", status: 401, "The refresh token is invalid",
    meaning: "The refresh token was never issued, has expired, or its session has ended.",
    remedy: "Delete the stored tokens and ask the user to sign in.")
  public static let refreshTokenReused = Self(
    "refresh-token-reused", status: 401, "The refresh token was already used",
    meaning: "The refresh token was exchanged before. As it may be stolen, the whole session has been ended.",
    remedy: "Delete the stored tokens and ask the user to sign in. Refresh in one place of the app only.")
  public static let sessionNotFound = Self(
    "session-not-found", status: 404, "There is no such session",
    meaning: "The session has ended, or is another user's.",
    remedy: "Load the sessions again.")
}
