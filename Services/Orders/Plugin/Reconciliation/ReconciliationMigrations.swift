import Persistence

enum ReconciliationMigrations {
  static let all = [
    Migration(
      "orders-052-reconciliation",
      why: "a provider's report is compared with the ledger in bounded memory",
      [
        // What a running comparison has found in the report.
        """
        CREATE TABLE reconciliation_seen
          (run TEXT NOT NULL, object TEXT NOT NULL, seen_at BIGINT NOT NULL, PRIMARY KEY (run, object))
        """,
        "CREATE INDEX reconciliation_seen_by_time ON reconciliation_seen (seen_at)",
        "CREATE INDEX payments_by_time ON payments (provider, created_at, id)",
        "CREATE INDEX refunds_by_time ON refunds (created_at, id)",
      ]
    )
  ]
}
