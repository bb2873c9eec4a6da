import Persistence
import ServiceKit

enum OrdersMigrations {
  static let all =
    [
      carts, orders, payments, ledger, auctions, offers, licenses, plans, fixedInSQLite, fixedInPostgreSQL,
      americanSpelling, blocks, licensedRecordings, expiringOffers,
    ] + PaymentMigrations.all + RefundMigrations.all + PlanMigrations.all + RightsMigrations.all + CartMigrations.all
    + AuctionMigrations.all + StoreKitMigrations.all + ReconciliationMigrations.all + LedgerMigrations.all
    + SellerMigrations.all

  static let sealedColumns =
    [
      OrderStore.addressColumn, PaymentStore.secretColumn, PaymentStore.tokenColumn, OfferStore.messageColumn,
      PayoutAccountStore.accountColumn, PayoutStore.accountColumn,
    ] + PaymentMigrations.sealedColumns + PlanMigrations.sealedColumns

  private static let carts = Migration(
    "orders-001-carts",
    why: "each user has one open cart",
    [
      """
      CREATE TABLE carts
        (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, status TEXT NOT NULL, order_id TEXT, version BIGINT NOT NULL,
         created_at BIGINT NOT NULL)
      """,
      "CREATE UNIQUE INDEX carts_open ON carts (user_id) WHERE status = 'precheckout'",
      "CREATE INDEX carts_by_user ON carts (user_id)",
      """
      CREATE TABLE cart_items
        (id TEXT PRIMARY KEY, cart_id TEXT NOT NULL REFERENCES carts (id), thing TEXT NOT NULL, product_id TEXT,
         variant_id TEXT, listing_id TEXT, licence TEXT, title TEXT NOT NULL, quantity BIGINT NOT NULL,
         amount BIGINT NOT NULL, currency TEXT NOT NULL, UNIQUE (cart_id, thing))
      """,
      "CREATE INDEX cart_items_by_listing ON cart_items (listing_id) WHERE listing_id IS NOT NULL",
      """
      CREATE TABLE pricing_rules (id BIGINT PRIMARY KEY, rules TEXT NOT NULL, version BIGINT NOT NULL)
      """,
    ]
  )

  private static let orders = Migration(
    "orders-002-orders",
    why: "a cart becomes exactly one order",
    [
      """
      CREATE TABLE orders
        (id TEXT PRIMARY KEY, cart_id TEXT, user_id TEXT, source TEXT NOT NULL, source_id TEXT, status TEXT NOT NULL,
         payment_status TEXT NOT NULL, fulfilment_status TEXT, currency TEXT NOT NULL, subtotal BIGINT NOT NULL,
         tax BIGINT NOT NULL, shipping BIGINT NOT NULL, total BIGINT NOT NULL, credit BIGINT NOT NULL,
         refunded BIGINT NOT NULL, address TEXT, carrier TEXT, tracking TEXT, stock TEXT NOT NULL, pay_by BIGINT,
         created_at BIGINT NOT NULL, placed_at BIGINT, version BIGINT NOT NULL, UNIQUE (cart_id))
      """,
      "CREATE INDEX orders_by_user ON orders (user_id, id)",
      "CREATE INDEX orders_by_status ON orders (status, id)",
      "CREATE INDEX orders_by_fulfilment ON orders (fulfilment_status, id)",
      """
      CREATE TABLE order_lines
        (order_id TEXT NOT NULL REFERENCES orders (id), position BIGINT NOT NULL, product_id TEXT, variant_id TEXT,
         listing_id TEXT, licence TEXT, seller_id TEXT, title TEXT NOT NULL, sku TEXT, image TEXT,
         quantity BIGINT NOT NULL, unit_amount BIGINT NOT NULL, tax_rate BIGINT NOT NULL, net BIGINT NOT NULL,
         tax BIGINT NOT NULL, gross BIGINT NOT NULL, terms TEXT, audio TEXT, PRIMARY KEY (order_id, position))
      """,
      """
      CREATE TABLE order_changes
        (order_id TEXT NOT NULL REFERENCES orders (id), position BIGINT NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL,
         axis TEXT NOT NULL, was TEXT, becomes TEXT NOT NULL, reason TEXT, PRIMARY KEY (order_id, position))
      """,
      """
      CREATE TABLE refunds
        (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), payment_id TEXT, amount BIGINT NOT NULL,
         currency TEXT NOT NULL, is_surplus BIGINT NOT NULL, status TEXT NOT NULL, reason TEXT, created_at BIGINT NOT NULL)
      """,
      "CREATE INDEX refunds_by_order ON refunds (order_id, id)",
      "CREATE TABLE exclusive_claims (listing_id TEXT PRIMARY KEY, order_id TEXT NOT NULL)",
      "CREATE INDEX exclusive_claims_by_order ON exclusive_claims (order_id)",
    ]
  )

