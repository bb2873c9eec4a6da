import Foundation

/// Threads for work that waits for a disk, which must not block Swift's few shared ones.
struct FileThreads: Sendable {
  private let queue: OperationQueue

  init(_ count: Int) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = count
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.addOperation {
        continuation.resume(with: Result { try BlobFile.reporting(body) })
      }
    }
  }
}
