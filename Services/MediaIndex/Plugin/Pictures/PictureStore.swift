import Contracts
import MediaFiles
import Persistence

/// Pictures that have been processed at least once, and their crops.
struct PictureStore: MediaObserver {
  static func find(_ media: MediaID, in db: any Connection) throws -> CroppedPicture? {
    try db.first("SELECT width, height, crop FROM pictures WHERE media_id = \(media)") { row in
      CroppedPicture(width: try row["width"], height: try row["height"], crop: try row[json: "crop"])
    }
  }

  /// - Returns: The picture with its crop, which stays when it has one.
  static func insert(_ media: MediaID, width: Int, height: Int, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO pictures (media_id, width, height, crop)
      VALUES (\(media), \(width), \(height), \(json: PictureCrop()))
      ON CONFLICT (media_id) DO UPDATE SET width = excluded.width, height = excluded.height
      """
    )
  }

  static func crop(_ media: MediaID, _ crop: PictureCrop, in tx: Transaction) throws {
    try tx.execute("UPDATE pictures SET crop = \(json: crop) WHERE media_id = \(media)")
  }

  func changed(_ stored: StoredMedia, in tx: Transaction) throws {}

  func deleted(_ id: MediaID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM pictures WHERE media_id = \(id)")
  }
}

extension PictureCrop {
  var edit: PictureEdit {
    PictureEdit(
      quarterTurns: quarterTurns.value,
      crop: rectangle.map {
        .init(left: $0.left.value, top: $0.top.value, width: $0.width.value, height: $0.height.value)
      }
    )
  }
}