  private static let payments = Migration(
    "orders-003-payments",
    why: "payment providers may send a notification more than once",
    [
      """
      CREATE TABLE payments
        (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), provider TEXT NOT NULL, status TEXT NOT NULL,
         amount BIGINT NOT NULL, currency TEXT NOT NULL, token TEXT, reference TEXT, client_secret TEXT, failure TEXT,
         created_at BIGINT NOT NULL, UNIQUE (provider, reference))
      """,
      "CREATE INDEX payments_by_order ON payments (order_id, id)",
      """
      CREATE TABLE webhook_events
        (provider TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (provider, id))
      """,
      "CREATE INDEX webhook_events_by_age ON webhook_events (received_at)",
      """
      CREATE TABLE payment_methods
        (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, provider TEXT NOT NULL, token TEXT NOT NULL, label TEXT NOT NULL,
         created_at BIGINT NOT NULL)
      """,
      "CREATE INDEX payment_methods_by_user ON payment_methods (user_id, id)",
      """
      CREATE TABLE storekit_transactions
        (id TEXT PRIMARY KEY, original_id TEXT NOT NULL, product_id TEXT NOT NULL, user_id TEXT, order_id TEXT,
         expires_at BIGINT, revoked_at BIGINT, signed_at BIGINT NOT NULL)
      """,
      "CREATE INDEX storekit_transactions_by_original ON storekit_transactions (original_id)",
      "CREATE INDEX storekit_transactions_by_user ON storekit_transactions (user_id)",
    ]
  )

  private static let ledger = Migration(
    "orders-004-ledger",
    why: "an append-only, double-entry ledger",
    [
      """
      CREATE TABLE ledger_transfers
        (id TEXT PRIMARY KEY, debit TEXT NOT NULL, credit TEXT NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0),
         currency TEXT NOT NULL, code TEXT NOT NULL, order_id TEXT, created_at BIGINT NOT NULL)
      """,
      "CREATE INDEX ledger_transfers_by_debit ON ledger_transfers (debit, created_at, id)",
      "CREATE INDEX ledger_transfers_by_credit ON ledger_transfers (credit, created_at, id)",
      "CREATE INDEX ledger_transfers_by_order ON ledger_transfers (order_id)",
      """
      CREATE TABLE ledger_balances
        (account TEXT NOT NULL, currency TEXT NOT NULL, posted BIGINT NOT NULL, held BIGINT NOT NULL CHECK (held >= 0),
         PRIMARY KEY (account, currency))
      """,
      """
      CREATE TABLE ledger_holds
        (id TEXT PRIMARY KEY, account TEXT NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
         state TEXT NOT NULL, expires_at BIGINT NOT NULL)
      """,
      "CREATE INDEX ledger_holds_by_account ON ledger_holds (account, state)",
      "CREATE INDEX ledger_holds_open ON ledger_holds (expires_at) WHERE state = 'open'",
    ]
  )

