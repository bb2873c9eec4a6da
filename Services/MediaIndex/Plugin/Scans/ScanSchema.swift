import Persistence

/// The tables of scans.
enum ScanSchema {
  static let tables: Schema = """
    CREATE TABLE scans
      (media_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, state TEXT NOT NULL, failure TEXT, pages BIGINT,
       run BIGINT NOT NULL DEFAULT 0);
    CREATE INDEX scans_by_owner ON scans (owner_id, media_id);

    CREATE TABLE scan_pages
      (id TEXT PRIMARY KEY, media_id TEXT NOT NULL, page BIGINT NOT NULL, text TEXT, confidence BIGINT, failure TEXT,
       UNIQUE (media_id, page));
    """
}
