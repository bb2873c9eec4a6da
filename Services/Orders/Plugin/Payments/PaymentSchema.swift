import Persistence

/// The tables of payments.
enum PaymentSchema {
  static let tables: Schema = """
    CREATE TABLE payments
      (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), provider TEXT NOT NULL,
       status TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL, token TEXT, reference TEXT,
       client_secret TEXT, failure TEXT, asked_at BIGINT, created_at BIGINT NOT NULL, UNIQUE (provider, reference));
    CREATE INDEX payments_by_order ON payments (order_id, id);
    CREATE INDEX payments_by_time ON payments (provider, created_at, id);

    CREATE TABLE webhook_events
      (provider TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (provider, id));
    CREATE INDEX webhook_events_by_age ON webhook_events (received_at);

    CREATE TABLE stripe_customers (user_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL);

    CREATE TABLE payment_methods
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, provider TEXT NOT NULL, token TEXT, token_lookup TEXT,
       label TEXT NOT NULL, state TEXT NOT NULL, setup TEXT, client_secret TEXT, failure TEXT, brand TEXT,
       last_four TEXT, expiry_month BIGINT, expiry_year BIGINT, asked_at BIGINT, created_at BIGINT NOT NULL);
    CREATE INDEX payment_methods_by_user ON payment_methods (user_id, id);
    CREATE INDEX payment_methods_by_setup ON payment_methods (setup) WHERE setup IS NOT NULL;
    CREATE INDEX payment_methods_by_token ON payment_methods (token_lookup) WHERE token_lookup IS NOT NULL;

    CREATE TABLE payment_settings (user_id TEXT PRIMARY KEY, contact TEXT NOT NULL);

    -- Every signed state. 0 stands for no revocation and no expiry. A revoked share of 100,000 is the whole.
    CREATE TABLE storekit_states
      (transaction_id TEXT NOT NULL, signed_at BIGINT NOT NULL, revoked_at BIGINT NOT NULL,
       revoked_share BIGINT NOT NULL, expires_at BIGINT NOT NULL, product_id TEXT NOT NULL,
       is_upgraded BIGINT NOT NULL, received_at BIGINT NOT NULL,
       PRIMARY KEY (transaction_id, signed_at, revoked_at, revoked_share, expires_at, product_id, is_upgraded));

    CREATE TABLE storekit_purchases
      (id TEXT PRIMARY KEY, original_id TEXT NOT NULL, user_id TEXT, order_id TEXT, amount BIGINT, currency TEXT,
       is_shared BIGINT NOT NULL, purchased_at BIGINT NOT NULL, received_at BIGINT NOT NULL, problem TEXT,
       product_id TEXT NOT NULL, signed_at BIGINT NOT NULL, revoked_at BIGINT NOT NULL, revoked_share BIGINT NOT NULL,
       expires_at BIGINT NOT NULL, is_upgraded BIGINT NOT NULL);
    CREATE INDEX storekit_purchases_by_original ON storekit_purchases (original_id, purchased_at);
    CREATE INDEX storekit_purchases_by_user ON storekit_purchases (user_id, id);
    CREATE INDEX storekit_purchases_unmatched ON storekit_purchases (received_at, id) WHERE problem IS NOT NULL;

    CREATE TABLE storekit_renewals
      (original_id TEXT PRIMARY KEY, signed_at BIGINT NOT NULL, renews BIGINT NOT NULL, next_product TEXT,
       is_retrying BIGINT NOT NULL, grace_until BIGINT);
    """
}
