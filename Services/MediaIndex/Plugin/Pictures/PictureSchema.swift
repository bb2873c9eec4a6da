import Persistence

/// The tables of pictures.
enum PictureSchema {
  static let tables: Schema = """
    CREATE TABLE pictures
      (media_id TEXT PRIMARY KEY, width BIGINT NOT NULL, height BIGINT NOT NULL, crop TEXT NOT NULL);
    """
}
