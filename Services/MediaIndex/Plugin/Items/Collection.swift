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
  /// How long it is known which reports about an object without media are late, in seconds: longer than events are
  /// delivered again.
  private static let sequenceSeconds = 30 * 86_400.0

  var workers: [any Service] {
    [PeriodicTask("media.collect", every: .seconds(300), logger: core.logger) { try await collect() }]
  }

  func collect() async throws {
    let ended = try await core.database.write { tx in try MediaHoldStore.deleteExpired(in: tx) }
    while try await removeUnused() == Self.batch {}
    var blobs = 0
    while true {
      let count = try await removeBlobs()
      blobs += count.removed
      if count.due < Self.batch { break }
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
  private func removeBlobs() async throws -> (due: Int, removed: Int) {
    let (due, unnamed, until) = try await core.database.write { tx in
      let due = try BlobCheckStore.due(limit: Self.batch, in: tx)
      let named = try MediaFileStore.named(due, in: tx)
      let unnamed = due.filter { !named.contains($0) }
      try BlobCheckStore.delete(Array(named), in: tx)
      return (due.count, unnamed, try BlobCheckStore.beginRemoval(of: unnamed, in: tx))
    }
    var removed = 0
    // The storage may be slow, but each blob is removed within the time in which no one stores it.
    for blob in unnamed {
      let end = try await core.database.write { tx in
        try BlobCheckStore.continueRemoval(of: blob, until: until, in: tx)
      }
      guard let end else { continue }
      try await core.blobs.storage.remove(blob)
      try await core.database.write { tx in try BlobCheckStore.endRemoval(of: blob, until: end, in: tx) }
      removed += 1
    }
    return (due, removed)
  }

  private func forgetObjects() async throws -> Int {
    try await core.database.write { tx in
      let time = tx.now.advanced(bySeconds: -Self.sequenceSeconds)
      return try MediaReferenceStore.forgetObjects(before: time, limit: Self.batch, in: tx)
    }
  }
}