  private static let fixedInSQLite = Migration(
    "orders-009-ledger-is-fixed-sqlite",
    why: "ledger transfers are immutable",
    on: .sqlite,
    [
      """
      CREATE TRIGGER ledger_transfers_stay BEFORE UPDATE ON ledger_transfers
      BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
      """,
      """
      CREATE TRIGGER ledger_transfers_are_kept BEFORE DELETE ON ledger_transfers
      BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END
      """,
    ]
  )

  private static let fixedInPostgreSQL = Migration(
    "orders-009-ledger-is-fixed-postgresql",
    why: "ledger transfers are immutable",
    on: .postgresql,
    [
      """
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''the ledger is append-only''; END'
      """,
      """
      CREATE TRIGGER ledger_transfers_stay BEFORE UPDATE OR DELETE ON ledger_transfers
      FOR EACH ROW EXECUTE FUNCTION refuse_change()
      """,
    ]
  )

  private static let auctions = Migration(
    "orders-005-auctions",
    why: "listings are sold to the highest bidder",
    [
      """
      CREATE TABLE auctions
        (id TEXT PRIMARY KEY, listing_id TEXT NOT NULL, seller_id TEXT NOT NULL, status TEXT NOT NULL,
         currency TEXT NOT NULL, start_price BIGINT NOT NULL, reserve BIGINT, buy_now BIGINT, opens_at BIGINT NOT NULL,
         closes_at BIGINT NOT NULL, original_closes_at BIGINT NOT NULL, extension_count BIGINT NOT NULL,
         leader_id TEXT, leader_maximum BIGINT, price BIGINT, bid_count BIGINT NOT NULL, sequence BIGINT NOT NULL,
         listing TEXT NOT NULL, order_id TEXT)
      """,
      "CREATE UNIQUE INDEX auctions_running ON auctions (listing_id) WHERE status IN ('scheduled', 'open')",
      "CREATE INDEX auctions_by_listing ON auctions (listing_id, id)",
      "CREATE INDEX auctions_by_seller ON auctions (seller_id, id)",
      "CREATE INDEX auctions_by_status ON auctions (status, id)",
      """
      CREATE TABLE auction_bids
        (id TEXT PRIMARY KEY, auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT, maximum BIGINT NOT NULL,
         price BIGINT NOT NULL, at BIGINT NOT NULL)
      """,
      "CREATE INDEX auction_bids_by_auction ON auction_bids (auction_id, id)",
      """
      CREATE TABLE auction_bidders
        (auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT NOT NULL, name TEXT NOT NULL,
         maximum BIGINT NOT NULL, bid_at BIGINT NOT NULL, PRIMARY KEY (auction_id, bidder_id))
      """,
      "CREATE INDEX auction_bidders_by_bidder ON auction_bidders (bidder_id)",
      """
      CREATE TABLE auction_events
        (auction_id TEXT NOT NULL REFERENCES auctions (id), sequence BIGINT NOT NULL, event TEXT NOT NULL,
         PRIMARY KEY (auction_id, sequence))
      """,
    ]
  )

  private static let offers = Migration(
    "orders-006-offers",
    why: "buyers and sellers negotiate",
    [
      """
      CREATE TABLE offers
        (id TEXT PRIMARY KEY, parent_id TEXT, listing_id TEXT NOT NULL, licence TEXT NOT NULL, buyer_id TEXT NOT NULL,
         seller_id TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL,
         made_by TEXT NOT NULL, is_final BIGINT NOT NULL, lower_bound BIGINT NOT NULL, upper_bound BIGINT NOT NULL,
         hours BIGINT NOT NULL, message TEXT, conversation_id TEXT, created_at BIGINT NOT NULL,
         expires_at BIGINT NOT NULL, listing TEXT NOT NULL, order_id TEXT)
      """,
      "CREATE INDEX offers_by_buyer ON offers (buyer_id, id)",
      "CREATE INDEX offers_by_seller ON offers (seller_id, id)",
      "CREATE INDEX offers_by_listing ON offers (listing_id, status)",
      "CREATE INDEX offers_by_negotiation ON offers (buyer_id, listing_id, made_by)",
      "CREATE INDEX offers_by_order ON offers (order_id) WHERE order_id IS NOT NULL",
    ]
  )

