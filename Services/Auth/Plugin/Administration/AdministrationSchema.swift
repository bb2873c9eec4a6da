import Persistence

/// The tables of administration.
enum AdministrationSchema {
  static let tables: Schema = """
    CREATE TABLE entitlements
      (user_id TEXT NOT NULL REFERENCES users (id), subscription_id TEXT NOT NULL, plan TEXT NOT NULL,
       features TEXT NOT NULL, until BIGINT NOT NULL, access_until BIGINT,
       PRIMARY KEY (user_id, subscription_id));

    CREATE TABLE audit_reports (period TEXT PRIMARY KEY, reported_at BIGINT NOT NULL);

    CREATE TABLE feature_switches (name TEXT PRIMARY KEY, is_on BIGINT NOT NULL, version BIGINT NOT NULL);
    """
}
