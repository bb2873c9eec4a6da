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
    Migration(
      "gateway-003-topics",
      why: "one log holds the events of users and topics, in one order",
      [
        "CREATE TABLE realtime_state (id BIGINT PRIMARY KEY, last BIGINT NOT NULL, floor BIGINT NOT NULL)",
        // Streams that resume after an event of the former tables are behind all numbers of the log.
        """
        INSERT INTO realtime_state (id, last, floor)
        SELECT 1, COALESCE(MAX(last) + 1, 0), COALESCE(MAX(last) + 1, 0) FROM realtime_users
        """,
        """
        CREATE TABLE realtime_log
          (number BIGINT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL,
           created_at BIGINT NOT NULL, PRIMARY KEY (number, subject))
        """,
        "CREATE INDEX realtime_log_by_subject ON realtime_log (subject, number)",
        """
        CREATE TABLE realtime_topics
          (subject TEXT PRIMARY KEY, kept BIGINT NOT NULL, dropped_through BIGINT NOT NULL, last_at BIGINT NOT NULL)
        """,
        "CREATE INDEX realtime_topics_by_age ON realtime_topics (last_at)",
        "CREATE INDEX realtime_topics_by_drop ON realtime_topics (dropped_through)",
        """
        CREATE TABLE realtime_streams
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, session_id TEXT NOT NULL, opened_at BIGINT NOT NULL,
           expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX realtime_streams_by_user ON realtime_streams (user_id)",
        "CREATE INDEX realtime_streams_by_expiry ON realtime_streams (expires_at)",
        "DROP TABLE realtime_events",
        "DROP TABLE realtime_users",
      ]
    ),
    Migration(
      "gateway-004-ends",
      why: "a stream that resumes looks for the ends of its own topics only",
      [
        """
        CREATE TABLE realtime_ends
          (topic TEXT NOT NULL, user_id TEXT NOT NULL, number BIGINT NOT NULL, ended_at BIGINT NOT NULL,
           PRIMARY KEY (topic, user_id))
        """,
        "CREATE INDEX realtime_ends_by_age ON realtime_ends (ended_at)",
        "CREATE INDEX realtime_ends_by_user ON realtime_ends (user_id)",
        // Streams that resume after an event from before this table load everything again: it lacks earlier ends.
        """
        UPDATE realtime_state SET floor = last
        WHERE EXISTS (SELECT 1 FROM realtime_log l WHERE l.subject = 'access')
        """,
      ]
    ),
    CrashReportMigrations.quota,
  ]
}
