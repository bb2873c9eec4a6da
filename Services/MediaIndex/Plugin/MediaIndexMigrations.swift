import Persistence
import ServiceKit

enum MediaIndexMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all =
    TextIndex.migrations + [
      Migration(
        "media-index-001", why: "the tables of the first release",
        creating: [
          ItemSchema.tables, UploadSchema.tables, PictureSchema.tables, ScanSchema.tables,
          LivestreamSchema.tables, SearchSchema.tables,
        ])
    ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    MediaStore.fileNameColumn, UploadStore.metadataColumn, ScanStore.textColumn, LivestreamStore.contentColumn,
  ]
}
