import Persistence
import ServiceKit

enum CatalogMigrations {
  static let all: [Migration] =
    TextIndex.migrations + [listings, interactions, products, stock, posts] + ExerciseMigrations.all
    + ContactMessages.migrations + Newsletter.migrations + SiteInformation.migrations + Tools.migrations
    + [postsByDate, variantsBySKU, americanSpelling, blocks, shipping, saleVersions] + Variants.migrations
    + ImportProducts.migrations + ImportPosts.migrations + Subscriptions.migrations

  static let sealedColumns: [SealedColumn] = [ContactMessageStore.contentColumn] + Newsletter.sealedColumns

  private static let listings = Migration(
    "catalog-listings",
    why: "producers and artists offer their music",
    [
      """
      CREATE TABLE listings
        (id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
         tags TEXT NOT NULL, cover TEXT, audio TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
         licences TEXT NOT NULL, accepts_offers BIGINT NOT NULL, is_purchased BIGINT NOT NULL,
         is_open_for_bids BIGINT NOT NULL, like_count BIGINT NOT NULL, comment_count BIGINT NOT NULL,
         archive_count BIGINT NOT NULL, created_at BIGINT NOT NULL, version BIGINT NOT NULL, deleted_at BIGINT)
      """,
      "CREATE INDEX listings_by_kind ON listings (kind, id) WHERE deleted_at IS NULL",
      "CREATE INDEX listings_by_owner ON listings (owner_id, id) WHERE deleted_at IS NULL",
      "CREATE INDEX listings_by_price ON listings (amount, id) WHERE deleted_at IS NULL",
      "CREATE INDEX listings_by_kind_price ON listings (kind, amount, id) WHERE deleted_at IS NULL",
      "CREATE INDEX listings_by_likes ON listings (like_count, id) WHERE deleted_at IS NULL",
      "CREATE INDEX listings_by_kind_likes ON listings (kind, like_count, id) WHERE deleted_at IS NULL",
      "CREATE TABLE listing_tags (tag TEXT NOT NULL, listing_id TEXT NOT NULL, PRIMARY KEY (tag, listing_id))",
      "CREATE INDEX listing_tags_by_listing ON listing_tags (listing_id)",
    ]
  )

  private static let interactions = Migration(
    "catalog-interactions",
    why: "users like, archive and comment",
    [
      """
      CREATE TABLE marks
        (kind TEXT NOT NULL, object_id TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL,
         PRIMARY KEY (kind, object_id, user_id))
      """,
      "CREATE INDEX marks_by_user ON marks (kind, user_id, id)",
      """
      CREATE TABLE comments
        (id TEXT PRIMARY KEY, subject TEXT NOT NULL, parent_id TEXT REFERENCES comments (id), author_id TEXT, text TEXT,
         like_count BIGINT NOT NULL, reply_count BIGINT NOT NULL, created_at BIGINT NOT NULL, edited_at BIGINT,
         version BIGINT NOT NULL)
      """,
      "CREATE INDEX comments_by_subject ON comments (subject, parent_id, id)",
      "CREATE INDEX comments_by_parent ON comments (parent_id, id) WHERE parent_id IS NOT NULL",
      "CREATE INDEX comments_by_author ON comments (author_id, created_at)",
    ]
  )

  private static let products = Migration(
    "catalog-products",
    why: "the shop sells crafts",
    [
      "CREATE TABLE product_types (id TEXT PRIMARY KEY, title TEXT NOT NULL)",
      """
      CREATE TABLE products
        (id TEXT PRIMARY KEY, type TEXT NOT NULL REFERENCES product_types (id), title TEXT NOT NULL, description TEXT,
         sku TEXT, amount BIGINT NOT NULL, currency TEXT NOT NULL, tax_class TEXT NOT NULL, weight BIGINT NOT NULL,
         images TEXT NOT NULL, video TEXT, created_at BIGINT NOT NULL, version BIGINT NOT NULL, deleted_at BIGINT)
      """,
      "CREATE UNIQUE INDEX products_by_sku ON products (sku) WHERE sku IS NOT NULL AND deleted_at IS NULL",
      "CREATE INDEX products_by_type ON products (type, id) WHERE deleted_at IS NULL",
      """
      CREATE TABLE product_variants
        (id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products (id), name TEXT NOT NULL, sku TEXT,
         amount BIGINT, currency TEXT)
      """,
      "CREATE INDEX product_variants_by_product ON product_variants (product_id, id)",
    ]
  )

  private static let stock = Migration(
    "catalog-stock",
    why: "stock reserved for one buyer is not sold to another",
    [
      """
      CREATE TABLE stock
        (item_id TEXT PRIMARY KEY, on_hand BIGINT NOT NULL CHECK (on_hand >= 0),
         reserved BIGINT NOT NULL CHECK (reserved >= 0), version BIGINT NOT NULL, CHECK (reserved <= on_hand))
      """,
      """
      CREATE TABLE reservations
        (id TEXT PRIMARY KEY, status TEXT NOT NULL, expires_at BIGINT NOT NULL)
      """,
      "CREATE INDEX reservations_held ON reservations (expires_at) WHERE status = 'held'",
      "CREATE INDEX reservations_by_age ON reservations (expires_at)",
      """
      CREATE TABLE reservation_lines
        (reservation_id TEXT NOT NULL REFERENCES reservations (id), item_id TEXT NOT NULL, quantity BIGINT NOT NULL,
         PRIMARY KEY (reservation_id, item_id))
      """,
    ]
  )

  private static let postsByDate = Migration(
    "catalog-posts-by-date",
    why: "posts are listed by date",
    ["CREATE INDEX posts_by_date ON posts (date, id)"]
  )

  private static let variantsBySKU = Migration(
    "catalog-variants-by-sku",
    why: "variants are looked up by SKU, which must be unique",
    ["CREATE INDEX product_variants_by_sku ON product_variants (sku) WHERE sku IS NOT NULL"]
  )

  private static let americanSpelling = Migration(
    "catalog-american-spelling",
    why: "one spelling on the wire, in code and in tables: license",
    ["ALTER TABLE listings RENAME COLUMN licences TO licenses"]
  )

  private static let blocks = Migration(
    "catalog-blocks",
    why: "users who have blocked each other do not meet in comments",
    [
      """
      CREATE TABLE blocks
        (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id))
      """,
      "CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id)",
    ]
  )

  private static let shipping = Migration(
    "catalog-is-shipped",
    why: "the weight does not tell what is shipped: everything sold so far is a craft, which needs an address",
    [
      "ALTER TABLE products ADD COLUMN is_shipped BIGINT NOT NULL DEFAULT 1",
      "ALTER TABLE product_variants ADD COLUMN is_shipped BIGINT",
    ]
  )

  private static let saleVersions = Migration(
    "catalog-sale-versions",
    why: "an older report of a listing's sale never overwrites a newer one",
    ["ALTER TABLE listings ADD COLUMN sale_version BIGINT NOT NULL DEFAULT 0"]
  )

  private static let posts = Migration(
    "catalog-posts",
    why: "the owner writes a blog",
    [
      """
      CREATE TABLE posts
        (id TEXT PRIMARY KEY, title TEXT NOT NULL, date TEXT NOT NULL, link TEXT, media TEXT, description TEXT,
         like_count BIGINT NOT NULL, comment_count BIGINT NOT NULL, created_at BIGINT NOT NULL, version BIGINT NOT NULL)
      """
    ]
  )
}
