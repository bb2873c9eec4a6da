public struct AuditRecord: Codable, Sendable, Equatable {
  public var id: String
  /// The position in the hash chain, from 1; assigned shortly after the entry is created.
  public var sequence: Int64?
  public var at: Timestamp
  /// `user:<id>`, `service:<name>`, `client:<id>`, `operator` for commands, or `anonymous`.
  public var actor: String
  public var session: SessionID?
  public var address: String?
  /// The app whose token was used.
  public var app: ClientApp?
  /// The facts that the app reported about its device.
  public var device: DeviceFacts?
  /// The service whose trail this is; absent in a service's own answer.
  public var service: String?
  /// The action, such as `password.changed`.
  public var action: String
  /// The affected object, such as `user:<id>`.
  public var object: String
  public var changes: [AuditChange]
  /// HMAC-SHA256 over the previous hash and this entry, as hexadecimal digits; absent until the entry is a link.
  public var hash: String?
  /// The name of the key of `hash`.
  public var key: String?
  public init(
    id: String, sequence: Int64?, at: Timestamp, actor: String, session: SessionID?, address: String?, action: String,
    object: String, changes: [AuditChange], hash: String?, app: ClientApp? = nil, device: DeviceFacts? = nil,
    key: String? = nil
  ) {
    (self.id, self.sequence, self.at, self.actor, self.session) = (id, sequence, at, actor, session)
    (self.address, self.action, self.object, self.changes, self.hash) = (address, action, object, changes, hash)
    (self.app, self.device, self.key) = (app, device, key)
  }
}

public struct AuditChange: Codable, Sendable, Equatable {
  public var field: String
  public var before: String?
  public var after: String?
  public init(_ field: String, from before: String?, to after: String?) {
    (self.field, self.before, self.after) = (field, before, after)
  }

  /// A changed field with confidential values: only whether they were set is recorded.
  public static func masked(_ field: String, hadValue: Bool = true, hasValue: Bool = true) -> AuditChange {
    AuditChange(field, from: hadValue ? "(hidden)" : nil, to: hasValue ? "(hidden)" : nil)
  }
}

/// Selects entries of an audit trail; `nil` properties match every entry.
public struct AuditFilter: Sendable, Equatable {
  public var actor: String?
  public var object: String?
  public var action: String?
  public var app: ClientApp?
  public var from: Timestamp?
  public var until: Timestamp?
  public init(
    actor: String? = nil, object: String? = nil, action: String? = nil, app: ClientApp? = nil, from: Timestamp? = nil,
    until: Timestamp? = nil
  ) {
    (self.actor, self.object, self.action, self.app) = (actor, object, action, app)
    (self.from, self.until) = (from, until)
  }

  /// The filters, as the audit trail records a search.
  public var changes: [AuditChange] {
    let given = [
      ("actor", actor), ("object", object), ("action", action), ("app", app?.rawValue), ("from", from?.description),
      ("until", until?.description),
    ]
    return given.compactMap { name, value in value.map { AuditChange(name, from: nil, to: $0) } }
  }
}
