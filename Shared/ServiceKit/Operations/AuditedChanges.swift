public import Contracts

extension [AuditChange] {
  /// The reason for which a member of staff has made a change.
  public static func reason(_ reason: ShortText?) -> [AuditChange] {
    reason.map { [AuditChange("reason", from: nil, to: $0.rawValue)] } ?? []
  }

  /// The properties that differ between two values of a type, by their wire names.
  ///
  /// - Parameter masked: Whether the values are personal and must not be recorded.
  public static func between<Value: Encodable>(_ old: Value, _ new: Value, masked: Bool) throws -> [AuditChange] {
    let before = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(old))
    let after = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(new))
    guard case .object(let oldMembers) = before, case .object(let newMembers) = after else { return [] }
    return try Set((oldMembers + newMembers).map(\.name)).sorted().compactMap { name in
      let (was, now) = (before[name], after[name])
      if was == now { return nil }
      if masked { return .masked(name, hadValue: was != nil, hasValue: now != nil) }
      func text(_ value: JSONValue?) throws -> String? {
        try value.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
      }
      return AuditChange(name, from: try text(was), to: try text(now))
    }
  }
}
