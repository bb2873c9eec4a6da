import Contracts
import Persistence
import ServiceKit
import Timing

/// Uploads in the database.
struct UploadStore: Sendable {
  static let metadataColumn = SealedColumn("uploads", "metadata")

  let keys: DataKeys

  private static let columns: SQL = """
    id, media_id, owner_id, app, length, received, metadata, role, concat, parts, place, epoch, writer, is_finished,
    created_at, expires_at, final_id, reserved
    """

  // MARK: reading

  func find(_ id: UploadID, in db: any Connection) throws -> StoredUpload? {
    try db.first("SELECT \(Self.columns) FROM uploads WHERE id = \(id)", decode)
  }

  /// - Throws: ``Problem`` 404 also for the uploads of others, 410 for one that has expired.
  func get(_ id: UploadID, of user: UserID, at now: Timestamp, in db: any Connection) throws -> StoredUpload {
    guard let upload = try find(id, in: db), upload.owner == user else { throw Problem(.notFound) }
    guard upload.expiresAt > now || upload.isBeingFinished else { throw Problem(.uploadGone) }
    return upload
  }

  func list(of user: UserID, in db: any Connection) throws -> [StoredUpload] {
    try db.all("SELECT \(Self.columns) FROM uploads WHERE owner_id = \(user) ORDER BY id", decode)
  }

  /// The use of storage by a user's unfinished uploads and media; joined uploads consist of others that count.
  func usage(of user: UserID, in db: any Connection) throws -> (bytes: Int64, open: Int) {
    let open = try db.first(
      """
      SELECT COUNT(*) AS number, CAST(COALESCE(SUM(COALESCE(length, reserved)), 0) AS BIGINT) AS bytes
      FROM uploads WHERE owner_id = \(user) AND is_finished = 0 AND role <> 'final'
      """
    ) { row -> (Int64, Int) in (try row["bytes"], try row["number"]) }
    let stored = try StorageUseStore.use(of: user, in: db).bytes
    return ((open?.0 ?? 0) + stored, open?.1 ?? 0)
  }

  /// The epochs of those uploads that exist and are not finished.
  static func epochs(of ids: [UploadID], in db: any Connection) throws -> [UploadID: Int64] {
    let rows = try db.all("SELECT id, epoch FROM uploads WHERE id IN \(list: ids) AND is_finished = 0") {
      row -> (UploadID, Int64) in
      (try row["id"], try row["epoch"])
    }
    return Dictionary(rows) { first, _ in first }
  }

  /// How long complete uploads are kept beyond their time, in seconds, for their place to make media of them.
  private static let completeSeconds = 7 * 86_400.0

  /// Uploads whose time is over. Complete ones become media, and their parts stay with them, unless that fails for
  /// long, such as when their place is lost.
  static func expired(limit: Int, in tx: Transaction) throws -> [UploadID] {
    let lost = tx.now.advanced(bySeconds: -completeSeconds)
    return try tx.values(
      """
      SELECT id FROM uploads
      WHERE expires_at <= \(tx.now)
        AND (is_finished = 1 OR role = 'partial' OR length IS NULL OR received < length OR expires_at <= \(lost))
        AND NOT EXISTS (SELECT 1 FROM uploads AS joined WHERE joined.id = uploads.final_id AND joined.is_finished = 0)
      ORDER BY expires_at LIMIT \(limit)
      """
    )
  }

  /// Uploads whose last byte has arrived in a place, but which have not become media, such as after a crash.
  static func unfinished(in place: String, at now: Timestamp, limit: Int, _ db: any Connection) throws -> [UploadID] {
    try db.values(
      """
      SELECT id FROM uploads
      WHERE place = \(place) AND is_finished = 0 AND received = length AND role <> 'partial'
        AND next_attempt_at <= \(now)
      ORDER BY next_attempt_at, id LIMIT \(limit)
      """
    )
  }

  private func decode(_ row: Row) throws -> StoredUpload {
    let id: UploadID = try row["id"]
    let sealed: String? = try row["metadata"]
    let metadata = try sealed.map { sealed in
      try UploadMetadata(
        String(decoding: try keys.open(sealed, in: Self.metadataColumn, row: id.rawValue), as: UTF8.self))
    }
    return StoredUpload(
      id: id, media: try row["media_id"], owner: try row["owner_id"], app: try row["app"], length: try row["length"],
      received: try row["received"], reserved: try row["reserved"], metadata: metadata, role: try row["role"],
      concat: try row["concat"], parts: try row[words: "parts"], final: try row["final_id"], place: try row["place"],
      epoch: try row["epoch"], writer: try row["writer"], isFinished: try row["is_finished"],
      createdAt: try row["created_at"], expiresAt: try row["expires_at"])
  }

