import Persistence

enum GatewayMigrations {
  static let all = [
    Migration(
      "gateway-001-streams-and-crashes",
      why: "streams resume after a disconnect; apps report crashes",
      [
        "CREATE TABLE realtime_users (user_id TEXT PRIMARY KEY, last BIGINT NOT NULL)",
        """
        CREATE TABLE realtime_events
          (user_id TEXT NOT NULL, sequence BIGINT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL,
           created_at BIGINT NOT NULL, PRIMARY KEY (user_id, sequence))
        """,
        "CREATE INDEX realtime_events_by_age ON realtime_events (created_at)",
        """
        CREATE TABLE crash_reports
          (id TEXT PRIMARY KEY, app TEXT NOT NULL, version TEXT NOT NULL, device TEXT NOT NULL, text TEXT NOT NULL,
           reported_at BIGINT NOT NULL)
        """,
        "CREATE INDEX crash_reports_by_app ON crash_reports (app, id)",
        "CREATE INDEX crash_reports_by_age ON crash_reports (reported_at)",
      ]
    ),
    Migration(
      "gateway-002-services",
      why: "a restarted gateway routes to services that do not respond yet",
      ["CREATE TABLE services (name TEXT PRIMARY KEY, description TEXT NOT NULL, learned_at BIGINT NOT NULL)"]
    ),
  ]
}
