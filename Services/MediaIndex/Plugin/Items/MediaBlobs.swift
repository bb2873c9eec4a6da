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
  @discardableResult
  func store(fileAt path: String, as hash: BlobHash) async throws -> AnnouncedBlob {
    try limits.requireSpace()
    let announced = try await announce(hash)
    try await reporting { try await storage.store(fileAt: path, as: hash) }
    return announced
  }

  /// Runs the transaction that names stored blobs. When it fails, they go sooner than after a day, as no one is charged
  /// for them.
  ///
  /// - Parameter body: Returns whether it has named them.
  func name(_ blobs: [AnnouncedBlob], _ body: @escaping @Sendable (Transaction) throws -> Bool) async throws {
    do { if try await database.write(body) { return } } catch {
      await withdraw(blobs)
      throw error
    }
    await withdraw(blobs)
  }

  private func withdraw(_ blobs: [AnnouncedBlob]) async {
    // Otherwise they go after a day.
    try? await database.write { tx in try BlobCheckStore.withdraw(blobs, in: tx) }
  }

  /// The source from which the content of a blob can be read.
  ///
  /// - Throws: ``Problem`` 503 when the storage cannot be reached or lacks the blob.
  func content(of hash: BlobHash) async throws -> BlobContent {
    try await reporting { try await storage.content(of: hash) }
  }

  private func announce(_ hash: BlobHash) async throws -> AnnouncedBlob {
    for _ in 0..<Self.rounds {
      if let announced = try await database.write({ tx in try BlobCheckStore.announce(hash, in: tx) }) {
        return announced
      }
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
