import Persistence
import ServiceKit

enum AuthMigrations {
  static let all =
    TextIndex.migrations + accounts + FactorMigrations.all + signIn + SessionMigrations.all + SchoolMigrations.all
    + UndoMigrations.all + NewAccountStore.migrations + ConsentStore.migrations
    + AdministrationMigrations.featureSwitches

  private static let accounts = [
    Migration(
      "auth-001-people",
      why: "stores accounts and sessions, with personal data encrypted",
      [
        """
        CREATE TABLE users
          (id TEXT PRIMARY KEY, email_lookup TEXT, username TEXT, legacy_login TEXT, display_name TEXT NOT NULL,
           profile TEXT NOT NULL, password_hash TEXT, roles TEXT NOT NULL, is_administrator BIGINT NOT NULL,
           disabled_at BIGINT, created_at BIGINT NOT NULL, version BIGINT NOT NULL,
           UNIQUE (email_lookup), UNIQUE (username), UNIQUE (legacy_login))
        """,
        "CREATE INDEX users_administrators ON users (id) WHERE is_administrator = 1",
        """
        CREATE TABLE sessions
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), app TEXT NOT NULL, token_key TEXT NOT NULL,
           generation BIGINT NOT NULL, rotated_at BIGINT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT,
           device TEXT, address TEXT)
        """,
        "CREATE INDEX sessions_by_user ON sessions (user_id, rotated_at)",
        "CREATE INDEX sessions_by_age ON sessions (rotated_at)",
        """
        CREATE TABLE revoked_sessions (id TEXT PRIMARY KEY, revoked_at BIGINT NOT NULL)
        """,
        "CREATE INDEX revoked_sessions_by_time ON revoked_sessions (revoked_at)",
        """
        CREATE TABLE identities
          (issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id),
           created_at BIGINT NOT NULL, PRIMARY KEY (issuer, subject))
        """,
        "CREATE INDEX identities_by_user ON identities (user_id)",
        "CREATE TABLE used_nonces (hash TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)",
        "CREATE INDEX used_nonces_by_time ON used_nonces (expires_at)",
        """
        CREATE TABLE mailed_tokens
          (hash TEXT PRIMARY KEY, purpose TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id), address TEXT NOT NULL,
           expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX mailed_tokens_by_user ON mailed_tokens (user_id, purpose)",
        "CREATE INDEX mailed_tokens_by_time ON mailed_tokens (expires_at)",
        """
        CREATE TABLE attempts
          (key TEXT PRIMARY KEY, count BIGINT NOT NULL, blocked_until BIGINT NOT NULL, last_at BIGINT NOT NULL)
        """,
        "CREATE INDEX attempts_by_time ON attempts (last_at)",
        """
        CREATE TABLE connections
          (user_id TEXT NOT NULL REFERENCES users (id), other_id TEXT NOT NULL REFERENCES users (id),
           PRIMARY KEY (user_id, other_id))
        """,
        "CREATE INDEX connections_by_other ON connections (other_id)",
        """
        CREATE TABLE user_settings
          (user_id TEXT PRIMARY KEY REFERENCES users (id), settings TEXT NOT NULL, version BIGINT NOT NULL)
        """,
        """
        CREATE TABLE consents
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), purpose TEXT NOT NULL,
           text_version TEXT NOT NULL, is_given BIGINT NOT NULL, decided_at BIGINT NOT NULL)
        """,
        "CREATE INDEX consents_by_user ON consents (user_id, id)",
        """
        CREATE TABLE devices
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), session_id TEXT NOT NULL, app TEXT NOT NULL,
           token TEXT NOT NULL, token_lookup TEXT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (token_lookup))
        """,
        "CREATE INDEX devices_by_user ON devices (user_id)",
        "CREATE INDEX devices_by_session ON devices (session_id)",
        """
        CREATE TABLE reminders
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), content TEXT NOT NULL,
           due_at BIGINT NOT NULL, fired_at BIGINT, is_fired BIGINT NOT NULL)
        """,
        "CREATE INDEX reminders_by_user ON reminders (user_id, is_fired, due_at, id)",
        """
        CREATE TABLE clients
          (id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL, scopes TEXT NOT NULL, roles TEXT NOT NULL,
           created_at BIGINT NOT NULL, UNIQUE (name))
        """,
      ]
    ),
    Migration(
      "auth-002-blocks",
      why: "who has blocked someone is not shown to them",
      [
        """
        CREATE TABLE blocks
          (blocker_id TEXT NOT NULL REFERENCES users (id), blocked_id TEXT NOT NULL REFERENCES users (id),
           PRIMARY KEY (blocker_id, blocked_id))
        """,
        "CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id)",
      ]
    ),
    Migration(
      "auth-003-listed-users",
      why: "lists of users do not read past many guests",
      ["CREATE INDEX users_listed ON users (id) WHERE disabled_at IS NULL AND roles <> 'guest'"]
    ),
    Migration(
      "auth-004-entitlements",
      why: "access tokens name what plans unlock",
      [
        """
        CREATE TABLE entitlements
          (user_id TEXT NOT NULL REFERENCES users (id), subscription_id TEXT NOT NULL, plan TEXT NOT NULL,
           features TEXT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (user_id, subscription_id))
        """
      ]
    ),
    Migration(
      "auth-005-entitlements-end",
      why: "what a plan unlocks ends by itself when its service no longer reports",
      ["ALTER TABLE entitlements ADD COLUMN access_until BIGINT"]
    ),
    AdministrationMigrations.auditReports,
  ]

  static let sealedColumns =
    [
      AccountStore.profileColumn, SessionStore.keyColumn, EmailTokenStore.addressColumn, DeviceStore.tokenColumn,
      ReminderStore.contentColumn, SignInReportStore.addressColumn, GuardianStore.guardianColumn,
      SchoolMemberStore.numberColumn, FormerAddressStore.addressColumn,
    ] + FactorMigrations.sealedColumns
}
