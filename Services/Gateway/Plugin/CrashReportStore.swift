import Contracts
import Persistence

enum CrashReportStore {
  /// Matching reports, newest first.
  static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [CrashReport] {
    try db.all(
      """
      SELECT id, app, version, device, text, reported_at FROM crash_reports WHERE \(condition)
      ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in
      CrashReport(
        id: try row["id"], app: try row["app"], version: try row["version"], device: try row["device"],
        text: try row["text"], reportedAt: try row["reported_at"]
      )
    }
  }

  static func insert(_ report: CrashReport, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO crash_reports (id, app, version, device, text, reported_at)
      VALUES (\(report.id), \(report.app), \(report.version), \(report.device),
              \(report.text), \(report.reportedAt))
      """
    )
  }

  /// Deletes old reports, and the oldest above a maximum number.
  static func delete(before moment: Timestamp, above maxCount: Int, in tx: Transaction) throws {
    try tx.execute("DELETE FROM crash_reports WHERE reported_at < \(moment)")
    try tx.execute(
      """
      DELETE FROM crash_reports WHERE id <=
        (SELECT id FROM crash_reports ORDER BY id DESC LIMIT 1 OFFSET \(maxCount))
      """
    )
  }
}
