import Persistence

/// The tables of realtime events.
enum RealtimeSchema {
  static let tables: Schema = """
    -- The number of the latest event; up to `floor`, they may have been deleted for their age.
    CREATE TABLE realtime_state (id BIGINT PRIMARY KEY, last BIGINT NOT NULL, floor BIGINT NOT NULL);
    INSERT INTO realtime_state (id, last, floor) VALUES (1, 0, 0);

    CREATE TABLE realtime_log
      (number BIGINT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL,
       created_at BIGINT NOT NULL, PRIMARY KEY (number, subject));
    CREATE INDEX realtime_log_by_subject ON realtime_log (subject, number);

    CREATE TABLE realtime_topics
      (subject TEXT PRIMARY KEY, kept BIGINT NOT NULL, dropped_through BIGINT NOT NULL, last_at BIGINT NOT NULL);
    CREATE INDEX realtime_topics_by_age ON realtime_topics (last_at);
    CREATE INDEX realtime_topics_by_drop ON realtime_topics (dropped_through);

    CREATE TABLE realtime_ends
      (topic TEXT NOT NULL, user_id TEXT NOT NULL, number BIGINT NOT NULL, ended_at BIGINT NOT NULL,
       PRIMARY KEY (topic, user_id));
    CREATE INDEX realtime_ends_by_age ON realtime_ends (ended_at);
    CREATE INDEX realtime_ends_by_user ON realtime_ends (user_id);

    CREATE TABLE realtime_streams
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, session_id TEXT NOT NULL, opened_at BIGINT NOT NULL,
       expires_at BIGINT NOT NULL);
    CREATE INDEX realtime_streams_by_user ON realtime_streams (user_id);
    CREATE INDEX realtime_streams_by_expiry ON realtime_streams (expires_at);
    """
}
