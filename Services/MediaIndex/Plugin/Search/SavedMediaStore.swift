import Contracts
import Persistence

enum SavedMediaSubject {}
typealias SavedMediaID = ID<SavedMediaSubject>

/// The media that each user has saved.
enum SavedMediaStore {
  /// Most recently saved first.
  static func list(of user: UserID, before cursor: SavedMediaID?, limit: Int, in db: any Connection) throws
    -> [(id: SavedMediaID, media: MediaID)]
  {
    let condition = SQL.and("user_id = \(user)", cursor.map { "id < \($0)" })
    return try db.all("SELECT id, media_id FROM saved_media WHERE \(condition) ORDER BY id DESC LIMIT \(limit)") {
      row in (try row["id"], try row["media_id"])
    }
  }

  static func count(of user: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM saved_media WHERE user_id = \(user)")
  }

  static func insert(_ id: SavedMediaID, _ media: MediaID, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO saved_media (id, user_id, media_id) VALUES (\(id), \(user), \(media))
      ON CONFLICT (user_id, media_id) DO NOTHING
      """
    )
  }

  static func delete(_ media: MediaID, of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_media WHERE user_id = \(user) AND media_id = \(media)")
  }

  static func delete(_ media: MediaID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_media WHERE media_id = \(media)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_media WHERE user_id = \(user)")
  }
}
