import Persistence

/// The tables of passwords.
enum PasswordSchema {
  static let tables: Schema = """
    CREATE TABLE mailed_tokens
      (hash TEXT PRIMARY KEY, purpose TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id),
       address TEXT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX mailed_tokens_by_user ON mailed_tokens (user_id, purpose);
    CREATE INDEX mailed_tokens_by_time ON mailed_tokens (expires_at);
    """
}
