import Persistence

/// The tables of contact messages and the newsletter.
enum MessagingSchema {
  static let tables: Schema = """
    CREATE TABLE contact_messages
      (id TEXT PRIMARY KEY, state TEXT NOT NULL, content TEXT NOT NULL, received_at BIGINT NOT NULL,
       version BIGINT NOT NULL);
    CREATE INDEX contact_messages_by_state ON contact_messages (state, id);

    CREATE TABLE newsletter_requests
      (hash TEXT PRIMARY KEY, lookup TEXT NOT NULL, content TEXT NOT NULL, user_id TEXT, expires_at BIGINT NOT NULL);
    CREATE INDEX newsletter_requests_by_address ON newsletter_requests (lookup);
    CREATE INDEX newsletter_requests_by_user ON newsletter_requests (user_id);
    CREATE INDEX newsletter_requests_by_time ON newsletter_requests (expires_at);

    CREATE TABLE newsletter_subscriptions
      (lookup TEXT PRIMARY KEY, content TEXT NOT NULL, user_id TEXT, is_account_address BIGINT NOT NULL DEFAULT 0,
       confirmed_at BIGINT NOT NULL);
    CREATE INDEX newsletter_subscriptions_by_user ON newsletter_subscriptions (user_id);

    CREATE TABLE newsletter_moves (lookup TEXT PRIMARY KEY, moved_to TEXT NOT NULL, user_id TEXT NOT NULL);
    CREATE INDEX newsletter_moves_by_user ON newsletter_moves (user_id);
    CREATE INDEX newsletter_moves_by_target ON newsletter_moves (moved_to);

    CREATE TABLE newsletter_issues
      (id TEXT PRIMARY KEY, subject TEXT NOT NULL, text TEXT NOT NULL, recipients BIGINT NOT NULL,
       sent BIGINT NOT NULL, created_at BIGINT NOT NULL);

    CREATE TABLE newsletter_deliveries
      (issue_id TEXT NOT NULL REFERENCES newsletter_issues (id), lookup TEXT NOT NULL, state TEXT NOT NULL,
       PRIMARY KEY (issue_id, lookup));
    CREATE INDEX newsletter_deliveries_by_state ON newsletter_deliveries (issue_id, state, lookup);
    CREATE INDEX newsletter_deliveries_by_address ON newsletter_deliveries (lookup);
    """
}
