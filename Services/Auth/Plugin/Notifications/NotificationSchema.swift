import Persistence

/// The tables of notifications.
enum NotificationSchema {
  static let tables: Schema = """
    CREATE TABLE devices
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), session_id TEXT NOT NULL, app TEXT NOT NULL,
       token TEXT NOT NULL, token_lookup TEXT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (token_lookup));
    CREATE INDEX devices_by_user ON devices (user_id);
    CREATE INDEX devices_by_session ON devices (session_id);

    CREATE TABLE reminders
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), content TEXT NOT NULL,
       due_at BIGINT NOT NULL, fired_at BIGINT, is_fired BIGINT NOT NULL);
    CREATE INDEX reminders_by_user ON reminders (user_id, is_fired, due_at, id);

    CREATE TABLE notification_counts
      (user_id TEXT NOT NULL REFERENCES users (id), kind TEXT NOT NULL, day TEXT NOT NULL, count BIGINT NOT NULL,
       PRIMARY KEY (user_id, kind));
    """
}
