import Persistence
import ServiceKit

enum PaymentMigrations {
  static let all = [customers, methods, asked, settings]

  static let sealedColumns = [
    PaymentMethodStore.tokenColumn, PaymentMethodStore.secretColumn, PaymentSettingsStore.contactColumn,
  ]

  private static let customers = Migration(
    "orders-020-stripe-customers",
    why: "Stripe charges a kept card only with the customer that it is attached to",
    ["CREATE TABLE stripe_customers (user_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL)"]
  )

  private static let methods = Migration(
    "orders-021-payment-method-setup",
    why:
      "a card is set up with the provider, which may need the bank's confirmation; it shows brand, last four, expiry",
    [
      """
      CREATE TABLE payment_methods_set_up
        (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, provider TEXT NOT NULL, token TEXT, token_lookup TEXT,
         label TEXT NOT NULL, state TEXT NOT NULL, setup TEXT, client_secret TEXT, failure TEXT, brand TEXT,
         last_four TEXT, expiry_month BIGINT, expiry_year BIGINT, created_at BIGINT NOT NULL)
      """,
      // Stripe never attached its tokens to a customer, so they cannot pay again.
      """
      INSERT INTO payment_methods_set_up (id, user_id, provider, token, label, state, failure, created_at)
      SELECT id, user_id, provider, CASE provider WHEN 'stripe' THEN NULL ELSE token END, label,
        CASE provider WHEN 'stripe' THEN 'failed' ELSE 'ready' END,
        CASE provider WHEN 'stripe' THEN 'not_attached' END, created_at
      FROM payment_methods
      """,
      "DROP TABLE payment_methods",
      "ALTER TABLE payment_methods_set_up RENAME TO payment_methods",
      "CREATE INDEX payment_methods_by_user ON payment_methods (user_id, id)",
      "CREATE INDEX payment_methods_by_setup ON payment_methods (setup) WHERE setup IS NOT NULL",
      "CREATE INDEX payment_methods_by_token ON payment_methods (token_lookup) WHERE token_lookup IS NOT NULL",
    ]
  )

  private static let asked = Migration(
    "orders-022-payment-asked",
    why: "a provider is not asked for the state of a payment or a method more often than every few seconds",
    ["ALTER TABLE payments ADD COLUMN asked_at BIGINT", "ALTER TABLE payment_methods ADD COLUMN asked_at BIGINT"]
  )

  private static let settings = Migration(
    "orders-023-payment-settings",
    why: "the contact data of a user's payments",
    ["CREATE TABLE payment_settings (user_id TEXT PRIMARY KEY, contact TEXT NOT NULL)"]
  )
}
