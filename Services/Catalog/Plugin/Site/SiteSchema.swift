import Persistence

/// The tables of posts and the site.
enum SiteSchema {
  static let tables: Schema = """
    CREATE TABLE posts
      (id TEXT PRIMARY KEY, title TEXT NOT NULL, date TEXT NOT NULL, link TEXT, media TEXT, description TEXT,
       like_count BIGINT NOT NULL, comment_count BIGINT NOT NULL, source_id TEXT, source_fingerprint TEXT,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);
    CREATE INDEX posts_by_date ON posts (date, id);
    CREATE UNIQUE INDEX posts_by_source ON posts (source_id) WHERE source_id IS NOT NULL;

    CREATE TABLE site (name TEXT PRIMARY KEY, content TEXT NOT NULL);

    CREATE TABLE tools
      (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, link TEXT, image TEXT, product_type TEXT,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);
    """
}
