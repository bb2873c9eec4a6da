import Persistence

/// The tables of carts.
enum CartSchema {
  static let tables: Schema = """
    CREATE TABLE carts
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, status TEXT NOT NULL, order_id TEXT, version BIGINT NOT NULL,
       created_at BIGINT NOT NULL, expires_at BIGINT);
    CREATE UNIQUE INDEX carts_open ON carts (user_id) WHERE status = 'precheckout';
    CREATE INDEX carts_by_user ON carts (user_id);
    CREATE INDEX carts_expiring ON carts (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE cart_items
      (id TEXT PRIMARY KEY, cart_id TEXT NOT NULL REFERENCES carts (id), item_key TEXT NOT NULL, product_id TEXT,
       variant_id TEXT, listing_id TEXT, license TEXT, terms TEXT, title TEXT NOT NULL, quantity BIGINT NOT NULL,
       amount BIGINT NOT NULL, currency TEXT NOT NULL, UNIQUE (cart_id, item_key));
    CREATE INDEX cart_items_by_listing ON cart_items (listing_id) WHERE listing_id IS NOT NULL;

    CREATE TABLE pricing_rules (id BIGINT PRIMARY KEY, rules TEXT NOT NULL, version BIGINT NOT NULL);
    """
}
