import Persistence

/// The tables of sessions.
enum SessionSchema {
  static let tables: Schema = """
    CREATE TABLE sessions
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), app TEXT NOT NULL, token_key TEXT NOT NULL,
       generation BIGINT NOT NULL, rotated_at BIGINT NOT NULL, used_at BIGINT NOT NULL, ends_at BIGINT NOT NULL,
       proved_at BIGINT NOT NULL, methods TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT, device TEXT,
       device_model TEXT, app_version TEXT, address TEXT);
    CREATE INDEX sessions_by_user ON sessions (user_id, rotated_at);
    CREATE INDEX sessions_by_age ON sessions (rotated_at);
    CREATE INDEX sessions_by_end ON sessions (ends_at) WHERE revoked_at IS NULL;

    CREATE TABLE revoked_sessions (id TEXT PRIMARY KEY, revoked_at BIGINT NOT NULL);
    CREATE INDEX revoked_sessions_in_order ON revoked_sessions (revoked_at, id);

    CREATE TABLE known_places
      (user_id TEXT NOT NULL REFERENCES users (id), lookup TEXT NOT NULL, first_at BIGINT NOT NULL,
       last_at BIGINT NOT NULL, PRIMARY KEY (user_id, lookup));
    CREATE INDEX known_places_by_age ON known_places (last_at);

    CREATE TABLE sign_in_reports
      (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), address TEXT, signed_in_at BIGINT NOT NULL,
       expires_at BIGINT NOT NULL);
    CREATE INDEX sign_in_reports_by_user ON sign_in_reports (user_id);
    CREATE INDEX sign_in_reports_by_time ON sign_in_reports (expires_at);

    CREATE TABLE former_addresses
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), address TEXT NOT NULL,
       changed_at BIGINT NOT NULL, session_at BIGINT NOT NULL, factor_at BIGINT);
    CREATE INDEX former_addresses_by_user ON former_addresses (user_id, changed_at);
    CREATE INDEX former_addresses_by_time ON former_addresses (changed_at);
    """
}
