import Persistence

/// The tables of licenses.
enum LicenseSchema {
  static let tables: Schema = """
    CREATE TABLE licenses
      (id TEXT PRIMARY KEY, listing_id TEXT NOT NULL, kind TEXT NOT NULL, holder_id TEXT, seller_id TEXT,
       order_id TEXT NOT NULL REFERENCES orders (id), amount BIGINT NOT NULL, currency TEXT NOT NULL,
       status TEXT NOT NULL, granted_at BIGINT NOT NULL, expires_at BIGINT, terms TEXT NOT NULL,
       terms_hash TEXT NOT NULL, files TEXT NOT NULL, audio TEXT NOT NULL, prior_licenses BIGINT NOT NULL);
    CREATE UNIQUE INDEX licenses_exclusive ON licenses (listing_id) WHERE kind = 'exclusive' AND status = 'active';
    CREATE INDEX licenses_by_holder ON licenses (holder_id, id);
    CREATE INDEX licenses_by_seller ON licenses (seller_id, id);
    CREATE INDEX licenses_by_listing ON licenses (listing_id, status);
    CREATE INDEX licenses_by_order ON licenses (order_id);
    CREATE INDEX licenses_by_recording ON licenses (audio, holder_id);
    CREATE INDEX licenses_ending ON licenses (expires_at)
      WHERE kind = 'exclusive' AND status = 'active' AND expires_at IS NOT NULL;
    CREATE INDEX licenses_by_holder_and_listing ON licenses (holder_id, listing_id, id);

    CREATE TABLE exclusive_claims (listing_id TEXT PRIMARY KEY, order_id TEXT NOT NULL);
    CREATE INDEX exclusive_claims_by_order ON exclusive_claims (order_id);

    CREATE TABLE listing_sales (listing_id TEXT PRIMARY KEY, version BIGINT NOT NULL);
    """
}
