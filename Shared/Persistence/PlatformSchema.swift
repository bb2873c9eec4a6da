/// The tables of idempotency keys, jobs, leases, rate limits and encryption keys.
enum PlatformSchema {
  static let tables: Schema = """
    CREATE TABLE idempotency_keys
      (caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, answer TEXT, created_at BIGINT NOT NULL,
       PRIMARY KEY (caller, key));
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
    CREATE INDEX idempotency_keys_by_caller ON idempotency_keys (caller, created_at);

    CREATE TABLE jobs
      (id TEXT PRIMARY KEY, kind TEXT NOT NULL, person TEXT, payload TEXT NOT NULL, attempts BIGINT NOT NULL,
       due_at BIGINT NOT NULL, claim TEXT, traceparent TEXT, dropped_at BIGINT, failure TEXT);
    CREATE INDEX jobs_due ON jobs (kind, due_at);
    CREATE INDEX jobs_by_person ON jobs (person) WHERE person IS NOT NULL;
    -- The next user's first job among long ones, which users run in turn.
    CREATE INDEX jobs_by_turn ON jobs (kind, person, due_at);
    CREATE INDEX jobs_dropped ON jobs (dropped_at) WHERE dropped_at IS NOT NULL;

    -- What one instance at a time does. Writers require the token of their grant.
    CREATE TABLE leases
      (name TEXT PRIMARY KEY, holder TEXT NOT NULL, token BIGINT NOT NULL, expires_at BIGINT NOT NULL,
       UNIQUE (name, token));

    CREATE TABLE rate_limit_states (key TEXT PRIMARY KEY, empty_at BIGINT NOT NULL, blocked_until BIGINT NOT NULL);
    CREATE INDEX rate_limit_states_by_time ON rate_limit_states (empty_at);

    CREATE TABLE data_keys (name TEXT PRIMARY KEY, sealed TEXT NOT NULL);
    """
}
