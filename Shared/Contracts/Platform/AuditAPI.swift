/// The internal API through which auth searches the audit trails of the services on behalf of administrators, and through
/// which services note the ends of each other's chains.
public enum AuditAPI {
  /// Newest first.
  public struct Search: PagedEndpoint {
    public typealias Response = Page<AuditRecord>
    public static let operation = Operation.get(
      "/internal/v1/audit", "List audit trail entries", access: .services(AuthAPI.self))
    public var filter: AuditFilter {
      AuditFilter(actor: actor, object: object, action: action, app: app, from: from, until: until)
    }
    public var actor: String?
    public var object: String?
    public var action: String?
    public var app: ClientApp?
    public var from: Timestamp?
    public var until: Timestamp?
    public var limit: PageSize?
    public var cursor: String?
    public init(filter: AuditFilter, limit: PageSize? = nil, cursor: String? = nil) {
      (self.actor, self.object, self.action, self.app) = (filter.actor, filter.object, filter.action, filter.app)
      (self.from, self.until, self.limit, self.cursor) = (filter.from, filter.until, limit, cursor)
    }
  }

  /// Counts the actions of a period, without personal data.
  public struct Summarize: Endpoint {
    public typealias Response = AuditSummary
    public static let operation = Operation.get(
      "/internal/v1/audit/summary", "Count audit trail entries", access: .services(AuthAPI.self),
      limits: .init(seconds: 30)
    )
    public var from: Timestamp
    public var until: Timestamp
    public init(from: Timestamp, until: Timestamp) { (self.from, self.until) = (from, until) }
  }

  /// The last head of the caller's chain that the called service has recorded.
  public struct GetHead: Endpoint {
    public typealias Response = NotedHead
    public static let operation = Operation.get(
      "/internal/v1/audit/heads/{service}", "Get the recorded head of the caller's audit chain", access: .anyService
    )
    public var service: String
    public init(service: String) { self.service = service }
  }

  public struct NotedHead: Codable, Sendable, Equatable {
    public var head: AuditHead?
    public init(_ head: AuditHead?) { self.head = head }
  }

  /// A head is refused that is behind the one noted last, or of a chain that no longer contains that one: the chain was cut
  /// or rewritten.
  public struct NoteHead: Endpoint {
    public static let operation = Operation.put(
      "/internal/v1/audit/heads/{service}", "Record the head of the caller's audit chain", access: .anyService,
      success: 204,
      problems: [.auditHeadRefused]
    )
    public var service: String
    public var sequence: Int64
    public var hash: String
    public var key: String
    public var code: String
    /// The hash in the caller's chain where the head noted last was; absent when none was noted.
    public var previous: String?
    public init(_ head: AuditHead, previous: String? = nil) {
      (service, sequence, hash, key, code) = (head.service, head.sequence, head.hash, head.key, head.code)
      self.previous = previous
    }
    public var head: AuditHead { AuditHead(service: service, sequence: sequence, hash: hash, key: key, code: code) }
  }
}

extension Problem.Kind {
  public static let auditHeadRefused = Self(
    "audit-head-refused", status: 409, "The end of the audit chain contradicts what was noted before",
    meaning:
      "The end of the audit chain that a service reports does not continue what was recorded before: entries are "
      + "missing or changed.",
    remedy: "Investigate before anything else; the request cannot be repeated with success.")
}
