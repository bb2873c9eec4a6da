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

  /// The bytes that a report takes besides its texts.
  private static let overhead = 200
  /// More than make room for one report. That there are more to delete, such as after a change of the maximum, does not
  /// delay who reports.
  private static let deletedAtOnce = 1000

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
    try trim(to: maxBytes, keeping: report.id, in: tx)
  }

  /// Deletes the oldest reports that exceed a size, up to one batch of them.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  static func trim(to maxBytes: Int, keeping kept: CrashReportID? = nil, in tx: Transaction) throws -> Bool {
    let excess = try size(in: tx) - maxBytes
    guard excess > 0 else { return false }
    let rest: SQL = kept.map { "id <> \($0)" } ?? "1 = 1"
    let oldest = try tx.all("SELECT id, bytes FROM crash_reports WHERE \(rest) ORDER BY id LIMIT \(deletedAtOnce)") {
      row -> (id: CrashReportID, bytes: Int) in (try row["id"], try row["bytes"])
    }
    var deleted = 0
    var last: CrashReportID?
    for old in oldest where deleted < excess { (deleted, last) = (deleted + old.bytes, old.id) }
    guard let last else { return false }
    try tx.execute("DELETE FROM crash_reports WHERE id <= \(last) AND \(rest)")
    try tx.execute("UPDATE crash_report_size SET bytes = bytes - \(deleted)")
    return deleted < excess
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
