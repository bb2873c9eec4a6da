import Persistence

/// The tables of sign-in.
enum SignInSchema {
  static let tables: Schema = """
    CREATE TABLE identities
      (issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id),
       created_at BIGINT NOT NULL, PRIMARY KEY (issuer, subject));
    CREATE INDEX identities_by_user ON identities (user_id);

    CREATE TABLE used_nonces (hash TEXT PRIMARY KEY, expires_at BIGINT NOT NULL);
    CREATE INDEX used_nonces_by_time ON used_nonces (expires_at);

    CREATE TABLE known_devices
      (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), created_at BIGINT NOT NULL,
       used_at BIGINT NOT NULL);
    CREATE INDEX known_devices_by_user ON known_devices (user_id, used_at);
    CREATE INDEX known_devices_by_time ON known_devices (used_at);

    -- Tokens name `session_id`, which changes when they end.
    CREATE TABLE clients
      (id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL, session_id TEXT NOT NULL,
       scopes TEXT NOT NULL, roles TEXT NOT NULL, created_at BIGINT NOT NULL, disabled_at BIGINT, UNIQUE (name));
    """
}
