import Persistence

/// The tables of schools.
enum SchoolSchema {
  static let tables: Schema = """
    CREATE TABLE schools
      (id TEXT PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, is_active BIGINT NOT NULL,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);

    CREATE TABLE school_members
      (id TEXT PRIMARY KEY, school_id TEXT NOT NULL REFERENCES schools (id),
       user_id TEXT NOT NULL REFERENCES users (id), role TEXT NOT NULL, number TEXT, number_lookup TEXT,
       joined_at BIGINT NOT NULL, left_at BIGINT, UNIQUE (school_id, number_lookup), UNIQUE (school_id, user_id));
    CREATE INDEX school_members_by_school ON school_members (school_id, id);
    CREATE INDEX school_members_by_user ON school_members (user_id);

    -- `issued_by` is NULL when the account of whoever has issued it is deleted.
    CREATE TABLE temporary_passwords
      (user_id TEXT PRIMARY KEY REFERENCES users (id), issued_by TEXT, expires_at BIGINT NOT NULL);
    CREATE INDEX temporary_passwords_by_issuer ON temporary_passwords (issued_by);

    CREATE TABLE school_imports
      (school_id TEXT PRIMARY KEY REFERENCES schools (id), id TEXT NOT NULL, ends_at BIGINT NOT NULL);
    """
}
