import Persistence

extension AuthMigrations {
  static let signIn = [
    Migration(
      "auth-020-known-devices",
      why: "wrong passwords of others do not lock out devices that have signed in before",
      [
        """
        CREATE TABLE known_devices
          (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), created_at BIGINT NOT NULL,
           used_at BIGINT NOT NULL)
        """,
        "CREATE INDEX known_devices_by_user ON known_devices (user_id, used_at)",
        "CREATE INDEX known_devices_by_time ON known_devices (used_at)",
      ]
    ),
    Migration(
      "auth-021-expiring-accounts",
      why: "addresses that are never verified are freed, and unused guests are deleted",
      [
        // NULL in rows of earlier versions, 0 when there is nothing to verify.
        "ALTER TABLE users ADD COLUMN unverified_since BIGINT",
        // When the user was notified that the address will be removed.
        "ALTER TABLE users ADD COLUMN expiry_noticed_at BIGINT",
        "CREATE INDEX users_unverified ON users (unverified_since) WHERE unverified_since > 0",
        "CREATE INDEX users_unexamined ON users (id) WHERE unverified_since IS NULL",
        "CREATE INDEX users_guests ON users (id) WHERE roles = 'guest'",
      ]
    ),
    Migration(
      "auth-022-disabled-clients",
      why: "clients are disabled and their secrets rotated, which ends their tokens",
      [
        "ALTER TABLE clients ADD COLUMN disabled_at BIGINT",
        // NULL in rows of earlier versions: their tokens name the client's id.
        "ALTER TABLE clients ADD COLUMN session_id TEXT",
      ]
    ),
    Migration(
      "auth-023-reserved-usernames",
      why: "nobody else takes a username as soon as its user has changed it",
      [
        "CREATE TABLE reserved_usernames (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at BIGINT NOT NULL)",
        "CREATE INDEX reserved_usernames_by_user ON reserved_usernames (user_id)",
        "CREATE INDEX reserved_usernames_by_time ON reserved_usernames (expires_at)",
      ]
    ),
  ]
}
