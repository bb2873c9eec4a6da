import Persistence

/// The tables of listings.
enum ListingSchema {
  static let tables: Schema = """
    CREATE TABLE listings
      (id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
       tags TEXT NOT NULL, cover TEXT, audio TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
       licenses TEXT NOT NULL, accepts_offers BIGINT NOT NULL, is_purchased BIGINT NOT NULL,
       is_open_for_bids BIGINT NOT NULL, sale_version BIGINT NOT NULL DEFAULT 0, like_count BIGINT NOT NULL,
       comment_count BIGINT NOT NULL, archive_count BIGINT NOT NULL, created_at BIGINT NOT NULL,
       version BIGINT NOT NULL, deleted_at BIGINT);
    CREATE INDEX listings_by_kind ON listings (kind, id) WHERE deleted_at IS NULL;
    CREATE INDEX listings_by_owner ON listings (owner_id, id) WHERE deleted_at IS NULL;
    CREATE INDEX listings_by_price ON listings (amount, id) WHERE deleted_at IS NULL;
    CREATE INDEX listings_by_kind_price ON listings (kind, amount, id) WHERE deleted_at IS NULL;
    CREATE INDEX listings_by_likes ON listings (like_count, id) WHERE deleted_at IS NULL;
    CREATE INDEX listings_by_kind_likes ON listings (kind, like_count, id) WHERE deleted_at IS NULL;

    CREATE TABLE listing_tags (tag TEXT NOT NULL, listing_id TEXT NOT NULL, PRIMARY KEY (tag, listing_id));
    CREATE INDEX listing_tags_by_listing ON listing_tags (listing_id);
    """
}
