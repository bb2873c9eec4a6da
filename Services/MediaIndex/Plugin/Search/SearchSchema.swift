import Persistence

/// The tables of search.
enum SearchSchema {
  static let tables: Schema = """
    CREATE TABLE media_sort_keys (media_id TEXT PRIMARY KEY, title BYTEA, milliseconds BIGINT);
    CREATE INDEX media_sort_keys_by_title ON media_sort_keys (title, media_id) WHERE title IS NOT NULL;
    CREATE INDEX media_sort_keys_by_duration ON media_sort_keys (milliseconds, media_id)
      WHERE milliseconds IS NOT NULL;

    CREATE TABLE saved_media
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, media_id TEXT NOT NULL, UNIQUE (user_id, media_id));
    CREATE INDEX saved_media_by_user ON saved_media (user_id, id);
    CREATE INDEX saved_media_by_medium ON saved_media (media_id);
    """
}
