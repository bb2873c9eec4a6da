extension AuthAPI {
  /// Newest first, unless filtered by `query` or `email`.
  public struct AdminListUsers: PagedEndpoint {
    public typealias Response = Page<AdministeredAccount>
    public static let operation = Operation.get(
      "/v1/admin/users", "Search accounts", access: .roles([.administrator, .support])
    )
    public var query: String?
    /// A complete e-mail address; matched exactly.
    public var email: EmailAddress?
    public var limit: PageSize?
    public var cursor: String?
    public init(query: String? = nil, email: EmailAddress? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.query, self.email, self.limit, self.cursor) = (query, email, limit, cursor)
    }
  }

  /// A change of roles or of the disabled status ends the account's sessions, so that new tokens reflect its new state.
  /// A change of the profile needs a reason, which the audit trail keeps and of which the user is notified.
  public struct AdminUpdateUser: Endpoint {
    public typealias Response = AdministeredAccount
    public static let operation = Operation.patch(
      "/v1/admin/users/{id}", "Update an account's roles, disabled status or profile",
      access: .roles([.administrator]),
      problems: [
        .userNotFound, .lastAdministrator, .usernameTaken, .mediaNotFound, .mediaNotReady, .recentSignInRequired,
      ],
      limits: .init(bodyBytes: 16_384)
    )
    public var id: UserID
    public var roles: [Role]?
    public var isDisabled: Bool?
    public var displayName: DisplayName?
    public var username: Username?
    public var details: ProfilePatch?
    /// Required with `displayName`, `username` and `details`.
    public var reason: ShortText?
    public init(
      id: UserID, roles: [Role]? = nil, isDisabled: Bool? = nil, displayName: DisplayName? = nil,
      username: Username? = nil, details: ProfilePatch? = nil, reason: ShortText? = nil
    ) {
      (self.id, self.roles, self.isDisabled, self.displayName) = (id, roles, isDisabled, displayName)
      (self.username, self.details, self.reason) = (username, details, reason)
    }
  }

  /// Deletes the account as its user could. The user is notified of the reason by e-mail.
  public struct AdminDeleteUser: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/users/{id}", "Delete an account", access: .roles([.administrator]), success: 204,
      problems: [.userNotFound, .lastAdministrator, .recentSignInRequired]
    )
    public var id: UserID
    public var reason: ShortText
    public init(id: UserID, reason: ShortText) { (self.id, self.reason) = (id, reason) }
  }

  /// Most recently used first.
  public struct AdminListSessions: Endpoint {
    public typealias Response = Page<AdministeredSession>
    public static let operation = Operation.get(
      "/v1/admin/users/{id}/sessions", "List the sessions of an account",
      access: .roles([.administrator, .support]), problems: [.userNotFound]
    )
    public var id: UserID
    public init(id: UserID) { self.id = id }
  }

  public struct AdminEndSession: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/users/{id}/sessions/{session}", "End a session of an account", access: .roles([.administrator]),
      success: 204, problems: [.userNotFound, .sessionNotFound, .recentSignInRequired]
    )
    public var id: UserID
    public var session: SessionID
    public init(id: UserID, session: SessionID) { (self.id, self.session) = (id, session) }
  }

  public struct AdminEndSessions: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/users/{id}/sessions", "End all sessions of an account", access: .roles([.administrator]),
      success: 204, problems: [.userNotFound, .recentSignInRequired]
    )
    public var id: UserID
    public init(id: UserID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let lastAdministrator = Self(
    "last-administrator", status: 409, "The last administrator cannot be removed",
    meaning: "The platform would have no administrator.",
    remedy: "Make another user administrator first.")
}
