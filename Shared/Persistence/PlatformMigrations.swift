/// Tables that every service has for events, idempotency keys, the audit trail, jobs, encryption keys and rate limits.
public enum PlatformMigrations {
  public static let all =
    [
      Migration(
        "platform-001-events",
        why: "events commit with their effect and are applied exactly once",
        [
          """
          CREATE TABLE event_subscriptions
            (subscriber TEXT PRIMARY KEY, url TEXT NOT NULL, types TEXT NOT NULL, updated_at BIGINT NOT NULL)
          """,
          """
          CREATE TABLE outbox
            (id TEXT PRIMARY KEY, type TEXT NOT NULL, subject TEXT NOT NULL, data TEXT NOT NULL, traceparent TEXT,
             recorded_at BIGINT NOT NULL, is_distributed BIGINT NOT NULL)
          """,
          "CREATE INDEX outbox_waiting ON outbox (id) WHERE is_distributed = 0",
          "CREATE INDEX outbox_by_age ON outbox (recorded_at)",
          """
          CREATE TABLE outbox_deliveries
            (subscriber TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES outbox (id), subject TEXT NOT NULL,
             attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, is_dead BIGINT NOT NULL, failure TEXT,
             PRIMARY KEY (subscriber, event_id))
          """,
          "CREATE INDEX outbox_deliveries_lane ON outbox_deliveries (subscriber, subject, event_id) WHERE is_dead = 0",
          "CREATE INDEX outbox_deliveries_due ON outbox_deliveries (due_at) WHERE is_dead = 0",
          "CREATE INDEX outbox_deliveries_event ON outbox_deliveries (event_id)",
          "CREATE TABLE inbox (source TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (source, id))",
          "CREATE INDEX inbox_by_age ON inbox (received_at)",
        ]
      ),
      Migration(
        "platform-002-idempotency-keys",
        why: "a retried request has one effect and receives the same response",
        [
          """
          CREATE TABLE idempotency_keys
            (caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, answer TEXT, created_at BIGINT NOT NULL,
             PRIMARY KEY (caller, key))
          """,
          "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)",
        ]
      ),
      Migration(
        "platform-003-audit",
        why: "actions are recorded in a tamper-evident audit trail",
        [
          """
          CREATE TABLE audit
            (id TEXT PRIMARY KEY, sequence BIGINT, at BIGINT NOT NULL, actor TEXT NOT NULL, session TEXT, address TEXT,
             action TEXT NOT NULL, object TEXT NOT NULL, changes TEXT NOT NULL, hash TEXT, UNIQUE (sequence))
          """,
          "CREATE INDEX audit_unchained ON audit (id) WHERE sequence IS NULL",
          "CREATE INDEX audit_by_actor ON audit (actor, id)",
          "CREATE INDEX audit_by_object ON audit (object, id)",
          "CREATE INDEX audit_by_action ON audit (action, id)",
          "CREATE INDEX audit_by_time ON audit (at)",
        ]
      ),
      Migration(
        "platform-004-jobs-and-keys",
        why: "background jobs commit with their cause; a database detects wrong encryption keys",
        [
          """
          CREATE TABLE jobs
            (id TEXT PRIMARY KEY, kind TEXT NOT NULL, person TEXT, payload TEXT NOT NULL, attempts BIGINT NOT NULL,
             due_at BIGINT NOT NULL)
          """,
          "CREATE INDEX jobs_due ON jobs (kind, due_at)",
          "CREATE INDEX jobs_by_person ON jobs (person) WHERE person IS NOT NULL",
          "CREATE TABLE data_keys (name TEXT PRIMARY KEY, sealed TEXT NOT NULL)",
        ]
      ),
      Migration(
        "platform-005-keys-by-caller",
        why: "an index finds the expired keys of a caller without reading the others",
        ["CREATE INDEX idempotency_keys_by_caller ON idempotency_keys (caller, created_at)"]
      ),
      Migration(
        "platform-006-rate-limits",
        why: "one table counts the attempts of all rate limits",
        [
          """
          CREATE TABLE rate_limit_states (key TEXT PRIMARY KEY, empty_at BIGINT NOT NULL, blocked_until BIGINT NOT NULL)
          """,
          "CREATE INDEX rate_limit_states_by_time ON rate_limit_states (empty_at)",
        ]
      ),
      Migration(
        "platform-007-job-claims",
        why: "a run of a job that was replaced since does not complete the new one",
        ["ALTER TABLE jobs ADD COLUMN claim TEXT"]
      ),
      Migration(
        "platform-008-jobs-by-turn",
        why: "an index finds the next user's first job among long ones, which users run in turn",
        ["CREATE INDEX jobs_by_turn ON jobs (kind, person, due_at)"]
      ),
      AuditMigrations.keys,
    ] + EventMigrations.all + BusMigrations.all + SharedWorkMigrations.all
}
