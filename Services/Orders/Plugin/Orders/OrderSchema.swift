import Persistence

/// The tables of orders.
enum OrderSchema {
  static let tables: Schema = """
    -- What is taken back of lines and shipping is `returned`; what buyers have got of it, `refunded`.
    CREATE TABLE orders
      (id TEXT PRIMARY KEY, cart_id TEXT, user_id TEXT, source TEXT NOT NULL, source_id TEXT, status TEXT NOT NULL,
       payment_status TEXT NOT NULL, fulfillment_status TEXT, currency TEXT NOT NULL, subtotal BIGINT NOT NULL,
       tax BIGINT NOT NULL, shipping BIGINT NOT NULL, total BIGINT NOT NULL, credit BIGINT NOT NULL,
       refunded BIGINT NOT NULL, returned BIGINT NOT NULL DEFAULT 0, returned_shipping BIGINT NOT NULL DEFAULT 0,
       returned_shipping_tax BIGINT NOT NULL DEFAULT 0, address TEXT, region TEXT, carrier TEXT, tracking TEXT,
       stock TEXT NOT NULL, pay_by BIGINT, created_at BIGINT NOT NULL, placed_at BIGINT, version BIGINT NOT NULL,
       UNIQUE (cart_id));
    CREATE INDEX orders_by_user ON orders (user_id, id);
    CREATE INDEX orders_by_status ON orders (status, id);
    CREATE INDEX orders_by_fulfillment ON orders (fulfillment_status, id);
    CREATE INDEX orders_unpaid ON orders (user_id, created_at) WHERE placed_at IS NULL;
    CREATE INDEX orders_owed ON orders (user_id, status)
      WHERE status = 'pendingPayment' AND payment_status <> 'paid' AND source <> 'cart';
    CREATE INDEX orders_by_placement ON orders (placed_at) WHERE placed_at IS NOT NULL;
    CREATE INDEX orders_by_status_and_fulfillment ON orders (status, fulfillment_status, id);

    CREATE TABLE order_lines
      (order_id TEXT NOT NULL REFERENCES orders (id), position BIGINT NOT NULL, product_id TEXT, variant_id TEXT,
       listing_id TEXT, license TEXT, seller_id TEXT, title TEXT NOT NULL, sku TEXT, image TEXT,
       quantity BIGINT NOT NULL, unit_amount BIGINT NOT NULL, tax_rate BIGINT NOT NULL, net BIGINT NOT NULL,
       tax BIGINT NOT NULL, gross BIGINT NOT NULL, fee BIGINT NOT NULL DEFAULT 0, terms TEXT, audio TEXT,
       fulfillment_status TEXT, returned_proceeds BIGINT NOT NULL DEFAULT 0, returned_fee BIGINT NOT NULL DEFAULT 0,
       returned_tax BIGINT NOT NULL DEFAULT 0, returned_quantity BIGINT NOT NULL DEFAULT 0,
       restocked BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (order_id, position));
    CREATE INDEX order_lines_by_listing ON order_lines (listing_id, order_id) WHERE listing_id IS NOT NULL;
    CREATE INDEX order_lines_by_seller ON order_lines (seller_id, order_id) WHERE seller_id IS NOT NULL;

    CREATE TABLE order_changes
      (order_id TEXT NOT NULL REFERENCES orders (id), position BIGINT NOT NULL, at BIGINT NOT NULL,
       actor TEXT NOT NULL, axis TEXT NOT NULL, was TEXT, becomes TEXT NOT NULL, reason TEXT,
       PRIMARY KEY (order_id, position));
    CREATE INDEX order_changes_by_actor ON order_changes (actor);
    """
}
