/// The internal API through which auth searches the audit trails of the services on behalf of administrators.
public enum AuditAPI {
  /// Newest first.
  public struct Search: PagedEndpoint {
    public typealias Response = Page<AuditRecord>
    public static let operation = Operation.get(
      "/internal/v1/audit", "List audit trail entries", access: .services(AuthAPI.self))
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
    public init(filter: AuditFilter, limit: PageSize? = nil, cursor: String? = nil) {
      (self.actor, self.object, self.action, self.from) = (filter.actor, filter.object, filter.action, filter.from)
      (self.until, self.limit, self.cursor) = (filter.until, limit, cursor)
    }
  }
}
