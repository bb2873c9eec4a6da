import Persistence
import ServiceKit

enum ScanMigrations {
  static let all = [scans, runs]

  static let sealedColumns = [ScanStore.textColumn]

  private static let runs = Migration(
    "media-index-scans-002",
    why: "steps of an earlier run do not take part in a scan that was started again",
    ["ALTER TABLE scans ADD COLUMN run BIGINT NOT NULL DEFAULT 0"]
  )

  private static let scans = Migration(
    "media-index-scans-001",
    why: "the text of pictures and PDF files, page by page as it is recognized",
    [
      """
      CREATE TABLE scans
        (media_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, state TEXT NOT NULL, failure TEXT, pages BIGINT)
      """,
      "CREATE INDEX scans_by_owner ON scans (owner_id, media_id)",
      """
      CREATE TABLE scan_pages
        (id TEXT PRIMARY KEY, media_id TEXT NOT NULL, page BIGINT NOT NULL, text TEXT, confidence BIGINT, failure TEXT,
         UNIQUE (media_id, page))
      """,
    ]
  )
}
