/// The tables of the audit trail.
enum AuditSchema {
  static let tables: Schema = """
    CREATE TABLE audit
      (id TEXT PRIMARY KEY, sequence BIGINT, at BIGINT NOT NULL, actor TEXT NOT NULL, session TEXT, address TEXT,
       app TEXT, device TEXT, action TEXT NOT NULL, object TEXT NOT NULL, changes TEXT NOT NULL, hash TEXT, key TEXT,
       UNIQUE (sequence));
    CREATE INDEX audit_unchained ON audit (id) WHERE sequence IS NULL;
    CREATE INDEX audit_by_actor ON audit (actor, id);
    CREATE INDEX audit_by_object ON audit (object, id);
    CREATE INDEX audit_by_action ON audit (action, id);
    CREATE INDEX audit_by_time ON audit (at);
    CREATE INDEX audit_by_app ON audit (app, id) WHERE app IS NOT NULL;

    CREATE TABLE audit_base
      (id BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, hash TEXT NOT NULL, key TEXT NOT NULL, code TEXT NOT NULL,
       removed_at BIGINT NOT NULL);

    CREATE TABLE audit_heads
      (service TEXT NOT NULL, hour BIGINT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL, key TEXT NOT NULL,
       code TEXT NOT NULL, noted_at BIGINT NOT NULL, PRIMARY KEY (service, hour));
    """
}
