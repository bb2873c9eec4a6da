import Persistence

/// The tables of schools, minors and notifications.
enum SchoolMigrations {
  static let all = [
    Migration(
      "auth-040-notification-counts",
      why: "the notifications of a user on one day are bounded",
      [
        """
        CREATE TABLE notification_counts
          (user_id TEXT NOT NULL REFERENCES users (id), kind TEXT NOT NULL, day TEXT NOT NULL, count BIGINT NOT NULL,
           PRIMARY KEY (user_id, kind))
        """
      ]
    ),
    Migration(
      "auth-041-guardians",
      why: "minors publish only with the consent of a guardian",
      [
        "CREATE TABLE user_countries (user_id TEXT PRIMARY KEY REFERENCES users (id), country TEXT NOT NULL)",
        """
        CREATE TABLE guardian_requests
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), guardian TEXT NOT NULL,
           token_hash TEXT NOT NULL, text_version TEXT NOT NULL, state TEXT NOT NULL, asked_at BIGINT NOT NULL,
           expires_at BIGINT NOT NULL, decided_at BIGINT, UNIQUE (token_hash))
        """,
        "CREATE INDEX guardian_requests_by_user ON guardian_requests (user_id, id)",
      ]
    ),
    Migration(
      "auth-042-schools",
      why: "institutions manage accounts",
      [
        """
        CREATE TABLE schools
          (id TEXT PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, is_active BIGINT NOT NULL,
           created_at BIGINT NOT NULL, version BIGINT NOT NULL)
        """,
        """
        CREATE TABLE school_members
          (id TEXT PRIMARY KEY, school_id TEXT NOT NULL REFERENCES schools (id),
           user_id TEXT NOT NULL REFERENCES users (id), role TEXT NOT NULL, number TEXT, number_lookup TEXT,
           joined_at BIGINT NOT NULL, left_at BIGINT, UNIQUE (school_id, number_lookup), UNIQUE (school_id, user_id))
        """,
        "CREATE INDEX school_members_by_school ON school_members (school_id, id)",
        "CREATE INDEX school_members_by_user ON school_members (user_id)",
        """
        CREATE TABLE temporary_passwords
          (user_id TEXT PRIMARY KEY REFERENCES users (id), expires_at BIGINT NOT NULL)
        """,
      ]
    ),
    Migration(
      "auth-043-issuers",
      why: "temporary passwords end with the rights of those who know them",
      [
        "ALTER TABLE temporary_passwords ADD COLUMN issued_by TEXT",
        "CREATE INDEX temporary_passwords_by_issuer ON temporary_passwords (issued_by)",
      ]
    ),
    Migration(
      "auth-044-school-imports",
      why: "a school imports one list at a time",
      [
        """
        CREATE TABLE school_imports
          (school_id TEXT PRIMARY KEY REFERENCES schools (id), id TEXT NOT NULL, ends_at BIGINT NOT NULL)
        """
      ]
    ),
  ]
}
