import Persistence

enum UndoMigrations {
  static let all = [
    Migration(
      "auth-035-undone-sign-ins",
      why: "what was added to an account since a sign-in that was somebody else's is taken back",
      [
        // NULL in reports of earlier versions: they take nothing back.
        "ALTER TABLE sign_in_reports ADD COLUMN signed_in_at BIGINT",
        "ALTER TABLE known_places ADD COLUMN first_at BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE recovery_codes ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0",
        """
        CREATE TABLE former_addresses
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), address TEXT NOT NULL,
           changed_at BIGINT NOT NULL, session_at BIGINT NOT NULL, factor_at BIGINT)
        """,
        "CREATE INDEX former_addresses_by_user ON former_addresses (user_id, changed_at)",
        "CREATE INDEX former_addresses_by_time ON former_addresses (changed_at)",
      ]
    ),
    Migration(
      "auth-036-linked-identities",
      why: "a provider is linked to a protected account once its second factor is proved",
      ["ALTER TABLE factor_tickets ADD COLUMN issuer TEXT", "ALTER TABLE factor_tickets ADD COLUMN subject TEXT"]
    ),
  ]
}
