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

  /// What a report takes besides its texts.
  private static let overhead = 200
  private static let deletedAtOnce = 100

  /// Stores a report; the oldest ones make room for it.
  ///
  /// - Parameter maxBytes: How much all reports may take.
  static func insert(_ report: CrashReport, maxBytes: Int, in tx: Transaction) throws {
    let bytes =
      report.text.rawValue.utf8.count + report.version.rawValue.utf8.count + report.device.rawValue.utf8.count
      + overhead
    try tx.execute(
      """
      INSERT INTO crash_reports (id, app, version, device, text, bytes, reported_at)
      VALUES (\(report.id), \(report.app), \(report.version), \(report.device),
              \(report.text), \(bytes), \(report.reportedAt))
      """
    )
    try tx.execute("UPDATE crash_report_size SET bytes = bytes + \(bytes)")
    var excess = try size(in: tx) - maxBytes
    while excess > 0 {
      let oldest = try tx.all(
        "SELECT id, bytes FROM crash_reports WHERE id <> \(report.id) ORDER BY id LIMIT \(deletedAtOnce)"
      ) { row -> (id: CrashReportID, bytes: Int) in (try row["id"], try row["bytes"]) }
      guard !oldest.isEmpty else { return }
      var deleted = 0
      var last: CrashReportID?
      for old in oldest where deleted < excess { (deleted, last) = (deleted + old.bytes, old.id) }
      guard let last else { return }
      try tx.execute("DELETE FROM crash_reports WHERE id <= \(last) AND id <> \(report.id)")
      try tx.execute("UPDATE crash_report_size SET bytes = bytes - \(deleted)")
      excess -= deleted
    }
  }

  /// How much all reports take.
  static func size(in db: any Connection) throws -> Int {
    try db.value("SELECT bytes FROM crash_report_size WHERE id = 1") ?? 0
  }

  /// Deletes old reports.
  static func delete(before moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM crash_reports WHERE reported_at < \(moment)")
    try tx.execute(
      """
      UPDATE crash_report_size SET bytes = (SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM crash_reports)
      """
    )
  }
}
