import BlobStorage
import Contracts
import Persistence

/// A file that belongs to a media item.
struct MediaFile: Sendable {
  /// Such as `original`, `thumbnail-320.webp` and `hls/master.m3u8`.
  var name: String
  var blob: BlobHash
  var bytes: Int64
  var contentType: String
}

/// The files of media. Their blobs were stored before by ``MediaBlobs``; those that lose their last name are collected.
enum MediaFileStore {
  static func find(_ name: String, of media: MediaID, in db: any Connection) throws -> MediaFile? {
    try db.first(
      "SELECT name, blob, bytes, content_type FROM media_files WHERE media_id = \(media) AND name = \(name)", decode)
  }

  /// The first file whose name begins with a text.
  static func first(_ prefix: String, of media: MediaID, in db: any Connection) throws -> MediaFile? {
    try db.first(
      """
      SELECT name, blob, bytes, content_type FROM media_files
      WHERE media_id = \(media) AND name LIKE \(prefix + "%") ORDER BY name LIMIT 1
      """,
      decode
    )
  }

  static func list(of media: MediaID, in db: any Connection) throws -> [MediaFile] {
    try db.all(
      "SELECT name, blob, bytes, content_type FROM media_files WHERE media_id = \(media) ORDER BY name", decode)
  }

  /// The blobs that files name.
  static func named(_ blobs: [BlobHash], in db: any Connection) throws -> Set<BlobHash> {
    Set(
      try db.all("SELECT DISTINCT blob FROM media_files WHERE blob IN \(list: blobs.map(\.description))") { row in
        try hash(row)
      })
  }

  /// All blobs that files name, in ascending order, some at a time.
  static func blobs(after blob: BlobHash?, limit: Int, in db: any Connection) throws -> [BlobHash] {
    try db.all(
      """
      SELECT DISTINCT blob FROM media_files WHERE blob > \(blob?.description ?? "") ORDER BY blob LIMIT \(limit)
      """
    ) { row in try hash(row) }
  }

  /// Adds files, or replaces those of the same names.
  static func put(_ files: [MediaFile], of media: MediaID, in tx: Transaction) throws {
    let known = try list(of: media, "name IN \(list: files.map(\.name))", in: tx)
    let blobs = Dictionary(known.map { ($0.name, $0.blob) }) { first, _ in first }
    let added = files.filter { blobs[$0.name] != $0.blob }
    let names = Set(added.map(\.name))
    for file in files {
      try tx.execute(
        """
        INSERT INTO media_files (media_id, name, blob, bytes, content_type)
        VALUES (\(media), \(file.name), \(file.blob.description), \(file.bytes), \(file.contentType))
        ON CONFLICT (media_id, name) DO UPDATE SET blob = excluded.blob, bytes = excluded.bytes,
          content_type = excluded.content_type
        """
      )
    }
    let owner = try owner(of: media, in: tx)
    try StorageUseStore.add(bytes: added.reduce(0) { $0 + $1.bytes }, to: owner, in: tx)
    try release(known.filter { names.contains($0.name) }, of: owner, in: tx)
  }

  /// Removes files of a media item.
  static func delete(_ names: [String], of media: MediaID, in tx: Transaction) throws {
    let files = try list(of: media, "name IN \(list: names)", in: tx)
    try tx.execute("DELETE FROM media_files WHERE media_id = \(media) AND name IN \(list: names)")
    try release(files, of: owner(of: media, in: tx), in: tx)
  }

  /// Removes all files of a media item.
  static func deleteAll(of media: MediaID, in tx: Transaction) throws {
    let files = try list(of: media, in: tx)
    try tx.execute("DELETE FROM media_files WHERE media_id = \(media)")
    try release(files, of: owner(of: media, in: tx), in: tx)
  }

  private static func release(_ files: [MediaFile], of owner: UserID, in tx: Transaction) throws {
    try BlobCheckStore.release(Array(Set(files.map(\.blob))), in: tx)
    try StorageUseStore.release(files, of: owner, in: tx)
  }

  private static func owner(of media: MediaID, in db: any Connection) throws -> UserID {
    try db.value("SELECT owner_id FROM media WHERE id = \(media)") ?? UserID(trusted: "")
  }

  private static func list(of media: MediaID, _ condition: SQL, in db: any Connection) throws -> [MediaFile] {
    try db.all(
      "SELECT name, blob, bytes, content_type FROM media_files WHERE media_id = \(media) AND \(condition)", decode)
  }

  private static func decode(_ row: Row) throws -> MediaFile {
    MediaFile(
      name: try row["name"], blob: try hash(row), bytes: try row["bytes"], contentType: try row["content_type"])
  }

  private static func hash(_ row: Row) throws -> BlobHash {
    guard let hash = BlobHash(try row["blob"] as String) else {
      throw DatabaseError(.corrupt, "media_files.blob holds no hash")
    }
    return hash
  }
}
