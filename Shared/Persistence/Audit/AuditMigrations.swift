/// Tables and columns of the audit trail beyond its first ones.
enum AuditMigrations {
  static let keys = Migration(
    "platform-009-audit-keys",
    why: "the chain is keyed, old entries can be removed, other services note its end, and entries tell the device",
    [
      "ALTER TABLE audit ADD COLUMN app TEXT",
      "ALTER TABLE audit ADD COLUMN device TEXT",
      "ALTER TABLE audit ADD COLUMN key TEXT",
      "CREATE INDEX audit_by_app ON audit (app, id) WHERE app IS NOT NULL",
      """
      CREATE TABLE audit_base
        (id BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, hash TEXT NOT NULL, key TEXT NOT NULL, code TEXT NOT NULL,
         removed_at BIGINT NOT NULL)
      """,
      """
      CREATE TABLE audit_heads
        (service TEXT NOT NULL, hour BIGINT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL, key TEXT NOT NULL,
         code TEXT NOT NULL, noted_at BIGINT NOT NULL, PRIMARY KEY (service, hour))
      """,
    ]
  )
}
