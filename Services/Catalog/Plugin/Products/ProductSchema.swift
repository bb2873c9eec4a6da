import Persistence

/// The tables of products.
enum ProductSchema {
  static let tables: Schema = """
    CREATE TABLE product_types (id TEXT PRIMARY KEY, title TEXT NOT NULL);

    CREATE TABLE products
      (id TEXT PRIMARY KEY, type TEXT NOT NULL REFERENCES product_types (id), title TEXT NOT NULL, description TEXT,
       sku TEXT, amount BIGINT NOT NULL, currency TEXT NOT NULL, tax_class TEXT NOT NULL, weight BIGINT NOT NULL,
       is_shipped BIGINT NOT NULL, images TEXT NOT NULL, video TEXT, created_at BIGINT NOT NULL,
       version BIGINT NOT NULL, deleted_at BIGINT);
    CREATE UNIQUE INDEX products_by_sku ON products (sku) WHERE sku IS NOT NULL AND deleted_at IS NULL;
    CREATE INDEX products_by_type ON products (type, id) WHERE deleted_at IS NULL;
    CREATE INDEX products_with_video ON products (type, id) WHERE video IS NOT NULL AND deleted_at IS NULL;

    CREATE TABLE product_variants
      (id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products (id), name TEXT NOT NULL, sku TEXT,
       amount BIGINT, currency TEXT, weight BIGINT, is_shipped BIGINT, retired_at BIGINT);
    CREATE INDEX product_variants_by_product ON product_variants (product_id, id);
    CREATE INDEX product_variants_by_sku ON product_variants (sku) WHERE sku IS NOT NULL;

    CREATE TABLE product_sources
      (source TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products (id), fingerprint TEXT NOT NULL);
    CREATE INDEX product_sources_by_product ON product_sources (product_id);
    """
}
