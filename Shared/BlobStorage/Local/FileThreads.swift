import Threads

/// Runs work that waits for a disk on threads for that, which all storages share.
struct FileThreads: Sendable {
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    do {
      return try await BlockingThreads.files.run { try BlobFile.reporting(body) }
    } catch is WorkRefusal {
      throw BlobStorageError.unavailable("too much waits for the disk")
    }
  }
}
