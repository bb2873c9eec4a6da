/// A signed-in device, as its user sees it.
public struct SessionInfo: Codable, Sendable, Equatable {
  public var id: SessionID
  public var app: ClientApp
  /// The `User-Agent` of the last use.
  public var device: String?
  /// The address of the last use.
  public var address: String?
  public var createdAt: Timestamp
  public var lastUsedAt: Timestamp
  /// Whether this is the session that asks.
  public var isCurrent: Bool

  public init(
    id: SessionID,
    app: ClientApp,
    device: String?,
    address: String?,
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    isCurrent: Bool
  ) {
    self.id = id
    self.app = app
    self.device = device
    self.address = address
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.isCurrent = isCurrent
  }
}

extension AuthAPI {
  /// The user's sessions, the last used first.
  public struct ListSessions: Endpoint {
    public typealias Response = Page<SessionInfo>
    public static let operation = Operation(.get, "/v1/auth/sessions", "The user's signed-in devices", access: .user)
    public init() {}
  }

  /// End one of the user's sessions.
  public struct EndSession: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/auth/sessions/{id}",
      "End one of the user's sessions",
      access: .user,
      success: 204,
      problems: [.sessionNotFound]
    )
    public var id: SessionID
    public init(id: SessionID) { self.id = id }
  }

  /// End this session, the user's others, or all.
  public struct LogOut: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/logout",
      "End this session, the user's others, or all",
      access: .user,
      // Repeated, it finds the session ended.
      idempotency: .once,
      success: 204
    )

    public enum Scope: String, WireEnum { case local, others, global }

    /// Which sessions end; `local` unless said.
    public var scope: Scope?
    public init(scope: Scope? = nil) { self.scope = scope }
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

extension Problem.Kind {
  public static let refreshTokenInvalid = Self("refresh-token-invalid", status: 401, "The refresh token is not valid")
  public static let refreshTokenReused = Self("refresh-token-reused", status: 401, "The refresh token was used before")
  public static let sessionNotFound = Self("session-not-found", status: 404, "There is no such session")
}
