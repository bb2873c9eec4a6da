import Contracts
import Persistence

/// Reports of published sets that support has not settled.
enum LibraryReportStore {
  static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [LibraryReport] {
    try db.all(
      """
      SELECT set_id, reporter_id, reason, reported_at FROM library_reports
      WHERE \(condition) ORDER BY reported_at DESC, set_id DESC, reporter_id DESC LIMIT \(limit)
      """
    ) { row in
      LibraryReport(
        set: try row["set_id"], reporterID: try row["reporter_id"], reason: try row["reason"],
        reportedAt: try row["reported_at"])
    }
  }

  static func put(_ report: LibraryReport, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO library_reports (set_id, reporter_id, reason, reported_at)
      VALUES (\(report.set), \(report.reporterID), \(report.reason), \(report.reportedAt))
      ON CONFLICT (set_id, reporter_id) DO UPDATE SET reason = excluded.reason
      """
    )
  }

  static func delete(of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM library_reports WHERE set_id = \(set)")
  }

  static func delete(by reporter: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM library_reports WHERE reporter_id = \(reporter)")
  }
}
