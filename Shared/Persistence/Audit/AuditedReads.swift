public import Contracts

/// The objects that a member of staff has read, as the audit trail records them.
public struct AuditedRead: Sendable {
  /// Such as `orders.viewed`; ends with `viewed`.
  public var action: String
  public var object: String
  /// The objects that were shown, when `object` is a list of them.
  public var viewed: [String]

  public init(_ action: String, object: String, viewed: [String] = []) {
    (self.action, self.object, self.viewed) = (action, object, viewed)
  }
}

extension Database {
  /// Reads data of others, and records in the same transaction who has read what and from where. Every operation that
  /// shows staff what belongs to someone else reads through this.
  ///
  /// - Parameters:
  ///   - actor: The member of staff; for `nil`, a caller who reads only what is shown to them anyway, nothing is recorded.
  ///   - body: Reads. What it throws is not recorded, because nothing was shown.
  ///   - read: What the result shows; `nil` when it belongs to the reader.
  public func readAudited<Value: Sendable>(
    by actor: AuditActor?, _ body: @escaping @Sendable (any Connection) throws -> Value,
    as read: @escaping @Sendable (Value) -> AuditedRead?
  ) async throws -> Value {
    guard let actor else { return try await self.read(body) }
    return try await write { tx in
      let value = try body(tx)
      try tx.audit(read(value), by: actor)
      return value
    }
  }
}

extension Transaction {
  /// Records what was read in this transaction, if anything.
  public func audit(_ read: AuditedRead?, by actor: AuditActor) throws {
    guard let read else { return }
    let changes = read.viewed.map { AuditChange("viewed", from: nil, to: $0) }
    try audit(read.action, object: read.object, by: actor, changes: changes)
  }
}

extension Database {
  /// Records what was read beside a transaction of its own, such as a part of a file; the same again by the same actor only
  /// after ten minutes, because players and browsers load one file in hundreds of parts.
  public func auditRead(_ read: AuditedRead, by actor: AuditActor, at now: Timestamp) async throws {
    let since = now.advanced(bySeconds: -600)
    let isKnown = try await self.read { db in
      try db.exists(
        """
        SELECT 1 FROM audit WHERE object = \(read.object) AND actor = \(actor.name) AND action = \(read.action)
        AND address IS NOT DISTINCT FROM \(actor.address) AND at > \(since) LIMIT 1
        """
      )
    }
    if !isKnown { try await write(.readCommitted) { tx in try tx.audit(read, by: actor) } }
  }
}
