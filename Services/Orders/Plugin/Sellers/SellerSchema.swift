import Persistence

/// The tables of sellers' sales and pay-outs.
enum SellerSchema {
  static let tables: Schema = """
    CREATE TABLE sales
      (seller_id TEXT NOT NULL, sold_at BIGINT NOT NULL, order_id TEXT NOT NULL REFERENCES orders (id),
       position BIGINT NOT NULL, PRIMARY KEY (seller_id, sold_at, order_id, position));

    CREATE TABLE sales_months
      (seller_id TEXT NOT NULL, month TEXT NOT NULL, currency TEXT NOT NULL, lines BIGINT NOT NULL,
       price BIGINT NOT NULL, fee BIGINT NOT NULL, earned BIGINT NOT NULL, refunded BIGINT NOT NULL,
       PRIMARY KEY (seller_id, month, currency));

    CREATE TABLE payout_accounts (user_id TEXT PRIMARY KEY, account TEXT NOT NULL, changed_at BIGINT NOT NULL);

    CREATE TABLE payouts
      (id TEXT PRIMARY KEY, seller_id TEXT, amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
       status TEXT NOT NULL, account TEXT, reference TEXT, reason TEXT, created_at BIGINT NOT NULL, ended_at BIGINT);
    CREATE INDEX payouts_by_seller ON payouts (seller_id, id);
    CREATE INDEX payouts_by_status ON payouts (status, id);
    """
}
