import Contracts
import Persistence

/// The periods whose audit trails were reported.
enum AuditReportStore {
  private static let keptSeconds = 400 * 86_400.0

  static func exists(_ period: String, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM audit_reports WHERE period = \(period)")
  }

  /// - Returns: Whether the period was not reported before.
  static func insert(_ period: String, in tx: Transaction) throws -> Bool {
    let old = tx.now.advanced(bySeconds: -keptSeconds)
    try tx.execute("DELETE FROM audit_reports WHERE reported_at < \(old)")
    return try tx.execute(
      "INSERT INTO audit_reports (period, reported_at) VALUES (\(period), \(tx.now)) ON CONFLICT (period) DO NOTHING"
    ) == 1
  }
}
