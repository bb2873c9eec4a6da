public import Contracts

/// The records that a service keeps of the audit chains of others: the last head of each hour. They only move forward.
public enum AuditHeadNotes {
  private static let hour: Int64 = 3_600_000_000

  /// Notes a head.
  ///
  /// - Parameter previous: The hash in the same chain where the head noted last was.
  /// - Throws: ``Contracts/Problem`` 409 for a head that is behind the last one, or of a chain without that one.
  public static func note(_ head: AuditHead, previous: String?, in tx: Transaction) throws {
    if let last = try list(of: head.service, limit: 1, in: tx).first {
      guard previous == last.hash, head.sequence > last.sequence || head.hash == last.hash,
        head.sequence >= last.sequence
      else {
        throw Problem(.auditHeadRefused, detail: "Entry \(last.sequence) was noted before.")
      }
      if head.sequence == last.sequence { return }
    }
    try tx.execute(
      """
      INSERT INTO audit_heads (service, hour, sequence, hash, key, code, noted_at)
      VALUES (\(head.service), \(tx.now.microseconds / hour), \(head.sequence), \(head.hash), \(head.key), \(head.code),
              \(tx.now))
      ON CONFLICT (service, hour) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, key = excluded.key,
        code = excluded.code, noted_at = excluded.noted_at
      """
    )
  }

  /// The recorded heads of a service, latest first.
  public static func list(of service: String, limit: Int = 100_000, in db: any Connection) throws -> [AuditHead] {
    try db.all(
      """
      SELECT service, sequence, hash, key, code FROM audit_heads WHERE service = \(service)
      ORDER BY sequence DESC LIMIT \(limit)
      """
    ) { row in
      AuditHead(
        service: try row["service"], sequence: try row["sequence"], hash: try row["hash"], key: try row["key"],
        code: try row["code"])
    }
  }

  /// Removes notes from before a moment, except the last one of each service.
  public static func remove(before moment: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM audit_heads WHERE noted_at < \(moment)
      AND hour < (SELECT MAX(latest.hour) FROM audit_heads latest WHERE latest.service = audit_heads.service)
      """
    )
  }
}
