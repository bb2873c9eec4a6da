import Persistence

enum SessionMigrations {
  static let all = [
    Migration(
      "auth-030-session-uses",
      why: "a session ends by its last use, not by its last refresh, and whole addresses are no longer kept",
      [
        "ALTER TABLE sessions ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0",
        // Every row is written once only. Thirty days, the default; a session that is due is judged by the limit that
        // applies to it.
        "UPDATE sessions SET used_at = rotated_at, ends_at = rotated_at + 2592000000000, address = NULL",
        "CREATE INDEX sessions_by_end ON sessions (ends_at) WHERE revoked_at IS NULL",
      ]
    ),
    Migration(
      "auth-031-session-devices",
      why: "sessions show the device and its network",
      [
        "ALTER TABLE sessions ADD COLUMN device_model TEXT",
        "ALTER TABLE sessions ADD COLUMN app_version TEXT",
      ]
    ),
    Migration(
      "auth-032-ended-sessions-in-order",
      why: "many sessions that end at the same moment are listed completely",
      [
        "CREATE INDEX revoked_sessions_in_order ON revoked_sessions (revoked_at, id)",
        "DROP INDEX revoked_sessions_by_time",
      ]
    ),
    Migration(
      "auth-033-unusual-sign-ins",
      why: "users are notified of sign-ins by devices and from networks that their account has not seen",
      [
        """
        CREATE TABLE known_places
          (user_id TEXT NOT NULL REFERENCES users (id), lookup TEXT NOT NULL, last_at BIGINT NOT NULL,
           PRIMARY KEY (user_id, lookup))
        """,
        "CREATE INDEX known_places_by_age ON known_places (last_at)",
        """
        CREATE TABLE sign_in_reports
          (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), address TEXT, expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX sign_in_reports_by_user ON sign_in_reports (user_id)",
        "CREATE INDEX sign_in_reports_by_time ON sign_in_reports (expires_at)",
      ]
    ),
  ]
}
