import Persistence

/// The tables of stock.
enum StockSchema {
  static let tables: Schema = """
    CREATE TABLE stock
      (item_id TEXT PRIMARY KEY, on_hand BIGINT NOT NULL CHECK (on_hand >= 0),
       reserved BIGINT NOT NULL CHECK (reserved >= 0), version BIGINT NOT NULL, CHECK (reserved <= on_hand));

    CREATE TABLE reservations (id TEXT PRIMARY KEY, status TEXT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX reservations_held ON reservations (expires_at) WHERE status = 'held';
    CREATE INDEX reservations_by_age ON reservations (expires_at);

    CREATE TABLE reservation_lines
      (reservation_id TEXT NOT NULL REFERENCES reservations (id), item_id TEXT NOT NULL, quantity BIGINT NOT NULL,
       PRIMARY KEY (reservation_id, item_id));
    """
}
