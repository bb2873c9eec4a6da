import Persistence

/// The tables of consents, guardians and erased accounts.
enum PrivacySchema {
  static let tables: Schema = """
    CREATE TABLE user_settings
      (user_id TEXT PRIMARY KEY REFERENCES users (id), settings TEXT NOT NULL, version BIGINT NOT NULL);

    CREATE TABLE consents
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), purpose TEXT NOT NULL,
       text_version TEXT NOT NULL, is_given BIGINT NOT NULL, decided_at BIGINT NOT NULL);
    CREATE INDEX consents_in_order ON consents (user_id, decided_at, id);

    CREATE TABLE user_countries (user_id TEXT PRIMARY KEY REFERENCES users (id), country TEXT NOT NULL);

    CREATE TABLE guardian_requests
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), guardian TEXT NOT NULL,
       token_hash TEXT NOT NULL, text_version TEXT NOT NULL, state TEXT NOT NULL, asked_at BIGINT NOT NULL,
       expires_at BIGINT NOT NULL, decided_at BIGINT, UNIQUE (token_hash));
    CREATE INDEX guardian_requests_by_user ON guardian_requests (user_id, id);
    """
}
