import Contracts
import Persistence
import ServiceKit

/// Media in the database. Deleted ones stay as rows while they are used in something.
struct MediaStore: Sendable {
  static let fileNameColumn = SealedColumn("media", "file_name")

  let keys: DataKeys
  /// Called for every change, in its transaction.
  let observers: [any MediaObserver]

  private static let columns: SQL = """
    id, owner_id, app, kind, state, failure, visibility, content_type, bytes, sha256, file_name, title, description,
    tags, workout_type, product_type, youtube_id, youtube_start, milliseconds, width, height, thumb_hash, created_at,
    version, deleted_at
    """

  // MARK: reading

  /// - Parameter condition: On columns of `media`, supported by an index.
  func list(_ condition: SQL, _ order: SQL = "id", limit: Int, in db: any Connection) throws -> [StoredMedia] {
    try db.all(
      "SELECT \(Self.columns) FROM media WHERE \(condition) ORDER BY \(order) LIMIT \(limit)", decode)
  }

  /// A media item, also a deleted one.
  func findAny(_ id: MediaID, in db: any Connection) throws -> StoredMedia? {
    try db.first("SELECT \(Self.columns) FROM media WHERE id = \(id)", decode)
  }

  /// A media item that is not deleted.
  func find(_ id: MediaID, in db: any Connection) throws -> StoredMedia? {
    try findAny(id, in: db).flatMap { $0.deletedAt == nil ? $0 : nil }
  }

  /// A media item that is not deleted.
  /// - Throws: ``Problem`` 404.
  func get(_ id: MediaID, in db: any Connection) throws -> StoredMedia {
    guard let stored = try find(id, in: db) else { throw Problem(.mediaNotFound) }
    return stored
  }

  /// Media that are not deleted, in no order; unknown ones are left out.
  func list(_ ids: [MediaID], in db: any Connection) throws -> [StoredMedia] {
    try db.all("SELECT \(Self.columns) FROM media WHERE id IN \(list: ids) AND deleted_at IS NULL", decode)
  }

  private func decode(_ row: Row) throws -> StoredMedia {
    let youtube: String? = try row["youtube_id"]
    let start: Int? = try row["youtube_start"]
    let video = youtube.map { YouTubeVideo(id: $0, start: start) }
    let media = Media(
      id: try row["id"], owner: try row["owner_id"], kind: try row["kind"], state: try row["state"],
      failure: try row["failure"], visibility: try row["visibility"], contentType: try row["content_type"],
      bytes: try row["bytes"], sha256: try row["sha256"], title: try row["title"],
      description: try row["description"], tags: try row[words: "tags"], workoutType: try row["workout_type"],
      productType: try row["product_type"], link: video.map { VideoLink($0) },
      milliseconds: try row["milliseconds"],
      width: try row["width"], height: try row["height"], thumbHash: try row["thumb_hash"],
      createdAt: try row["created_at"], version: try row["version"])
    let sealed: String? = try row["file_name"]
    let name = try sealed.map {
      String(decoding: try keys.open($0, in: Self.fileNameColumn, row: media.id.rawValue), as: UTF8.self)
    }
    return StoredMedia(
      media: media, app: try row["app"], fileName: name, video: video, deletedAt: try row["deleted_at"])
  }

  // MARK: writing

  func insert(_ stored: StoredMedia, in tx: Transaction) throws {
    let media = stored.media
    try tx.execute(
      """
      INSERT INTO media (\(Self.columns))
      VALUES (\(media.id), \(media.owner), \(stored.app), \(media.kind), \(media.state), \(media.failure),
              \(media.visibility), \(media.contentType), \(media.bytes), \(media.sha256), \(try sealedName(of: stored)),
              \(media.title), \(media.description), \(words: media.tags), \(media.workoutType),
              \(media.productType), \(stored.video?.id), \(stored.video?.start), \(media.milliseconds), \(media.width),
              \(media.height), \(media.thumbHash), \(media.createdAt), \(media.version), \(stored.deletedAt))
      """
    )
    try StorageUseStore.add(media: 1, to: media.owner, in: tx)
    for observer in observers { try observer.changed(stored, in: tx) }
  }

  /// Stores what the owner may change, as the next version.
  /// - Returns: It.
  func update(_ stored: StoredMedia, in tx: Transaction) throws -> StoredMedia {
    var stored = stored
    stored.media.version += 1
    let media = stored.media
    try tx.execute(
      """
      UPDATE media SET visibility = \(media.visibility), title = \(media.title), description = \(media.description),
        tags = \(words: media.tags), workout_type = \(media.workoutType), product_type = \(media.productType),
        version = \(media.version)
      WHERE id = \(media.id)
      """
    )
    for observer in observers { try observer.changed(stored, in: tx) }
    return stored
  }

  /// Records how far processing is, and what it has found out.
  /// - Returns: The media item; `nil` when it has been deleted and nothing uses it.
  func advance(
    _ id: MediaID, to state: MediaState, failure: MediaFailure? = nil, _ properties: MediaProperties = .init(),
    in tx: Transaction
  ) throws -> StoredMedia? {
    guard var stored = try findAny(id, in: tx) else { return nil }
    stored.media.state = state
    stored.media.failure = failure
    stored.media.kind = properties.kind ?? stored.media.kind
    stored.media.milliseconds = properties.milliseconds ?? stored.media.milliseconds
    stored.media.width = properties.width ?? stored.media.width
    stored.media.height = properties.height ?? stored.media.height
    stored.media.thumbHash = properties.thumbHash ?? stored.media.thumbHash
    stored.media.version += 1
    let media = stored.media
    try tx.execute(
      """
      UPDATE media SET kind = \(media.kind), state = \(media.state), failure = \(media.failure),
        milliseconds = \(media.milliseconds),
        width = \(media.width), height = \(media.height), thumb_hash = \(media.thumbHash), version = \(media.version)
      WHERE id = \(id)
      """
    )
    if stored.deletedAt == nil { for observer in observers { try observer.changed(stored, in: tx) } }
    return stored
  }

  /// Deletes a media item, but keeps its row without its owner and what the owner wrote.
  func orphan(_ id: MediaID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE media SET owner_id = '', file_name = NULL, title = NULL, description = NULL, tags = '',
        workout_type = NULL, product_type = NULL,
        visibility = 'owner', deleted_at = \(tx.now), version = version + 1
      WHERE id = \(id)
      """
    )
    for observer in observers { try observer.deleted(id, in: tx) }
  }

  func remove(_ stored: StoredMedia, in tx: Transaction) throws {
    try tx.execute("DELETE FROM media WHERE id = \(stored.id)")
    try StorageUseStore.add(media: -1, to: stored.media.owner, in: tx)
    for observer in observers { try observer.deleted(stored.id, in: tx) }
  }

  /// Deleted media that nothing uses any more.
  func unused(limit: Int, in tx: Transaction) throws -> [StoredMedia] {
    try list(
      """
      deleted_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM media_references r WHERE r.media_id = media.id)
        AND NOT EXISTS (SELECT 1 FROM media_holds h WHERE h.media_id = media.id AND h.expires_at > \(tx.now))
      """,
      "deleted_at, id", limit: limit, in: tx)
  }

  private func sealedName(of stored: StoredMedia) throws -> String? {
    try stored.fileName.map { try keys.seal(Array($0.utf8), in: Self.fileNameColumn, row: stored.id.rawValue) }
  }
}
