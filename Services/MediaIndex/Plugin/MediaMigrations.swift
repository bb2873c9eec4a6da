import Persistence
import ServiceKit

enum MediaMigrations {
  static let all: [Migration] =
    TextIndex.migrations + [blocks] + ItemMigrations.all + UploadMigrations.all + PictureMigrations.all
    + ScanMigrations.all + LivestreamMigrations.all + SearchMigrations.all

  static let sealedColumns: [SealedColumn] =
    ItemMigrations.sealedColumns + UploadMigrations.sealedColumns + ScanMigrations.sealedColumns
    + LivestreamMigrations.sealedColumns

  private static let blocks = Migration(
    "media-index-001",
    why: "neither of two users of whom one has blocked the other sees what the other has not published to everyone",
    [
      """
      CREATE TABLE blocks
        (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id))
      """,
      "CREATE INDEX blocks_by_blocked ON blocks (blocked_id)",
    ]
  )
}