  // MARK: writing

  func insert(_ upload: StoredUpload, in tx: Transaction) throws {
    let metadata = try upload.metadata.map {
      try keys.seal(Array($0.text.utf8), in: Self.metadataColumn, row: upload.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO uploads (\(Self.columns), attempts, next_attempt_at)
      VALUES (\(upload.id), \(upload.media), \(upload.owner), \(upload.app), \(upload.length), \(upload.received),
              \(metadata), \(upload.role), \(upload.concat), \(words: upload.parts), \(upload.place), \(upload.epoch),
              \(upload.writer), \(upload.isFinished), \(upload.createdAt), \(upload.expiresAt),
              \(upload.final), \(upload.reserved), 0, 0)
      """
    )
  }

  /// Makes a process the only writer, or ends all writers; `length` is set when it was unknown.
  /// - Returns: Its epoch.
  static func claim(
    _ upload: StoredUpload, for writer: String?, length: Int64?, expiresAt: Timestamp, in tx: Transaction
  )
    throws -> Int64
  {
    let epoch = upload.epoch + 1
    try tx.execute(
      """
      UPDATE uploads SET epoch = \(epoch), writer = \(writer), length = \(length), expires_at = \(expiresAt),
        reserved = \(upload.reserved)
      WHERE id = \(upload.id)
      """
    )
    return epoch
  }

  /// Records how many bytes are on the disk.
  /// - Returns: Whether the writer has not been superseded.
  static func record(_ received: Int64, of id: UploadID, in epoch: Int64, expiresAt: Timestamp, _ tx: Transaction)
    throws
    -> Bool
  {
    try tx.execute(
      """
      UPDATE uploads SET received = \(received), expires_at = \(expiresAt) WHERE id = \(id) AND epoch = \(epoch)
      """
    ) > 0
  }

  /// Records that a process no longer writes, and needs no more space than it has taken.
  static func release(_ id: UploadID, by writer: String, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE uploads SET writer = NULL, reserved = received WHERE id = \(id) AND writer = \(writer)")
  }

  /// Supersedes the writer of another process.
  static func supersede(_ id: UploadID, in tx: Transaction) throws {
    try tx.execute("UPDATE uploads SET epoch = epoch + 1 WHERE id = \(id)")
  }

  /// Forgets a writer that has died.
  static func abandon(_ id: UploadID, in tx: Transaction) throws {
    try tx.execute("UPDATE uploads SET writer = NULL WHERE id = \(id)")
  }

  /// Records that an upload has become its media item, and forgets its parts.
  /// - Throws: ``Problem`` 410 when it has been canceled in the meantime.
  static func finish(_ upload: StoredUpload, expiresAt: Timestamp, in tx: Transaction) throws {
    let count = try tx.execute(
      "UPDATE uploads SET is_finished = 1, writer = NULL, expires_at = \(expiresAt) WHERE id = \(upload.id)")
    guard count > 0 else { throw Problem(.uploadGone) }
    try delete(upload.parts, of: upload.owner, in: tx)
  }

  /// Keeps parts for the upload that joins them.
  static func reserve(_ parts: [UploadID], for final: UploadID, in tx: Transaction) throws {
    try tx.execute("UPDATE uploads SET final_id = \(final) WHERE id IN \(list: parts)")
  }

  /// Puts off the next attempt to make a media item of an upload, each time for longer, up to an hour.
  static func postpone(_ id: UploadID, in tx: Transaction) throws {
    let attempts: Int = try tx.value("SELECT attempts FROM uploads WHERE id = \(id)", as: Int.self) ?? 0
    let time = tx.now.advanced(bySeconds: Backoff(first: 60, maxDelay: 3600).step(after: attempts + 1))
    try tx.execute("UPDATE uploads SET attempts = attempts + 1, next_attempt_at = \(time) WHERE id = \(id)")
  }

  static func deleteUnfinished(_ id: UploadID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM uploads WHERE id = \(id) AND is_finished = 0")
  }

  static func delete(_ ids: [UploadID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM uploads WHERE id IN \(list: ids)")
  }

  static func delete(_ ids: [UploadID], of user: UserID, in tx: Transaction) throws {
    if ids.isEmpty { return }
    try tx.execute("DELETE FROM uploads WHERE id IN \(list: ids) AND owner_id = \(user)")
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM uploads WHERE owner_id = \(user)")
  }
}
