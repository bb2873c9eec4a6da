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

  /// Any change ends the account's sessions, so that new tokens reflect its new state.
  public struct AdminUpdateUser: Endpoint {
    public typealias Response = AdministeredAccount
    public static let operation = Operation.patch(
      "/v1/admin/users/{id}", "Update an account's roles or disabled status", access: .roles([.administrator]),
      problems: [.userNotFound, .lastAdministrator], limits: .init(bodyBytes: 4096)
    )
    public var id: UserID
    public var roles: [Role]?
    public var isDisabled: Bool?
    public init(id: UserID, roles: [Role]? = nil, isDisabled: Bool? = nil) {
      (self.id, self.roles, self.isDisabled) = (id, roles, isDisabled)
    }
  }

  /// Newest first.
  public struct SearchAudit: PagedEndpoint {
    public typealias Response = Page<AuditRecord>
    public static let operation = Operation.get(
      "/v1/admin/audit", "Search the audit trail", access: .roles([.administrator, .support]),
      cost: .costly
    )
    /// `auth` by default.
    public var service: String?
    public var filter: AuditFilter {
      AuditFilter(actor: actor, object: object, action: action, from: from, until: until)
    }
    public var actor: String?
    public var object: String?
    public var action: String?
    public var from: Timestamp?
    public var until: Timestamp?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      service: String? = nil, filter: AuditFilter = AuditFilter(), limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.service, self.actor, self.object, self.action) = (service, filter.actor, filter.object, filter.action)
      (self.from, self.until, self.limit, self.cursor) = (filter.from, filter.until, limit, cursor)
    }
  }
}

extension Problem.Kind {
  public static let lastAdministrator = Self(
    "last-administrator", status: 409, "The last administrator cannot be removed"
  )
}
