import Persistence

/// The tables of second factors.
enum FactorSchema {
  static let tables: Schema = """
    CREATE TABLE totp_secrets
      (user_id TEXT PRIMARY KEY REFERENCES users (id), secret TEXT NOT NULL, last_step BIGINT NOT NULL,
       created_at BIGINT NOT NULL);

    CREATE TABLE totp_enrolments
      (user_id TEXT PRIMARY KEY REFERENCES users (id), session_id TEXT NOT NULL, secret TEXT NOT NULL,
       expires_at BIGINT NOT NULL);
    CREATE INDEX totp_enrolments_by_time ON totp_enrolments (expires_at);

    CREATE TABLE recovery_codes
      (user_id TEXT NOT NULL REFERENCES users (id), hash TEXT NOT NULL, created_at BIGINT NOT NULL,
       PRIMARY KEY (user_id, hash));

    CREATE TABLE factor_tickets
      (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), app TEXT NOT NULL, methods TEXT NOT NULL,
       guest_id TEXT, device TEXT, issuer TEXT, subject TEXT, failures BIGINT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX factor_tickets_by_user ON factor_tickets (user_id);
    CREATE INDEX factor_tickets_by_time ON factor_tickets (expires_at);

    CREATE TABLE passkeys
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), credential TEXT NOT NULL,
       algorithm BIGINT NOT NULL, public_key TEXT NOT NULL, sign_count BIGINT NOT NULL,
       is_backup_eligible BIGINT NOT NULL, is_backed_up BIGINT NOT NULL, transports TEXT NOT NULL, name TEXT NOT NULL,
       created_at BIGINT NOT NULL, last_used_at BIGINT, distrusted_at BIGINT, UNIQUE (credential));
    CREATE INDEX passkeys_by_user ON passkeys (user_id, id);

    CREATE TABLE passkey_challenges
      (hash TEXT PRIMARY KEY, purpose TEXT NOT NULL, subject TEXT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX passkey_challenges_by_time ON passkey_challenges (expires_at);
    """
}
