public import Contracts

/// The end of the part of a chain that was removed because of its age: the chain starts there, so that the rest stays
/// verifiable.
struct AuditBase {
  var sequence: Int64
  var hash: String
  var key: String
  var code: String

  static func find(in db: any Connection) throws -> AuditBase? {
    try db.first("SELECT sequence, hash, key, code FROM audit_base WHERE id = 1") { row in
      AuditBase(sequence: try row["sequence"], hash: try row["hash"], key: try row["key"], code: try row["code"])
    }
  }

  func store(in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO audit_base (id, sequence, hash, key, code, removed_at)
      VALUES (1, \(sequence), \(hash), \(key), \(code), \(tx.now))
      ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, key = excluded.key,
        code = excluded.code, removed_at = excluded.removed_at
      """
    )
  }
}

extension AuditChain {
  /// The most entries that one transaction removes.
  static let maxEntries = 5000

  /// Removes the oldest links that are older than a moment, except the last link of all, and notes where the rest starts.
  /// That entries were removed is an entry itself.
  /// - Returns: The number of entries removed; at most one batch.
  @discardableResult
  public func remove(before moment: Timestamp) async throws -> Int {
    let key = keys.auditKey
    return try await database.write { tx in
      let base = try AuditBase.find(in: tx)?.sequence ?? 0
      guard let last = try Self.last(in: tx) else { return 0 }
      // However many entries are old, one batch of them is read.
      let batch = try tx.all(
        """
        SELECT sequence, at FROM audit WHERE sequence > \(base) AND sequence < \(last.sequence)
        ORDER BY sequence LIMIT \(Self.maxEntries)
        """
      ) { row -> (sequence: Int64, at: Timestamp) in (try row["sequence"], try row["at"]) }
      guard let end = batch.prefix(while: { $0.at < moment }).last?.sequence,
        let hash: String = try tx.value("SELECT hash FROM audit WHERE sequence = \(end)")
      else { return 0 }
      let code = try code(of: "base", end, hash, key: key)
      try AuditBase(sequence: end, hash: hash, key: key, code: code).store(in: tx)
      let count = try tx.execute("DELETE FROM audit WHERE sequence <= \(end)")
      try tx.audit(
        "audit.removed", object: "audit", by: AuditActor("service:\(service)"),
        changes: [AuditChange("until", from: String(base), to: String(end)), AuditChange("hash", from: nil, to: hash)])
      return count
    }
  }
}
