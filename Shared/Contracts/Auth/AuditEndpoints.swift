extension AuthAPI {
  /// Newest first.
  public struct SearchAudit: PagedEndpoint {
    public typealias Response = AuditPage
    public static let operation = Operation.get(
      "/v1/admin/audit", "Search the audit trails of all services", access: .roles([.administrator, .support]),
      cost: .costly
    )
    /// All services by default.
    public var service: String?
    public var filter: AuditFilter {
      AuditFilter(actor: actor, object: object, action: action, app: app, from: from, until: until)
    }
    /// Such as `user:<id>`.
    public var actor: String?
    public var object: String?
    public var action: String?
    public var app: ClientApp?
    public var from: Timestamp?
    public var until: Timestamp?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      service: String? = nil, filter: AuditFilter = AuditFilter(), limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.service, self.actor, self.object, self.action) = (service, filter.actor, filter.object, filter.action)
      (self.app, self.from, self.until, self.limit) = (filter.app, filter.from, filter.until, limit)
      self.cursor = cursor
    }
  }

  /// The entries that match, as CSV (RFC 4180), newest first. A cell that a spreadsheet would read as a formula begins with
  /// an apostrophe. The export is an entry itself.
  public struct ExportAudit: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/admin/audit.csv", "Export the audit trails of all services", access: .roles([.administrator]),
      problems: [.auditTooLarge], limits: .init(seconds: 60), cost: .costly
    )
    /// All services by default.
    public var service: String?
    public var filter: AuditFilter {
      AuditFilter(actor: actor, object: object, action: action, app: app, from: from, until: until)
    }
    public var actor: String?
    public var object: String?
    public var action: String?
    public var app: ClientApp?
    public var from: Timestamp?
    public var until: Timestamp?
    public init(service: String? = nil, filter: AuditFilter = AuditFilter()) {
      (self.service, self.actor, self.object, self.action) = (service, filter.actor, filter.object, filter.action)
      (self.app, self.from, self.until) = (filter.app, filter.from, filter.until)
    }
  }
}

/// Entries of the audit trails of several services.
public struct AuditPage: Codable, Sendable, Equatable {
  public var items: [AuditRecord]
  /// Opaque; sent back as `cursor`, it continues after the last item. Absent on the last page.
  public var nextCursor: String?
  /// Services that did not answer: their entries are missing.
  public var unavailable: [String]
  public init(items: [AuditRecord], nextCursor: String?, unavailable: [String]) {
    (self.items, self.nextCursor, self.unavailable) = (items, nextCursor, unavailable)
  }
}

extension Problem.Kind {
  public static let auditTooLarge = Self(
    "audit-too-large", status: 422, "The export has too many entries: choose a shorter period",
    meaning: "The period has more entries than one export may have.",
    remedy: "Choose a shorter period, and export several.")
}
