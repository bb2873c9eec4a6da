import Persistence

/// The tables of crash reports.
enum CrashReportSchema {
  static let tables: Schema = """
    CREATE TABLE services (name TEXT PRIMARY KEY, description TEXT NOT NULL, learned_at BIGINT NOT NULL);

    CREATE TABLE crash_reports
      (id TEXT PRIMARY KEY, app TEXT NOT NULL, version TEXT NOT NULL, device TEXT NOT NULL, text TEXT NOT NULL,
       bytes BIGINT NOT NULL, reported_at BIGINT NOT NULL);
    CREATE INDEX crash_reports_by_app ON crash_reports (app, id);
    CREATE INDEX crash_reports_by_age ON crash_reports (reported_at);

    CREATE TABLE crash_report_size (id BIGINT PRIMARY KEY, bytes BIGINT NOT NULL);
    INSERT INTO crash_report_size (id, bytes) VALUES (1, 0);
    """
}
