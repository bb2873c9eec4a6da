import Persistence

enum AuthMigrations {
  static let all = [
    Migration(
      "auth-001-accounts",
      why: "people sign up and stay signed in",
      [
        """
        CREATE TABLE users
          (id TEXT PRIMARY KEY, email TEXT NOT NULL, username TEXT NOT NULL, display_name TEXT NOT NULL, bio TEXT,
           password_hash TEXT NOT NULL, roles TEXT NOT NULL, created_at BIGINT NOT NULL, version BIGINT NOT NULL,
           UNIQUE (email), UNIQUE (username))
        """,
        """
        CREATE TABLE sessions
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), app TEXT NOT NULL, token_key TEXT NOT NULL,
           generation BIGINT NOT NULL, rotated_at BIGINT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT)
        """,
        "CREATE INDEX sessions_by_user ON sessions (user_id) WHERE revoked_at IS NULL",
        "CREATE INDEX sessions_revoked ON sessions (revoked_at) WHERE revoked_at IS NOT NULL",
      ]
    )
  ]
}
