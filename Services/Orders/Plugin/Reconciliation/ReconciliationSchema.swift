import Persistence

/// The tables of reconciliation.
enum ReconciliationSchema {
  static let tables: Schema = """
    -- What a running comparison has found in the report.
    CREATE TABLE reconciliation_seen
      (run TEXT NOT NULL, object TEXT NOT NULL, seen_at BIGINT NOT NULL, PRIMARY KEY (run, object));
    CREATE INDEX reconciliation_seen_by_time ON reconciliation_seen (seen_at);
    """
}
