import Persistence

/// The tables of accounts.
enum AccountSchema {
  static let tables: Schema = """
    -- `unverified_since` is 0 when there is nothing to verify, and 1 when the account expires whatever changes.
    CREATE TABLE users
      (id TEXT PRIMARY KEY, email_lookup TEXT, username TEXT, legacy_login TEXT, display_name TEXT NOT NULL,
       profile TEXT NOT NULL, password_hash TEXT, roles TEXT NOT NULL, is_administrator BIGINT NOT NULL,
       unverified_since BIGINT NOT NULL, expiry_noticed_at BIGINT, disabled_at BIGINT, created_at BIGINT NOT NULL,
       version BIGINT NOT NULL, UNIQUE (email_lookup), UNIQUE (username), UNIQUE (legacy_login));
    CREATE INDEX users_administrators ON users (id) WHERE is_administrator = 1;
    -- Lists of users do not read past many guests.
    CREATE INDEX users_listed ON users (id) WHERE disabled_at IS NULL AND roles <> 'guest';
    CREATE INDEX users_unverified ON users (unverified_since) WHERE unverified_since > 0;
    CREATE INDEX users_guests ON users (id) WHERE roles = 'guest';

    CREATE TABLE new_accounts (user_id TEXT PRIMARY KEY, created_at BIGINT NOT NULL);
    CREATE INDEX new_accounts_by_time ON new_accounts (created_at, user_id);

    CREATE TABLE reserved_usernames (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX reserved_usernames_by_user ON reserved_usernames (user_id);
    CREATE INDEX reserved_usernames_by_time ON reserved_usernames (expires_at);

    CREATE TABLE connections
      (user_id TEXT NOT NULL REFERENCES users (id), other_id TEXT NOT NULL REFERENCES users (id),
       PRIMARY KEY (user_id, other_id));
    CREATE INDEX connections_by_other ON connections (other_id);

    CREATE TABLE blocks
      (blocker_id TEXT NOT NULL REFERENCES users (id), blocked_id TEXT NOT NULL REFERENCES users (id),
       PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
    """
}
