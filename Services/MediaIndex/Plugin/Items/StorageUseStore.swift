import BlobStorage
import Contracts
import Persistence
import ServiceKit

/// How much users have stored, as running totals: every file of their media, also what has been made of the uploads,
/// and files that they have deleted until their blobs are gone.
enum StorageUseStore {
  struct Use: Sendable {
    var bytes: Int64 = 0
    var media = 0
    /// The state of the user when last seen; a guest's quota is smaller.
    var isGuest = false
  }

  static func use(of user: UserID, in db: any Connection) throws -> Use {
    try db.first("SELECT bytes, media, is_guest FROM storage_use WHERE owner_id = \(user)") { row in
      Use(bytes: try row["bytes"], media: try row["media"], isGuest: try row["is_guest"])
    } ?? Use()
  }

  /// Keeps whether a user who is going to store something is a guest, for the jobs that make files of it.
  static func note(_ user: UserCaller, in tx: Transaction) throws {
    let isGuest = user.roles.contains(.guest)
    try tx.execute(
      """
      INSERT INTO storage_use (owner_id, bytes, media, is_guest) VALUES (\(user.id), 0, 0, \(isGuest))
      ON CONFLICT (owner_id) DO UPDATE SET is_guest = excluded.is_guest
        WHERE storage_use.is_guest <> excluded.is_guest
      """
    )
  }

  /// - Parameter owner: No one is charged for what is kept without its owner.
  static func add(bytes: Int64 = 0, media: Int = 0, to owner: UserID, in tx: Transaction) throws {
    guard !owner.rawValue.isEmpty, bytes != 0 || media != 0 else { return }
    try tx.execute(
      """
      INSERT INTO storage_use (owner_id, bytes, media) VALUES (\(owner), \(bytes), \(media))
      ON CONFLICT (owner_id) DO UPDATE SET bytes = storage_use.bytes + excluded.bytes,
        media = storage_use.media + excluded.media
      """
    )
  }

  /// Files have lost their names: their owner is charged until it is decided what becomes of their blobs.
  static func release(_ files: [MediaFile], of owner: UserID, in tx: Transaction) throws {
    guard !owner.rawValue.isEmpty else { return }
    for file in files {
      try tx.execute(
        """
        INSERT INTO released_files (blob, owner_id, bytes) VALUES (\(file.blob.description), \(owner), \(file.bytes))
        ON CONFLICT (blob, owner_id) DO UPDATE SET bytes = released_files.bytes + excluded.bytes
        """
      )
    }
  }

  /// Blobs are gone, or others have them: who has released them is not charged any more.
  static func settle(_ blobs: [BlobHash], in tx: Transaction) throws {
    let names = blobs.map(\.description)
    let released = try tx.all(
      """
      SELECT owner_id, CAST(SUM(bytes) AS BIGINT) AS bytes FROM released_files
      WHERE blob IN \(list: names) GROUP BY owner_id
      """
    ) { row -> (owner: UserID, bytes: Int64) in (try row["owner_id"], try row["bytes"]) }
    for (owner, bytes) in released { try add(bytes: -bytes, to: owner, in: tx) }
    try tx.execute("DELETE FROM released_files WHERE blob IN \(list: names)")
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM storage_use WHERE owner_id = \(user)")
    try tx.execute("DELETE FROM released_files WHERE owner_id = \(user)")
  }
}
