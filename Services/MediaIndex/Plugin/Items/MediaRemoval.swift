import Contracts
import Persistence
import ServiceKit

/// Removes media with everything that belongs to them.
struct MediaRemoval: Sendable {
  let media: MediaStore

  /// Whether something uses a media item, or is about to.
  func isUsed(_ id: MediaID, in tx: Transaction) throws -> Bool {
    try MediaReferenceStore.exists(of: id, in: tx) || MediaHoldStore.exists(of: id, in: tx)
  }

  /// Removes a media item that nothing uses. Its blobs are collected, unless other media have them.
  func remove(_ stored: StoredMedia, in tx: Transaction) throws {
    try Job.cancel(MediaIntake.job(of: stored.id), in: tx)
    try MediaFileStore.deleteAll(of: stored.id, in: tx)
    try media.remove(stored, in: tx)
    if stored.deletedAt == nil { try MediaTopic.deleted(stored, in: tx) }
  }

  /// Keeps a media item for what uses it, without its owner and what the owner wrote about it.
  func orphan(_ stored: StoredMedia, in tx: Transaction) throws {
    guard stored.deletedAt == nil else { return }
    try media.orphan(stored.id, in: tx)
    try MediaTopic.deleted(stored, in: tx)
  }
}
