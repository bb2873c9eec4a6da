import Persistence

/// The tables of offers.
enum OfferSchema {
  static let tables: Schema = """
    CREATE TABLE offers
      (id TEXT PRIMARY KEY, parent_id TEXT, listing_id TEXT NOT NULL, license TEXT NOT NULL, buyer_id TEXT NOT NULL,
       seller_id TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL,
       made_by TEXT NOT NULL, is_final BIGINT NOT NULL, lower_bound BIGINT NOT NULL, upper_bound BIGINT NOT NULL,
       hours BIGINT NOT NULL, message TEXT, conversation_id TEXT, created_at BIGINT NOT NULL,
       expires_at BIGINT NOT NULL, listing TEXT NOT NULL, order_id TEXT);
    CREATE INDEX offers_by_buyer ON offers (buyer_id, id);
    CREATE INDEX offers_by_seller ON offers (seller_id, id);
    CREATE INDEX offers_by_listing ON offers (listing_id, status);
    CREATE INDEX offers_by_negotiation ON offers (buyer_id, listing_id, made_by);
    CREATE INDEX offers_by_order ON offers (order_id) WHERE order_id IS NOT NULL;
    CREATE INDEX offers_pending ON offers (buyer_id, seller_id) WHERE status = 'pending';
    CREATE INDEX offers_by_expiry ON offers (expires_at) WHERE status = 'pending';
    CREATE INDEX offers_by_buyer_and_listing ON offers (buyer_id, listing_id, id);
    CREATE INDEX offers_by_seller_and_listing ON offers (seller_id, listing_id, id);

    CREATE TABLE blocks (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
    """
}
