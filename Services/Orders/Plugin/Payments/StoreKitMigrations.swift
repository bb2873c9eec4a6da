import Persistence

enum StoreKitMigrations {
  static let all = [states, renewals]

  private static let states = Migration(
    "orders-050-storekit-states",
    why: "every signed state of a transaction is kept, and purchases that could not be booked are listed",
    [
      // 0 stands for no revocation and no expiry. A revoked share of 100,000 is the whole.
      """
      CREATE TABLE storekit_states
        (transaction_id TEXT NOT NULL, signed_at BIGINT NOT NULL, revoked_at BIGINT NOT NULL,
         revoked_share BIGINT NOT NULL, expires_at BIGINT NOT NULL, product_id TEXT NOT NULL,
         is_upgraded BIGINT NOT NULL, received_at BIGINT NOT NULL,
         PRIMARY KEY (transaction_id, signed_at, revoked_at, revoked_share, expires_at, product_id, is_upgraded))
      """,
      """
      INSERT INTO storekit_states
        (transaction_id, signed_at, revoked_at, revoked_share, expires_at, product_id, is_upgraded, received_at)
      SELECT id, signed_at, COALESCE(revoked_at, 0), CASE WHEN revoked_at IS NULL THEN 0 ELSE 100000 END,
             COALESCE(expires_at, 0), product_id, 0, signed_at
      FROM storekit_transactions
      """,
      """
      CREATE TABLE storekit_purchases
        (id TEXT PRIMARY KEY, original_id TEXT NOT NULL, user_id TEXT, order_id TEXT, amount BIGINT, currency TEXT,
         is_shared BIGINT NOT NULL, purchased_at BIGINT NOT NULL, received_at BIGINT NOT NULL, problem TEXT,
         product_id TEXT NOT NULL, signed_at BIGINT NOT NULL, revoked_at BIGINT NOT NULL,
         revoked_share BIGINT NOT NULL, expires_at BIGINT NOT NULL, is_upgraded BIGINT NOT NULL)
      """,
      """
      INSERT INTO storekit_purchases
        (id, original_id, user_id, order_id, is_shared, purchased_at, received_at, product_id, signed_at, revoked_at,
         revoked_share, expires_at, is_upgraded)
      SELECT id, original_id, user_id, order_id, 0, signed_at, signed_at, product_id, signed_at,
             COALESCE(revoked_at, 0), CASE WHEN revoked_at IS NULL THEN 0 ELSE 100000 END, COALESCE(expires_at, 0), 0
      FROM storekit_transactions
      """,
      "DROP TABLE storekit_transactions",
      "CREATE INDEX storekit_purchases_by_original ON storekit_purchases (original_id, purchased_at)",
      "CREATE INDEX storekit_purchases_by_user ON storekit_purchases (user_id, id)",
      "CREATE INDEX storekit_purchases_unmatched ON storekit_purchases (received_at, id) WHERE problem IS NOT NULL",
    ]
  )

  private static let renewals = Migration(
    "orders-051-storekit-renewals",
    why: "a subscription renews, or is in its grace period, as Apple's renewal information says",
    [
      """
      CREATE TABLE storekit_renewals
        (original_id TEXT PRIMARY KEY, signed_at BIGINT NOT NULL, renews BIGINT NOT NULL, next_product TEXT,
         is_retrying BIGINT NOT NULL, grace_until BIGINT)
      """
    ]
  )
}
