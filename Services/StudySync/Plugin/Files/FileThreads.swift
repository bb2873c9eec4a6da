import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Threads on which files are read and written: that waits for the disk and takes processor time.
final class FileThreads: Service {
  private static let threads = 2
  /// Imports and exports at once.
  private static let maxFiles = 8

  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: maxFiles)
  private let files = Mutex(0)

  init() {
    for _ in 0..<Self.threads {
      queue.startThread(named: "study-files") { [queue] in while let job = queue.take() { job() } }
    }
  }

  /// Runs an import or export, unless there are too many.
  ///
  /// - Throws: ``Problem`` 503.
  func withFile<Value>(_ body: () async throws -> Value) async throws -> Value {
    let isAllowed = files.withLock { files in
      guard files < Self.maxFiles else { return false }
      files += 1
      return true
    }
    guard isAllowed else {
      throw Problem(.overloaded, detail: "Too many files are being imported and exported.", retryAfter: 5)
    }
    defer { files.withLock { $0 -= 1 } }
    return try await body()
  }

  /// Runs a step of it on a thread.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.submit { continuation.resume(with: Result { try body() }) }
      } catch {
        continuation.resume(throwing: Problem(.overloaded, retryAfter: 5))
      }
    }
  }

  /// Stops the threads when the service shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await queue.close()
  }
}
