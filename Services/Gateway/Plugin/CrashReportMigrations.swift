import Persistence

enum CrashReportMigrations {
  static let quota = Migration(
    "gateway-005-crash-quota",
    why: "crash reports never take more than their part of the disk",
    [
      "ALTER TABLE crash_reports ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0",
      // Of ASCII, which reports mostly are, a character has one byte.
      "UPDATE crash_reports SET bytes = LENGTH(text) + LENGTH(version) + LENGTH(device) + 200",
      "CREATE TABLE crash_report_size (id BIGINT PRIMARY KEY, bytes BIGINT NOT NULL)",
      "INSERT INTO crash_report_size (id, bytes) SELECT 1, COALESCE(SUM(bytes), 0) FROM crash_reports",
    ]
  )
}
