import BlobStorage
import Contracts
import Persistence

/// Stores the blobs of media so that none is lost to the collector before a file names it, and none stays that no file
/// names: what is stored is named by ``MediaFileStore`` within a day, or is collected.
struct MediaBlobs: Sendable {
  let storage: any BlobStorage
  let database: any Database
  let limits: StorageLimits

  /// How long to wait for a collector that is removing the same content, in rounds of 100 ms.
  private static let rounds = 50

  /// Stores a complete file, which may be moved.
  ///
  /// - Throws: ``Problem`` 507 when the storage or the disk is full, 503 when it cannot be reached.
  func store(fileAt path: String, as hash: BlobHash) async throws {
    try limits.requireSpace()
    try await announce(hash)
    try await reporting { try await storage.store(fileAt: path, as: hash) }
  }

  /// Where the content of a blob can be read.
  ///
  /// - Throws: ``Problem`` 503 when the storage cannot be reached or lacks the blob.
  func content(of hash: BlobHash) async throws -> BlobContent {
    try await reporting { try await storage.content(of: hash) }
  }

  private func announce(_ hash: BlobHash) async throws {
    for _ in 0..<Self.rounds {
      if try await database.write({ tx in try BlobCheckStore.announce(hash, in: tx) }) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw Problem(.unavailable, detail: "The same content is being removed.", retryAfter: 5)
  }

  private func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as BlobStorageError {
      switch error {
      case .full: throw Problem(.storageFull)
      case .notFound, .unavailable, .refused, .damaged:
        throw Problem(.unavailable, detail: "The storage of media does not respond.", retryAfter: 5)
      }
    }
  }
}
