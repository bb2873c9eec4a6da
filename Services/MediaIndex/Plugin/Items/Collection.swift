import BlobStorage
import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Removes what nothing needs any more. Every step is small and may be repeated, so that a crash between two steps
/// costs nothing.
struct Collection: Feature {
  let core: MediaCore

  private static let batch = 100

  var workers: [any Service] {
    [PeriodicTask("media.collect", per: .platform, every: .seconds(300), logger: core.logger) { try await collect() }]
  }

  func collect() async throws {
    let ended = try await core.database.write { tx in try MediaHoldStore.deleteExpired(in: tx) }
    while try await removeUnused() == Self.batch {}
    var blobs = 0
    while true {
      let count = try await removeBlobs()
      blobs += count.removed
      // A failure of one batch affects the next one, too, such as a storage that does not respond.
      if count.due < Self.batch || count.failed > 0 { break }
    }
    while try await forgetObjects() == Self.batch {}
    if ended + blobs > 0 {
      core.logger.info("collected media", metadata: ["holds": "\(ended)", "blobs": "\(blobs)"])
    }
  }

  /// Removes deleted media that were kept for what used them.
  private func removeUnused() async throws -> Int {
    try await core.database.write { [core] tx in
      let unused = try core.media.unused(limit: Self.batch, in: tx)
      for stored in unused { try core.removal.remove(stored, in: tx) }
      return unused.count
    }
  }

  /// Removes blobs that no file has named for a day.
  private func removeBlobs() async throws -> (due: Int, removed: Int, failed: Int) {
    let (due, unnamed, until) = try await core.database.write { tx in
      let due = try BlobCheckStore.due(limit: Self.batch, in: tx)
      let named = try MediaFileStore.named(due, in: tx)
      let unnamed = due.filter { !named.contains($0) }
      try BlobCheckStore.delete(Array(named), in: tx)
      return (due.count, unnamed, try BlobCheckStore.beginRemoval(of: unnamed, in: tx))
    }
    var (removed, failed) = (0, 0)
    // The storage may be slow, but each blob is removed within the time in which no one stores it.
    for blob in unnamed {
      do { removed += try await remove(blob, until: until) ? 1 : 0 } catch {
        if Task.isCancelled { throw error }
        failed += 1
        // It is due again when the time of this removal is over.
        core.logger.warning("a blob cannot be removed", metadata: ["blob": "\(blob)", "error": "\(error)"])
      }
    }
    return (due, removed, failed)
  }

  /// - Returns: `false` when another collector removes it, or it has been stored again.
  private func remove(_ blob: BlobHash, until: Timestamp) async throws -> Bool {
    let end = try await core.database.write { tx in
      try BlobCheckStore.continueRemoval(of: blob, until: until, in: tx)
    }
    guard let end else { return false }
    try await core.blobs.storage.remove(blob)
    try await core.database.write { tx in try BlobCheckStore.endRemoval(of: blob, until: end, in: tx) }
    return true
  }

  private func forgetObjects() async throws -> Int {
    try await core.database.write { tx in try MediaReferenceStore.forgetObjects(limit: Self.batch, in: tx) }
  }
}
