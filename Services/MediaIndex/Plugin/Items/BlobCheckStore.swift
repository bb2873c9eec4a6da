import BlobStorage
import Contracts
import Persistence

/// A blob that is about to be stored, or is stored, and which no file names yet.
struct AnnouncedBlob: Sendable {
  var hash: BlobHash
  /// Until when it is kept; no other announcement of the same blob has the same time.
  var due: Timestamp
  /// Until when it was kept before, such as by who stores the same content.
  var before: Timestamp?
}

/// When to look whether a blob is still named by a file. A blob is entered before it is stored and when it loses a
/// name, so that every blob without a name is found, whatever stops in between.
enum BlobCheckStore {
  /// How long a blob without a name is kept, in seconds: longer than between its storing and the commit of its name.
  static let graceSeconds = 86_400.0
  /// How long one that has lost its last name is kept, in seconds: longer than it is sent to those who are loading it.
  static let releasedSeconds = 3600.0
  /// How long one collector alone removes a blob, in seconds.
  static let removalSeconds = 600.0

  /// Enters blobs that no file names, unless they are known.
  static func watch(_ blobs: [BlobHash], in tx: Transaction) throws {
    let due = tx.now.advanced(bySeconds: graceSeconds)
    for blob in blobs {
      try tx.execute(
        """
        INSERT INTO blob_checks (blob, due_at, removing) VALUES (\(blob.description), \(due), 0)
        ON CONFLICT (blob) DO NOTHING
        """
      )
    }
  }

  /// Enters blobs that have lost a name, or keeps them longer.
  static func release(_ blobs: [BlobHash], in tx: Transaction) throws {
    let due = tx.now.advanced(bySeconds: releasedSeconds)
    for blob in blobs {
      try tx.execute(
        """
        INSERT INTO blob_checks (blob, due_at, removing) VALUES (\(blob.description), \(due), 0)
        ON CONFLICT (blob) DO UPDATE SET due_at = excluded.due_at
          WHERE blob_checks.removing = 0 AND blob_checks.due_at < excluded.due_at
        """
      )
    }
  }

  /// Enters a blob that is about to be stored.
  /// - Returns: `nil` while a collector removes it. One that has not finished in its time has stopped.
  static func announce(_ blob: BlobHash, in tx: Transaction) throws -> AnnouncedBlob? {
    let name = blob.description
    try tx.execute(
      "UPDATE blob_checks SET removing = 0 WHERE blob = \(name) AND removing = 1 AND due_at <= \(tx.now)")
    if try tx.exists("SELECT 1 FROM blob_checks WHERE blob = \(name) AND removing = 1") { return nil }
    let before = try tx.value("SELECT due_at FROM blob_checks WHERE blob = \(name)", as: Timestamp.self)
    var due = tx.now.advanced(bySeconds: graceSeconds)
    if let before, before >= due { due = Timestamp(microseconds: before.microseconds + 1) }
    try tx.execute(
      """
      INSERT INTO blob_checks (blob, due_at, removing) VALUES (\(name), \(due), 0)
      ON CONFLICT (blob) DO UPDATE SET due_at = excluded.due_at
      """
    )
    return AnnouncedBlob(hash: blob, due: due, before: before)
  }

  /// Lets blobs go after an hour that were announced and are not going to be named, or when others need them no more.
  static func withdraw(_ blobs: [AnnouncedBlob], in tx: Transaction) throws {
    let soon = tx.now.advanced(bySeconds: releasedSeconds)
    for blob in blobs {
      let due = max(soon, blob.before ?? soon)
      try tx.execute(
        """
        UPDATE blob_checks SET due_at = \(due)
        WHERE blob = \(blob.hash.description) AND removing = 0 AND due_at = \(blob.due)
        """
      )
    }
  }

  /// Blobs whose time has come, also those that a collector has begun to remove and has not finished with.
  static func due(limit: Int, in tx: Transaction) throws -> [BlobHash] {
    try tx.all("SELECT blob FROM blob_checks WHERE due_at <= \(tx.now) ORDER BY due_at LIMIT \(limit)") { row in
      guard let blob = BlobHash(try row["blob"] as String) else {
        throw DatabaseError(.corrupt, "blob_checks.blob holds no hash")
      }
      return blob
    }
  }

  /// Keeps others from storing or removing blobs for a while.
  /// - Returns: Until when, which also distinguishes this removal from others.
  @discardableResult
  static func beginRemoval(of blobs: [BlobHash], in tx: Transaction) throws -> Timestamp {
    let until = tx.now.advanced(bySeconds: removalSeconds)
    try tx.execute(
      "UPDATE blob_checks SET removing = 1, due_at = \(until) WHERE blob IN \(list: blobs.map(\.description))")
    return until
  }

  /// Gives a collector its whole time again for one blob.
  /// - Returns: Until when; `nil` when its time was over, and the blob has been announced again or is another's.
  static func continueRemoval(of blob: BlobHash, until end: Timestamp, in tx: Transaction) throws -> Timestamp? {
    let until = tx.now.advanced(bySeconds: removalSeconds)
    let count = try tx.execute(
      """
      UPDATE blob_checks SET due_at = \(until)
      WHERE blob = \(blob.description) AND removing = 1 AND due_at = \(end)
      """
    )
    return count > 0 ? until : nil
  }

  /// Ends the watch over a blob that is gone, unless it has been announced again.
  static func endRemoval(of blob: BlobHash, until end: Timestamp, in tx: Transaction) throws {
    let count = try tx.execute(
      "DELETE FROM blob_checks WHERE blob = \(blob.description) AND removing = 1 AND due_at = \(end)")
    if count > 0 { try StorageUseStore.settle([blob], in: tx) }
  }

  /// Ends the watch over blobs that are in use.
  static func delete(_ blobs: [BlobHash], in tx: Transaction) throws {
    try tx.execute("DELETE FROM blob_checks WHERE blob IN \(list: blobs.map(\.description))")
    try StorageUseStore.settle(blobs, in: tx)
  }
}