  private static let licenses = Migration(
    "orders-007-licences",
    why: "sold terms never change; the exclusive right is sold once",
    [
      """
      CREATE TABLE licences
        (id TEXT PRIMARY KEY, listing_id TEXT NOT NULL, kind TEXT NOT NULL, holder_id TEXT, seller_id TEXT,
         order_id TEXT NOT NULL REFERENCES orders (id), amount BIGINT NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL,
         granted_at BIGINT NOT NULL, expires_at BIGINT, terms TEXT NOT NULL, terms_hash TEXT NOT NULL, files TEXT NOT NULL,
         audio TEXT NOT NULL, prior_licences BIGINT NOT NULL)
      """,
      "CREATE UNIQUE INDEX licences_exclusive ON licences (listing_id) WHERE kind = 'exclusive' AND status = 'active'",
      "CREATE INDEX licences_by_holder ON licences (holder_id, id)",
      "CREATE INDEX licences_by_seller ON licences (seller_id, id)",
      "CREATE INDEX licences_by_listing ON licences (listing_id, status)",
      "CREATE INDEX licences_by_order ON licences (order_id)",
    ]
  )

  private static let plans = Migration(
    "orders-008-plans",
    why: "premium plans are paid monthly",
    [
      """
      CREATE TABLE subscriptions
        (id TEXT PRIMARY KEY, user_id TEXT, plan TEXT NOT NULL, provider TEXT NOT NULL, reference TEXT NOT NULL,
         until BIGINT NOT NULL, renews BIGINT NOT NULL, is_active BIGINT NOT NULL, changed_at BIGINT NOT NULL,
         UNIQUE (provider, reference))
      """,
      "CREATE INDEX subscriptions_by_user ON subscriptions (user_id, id)",
      "CREATE INDEX subscriptions_active ON subscriptions (until) WHERE is_active = 1",
    ]
  )

  private static let blocks = Migration(
    "orders-010-blocks",
    why: "users who have blocked each other make each other no offers",
    [
      """
      CREATE TABLE blocks
        (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id))
      """,
      "CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id)",
      "CREATE INDEX offers_pending ON offers (buyer_id, seller_id) WHERE status = 'pending'",
    ]
  )

  private static let licensedRecordings = Migration(
    "orders-011-licensed-recordings",
    why: "media-index asks which files of a recording a user has licensed",
    ["CREATE INDEX licenses_by_recording ON licenses (audio, holder_id)"]
  )

  private static let expiringOffers = Migration(
    "orders-012-expiring-offers",
    why: "the recording of an offer is kept until the offer expires",
    ["CREATE INDEX offers_by_expiry ON offers (expires_at) WHERE status = 'pending'"]
  )

  private static let americanSpelling = Migration(
    "orders-009-american-spelling",
    why: "one spelling on the wire, in code and in tables: license, fulfillment",
    [
      "ALTER TABLE licences RENAME TO licenses",
      "ALTER TABLE licenses RENAME COLUMN prior_licences TO prior_licenses",
      "ALTER TABLE cart_items RENAME COLUMN licence TO license",
      "ALTER TABLE cart_items RENAME COLUMN thing TO item_key",
      "ALTER TABLE order_lines RENAME COLUMN licence TO license",
      "ALTER TABLE offers RENAME COLUMN licence TO license",
      "ALTER TABLE orders RENAME COLUMN fulfilment_status TO fulfillment_status",
      "UPDATE order_changes SET axis = 'fulfillment' WHERE axis = 'fulfilment'",
      "UPDATE pricing_rules SET rules = REPLACE(rules, '\"taxClass\":\"licence\"', '\"taxClass\":\"license\"')",
      "UPDATE auctions SET listing = REPLACE(listing, '\"licences\":', '\"licenses\":')",
      "UPDATE offers SET listing = REPLACE(listing, '\"licences\":', '\"licenses\":')",
    ]
  )
}
