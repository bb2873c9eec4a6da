import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Threads on which uploads are written and read: that waits for the disk and takes processor time.
final class UploadThreads: Service {
  private static let maxJobs = 1024

  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: maxJobs)

  init(_ count: Int) {
    for _ in 0..<count {
      queue.startThread(named: "uploads") { [queue] in while let job = queue.take() { job() } }
    }
  }

  /// - Throws: ``Problem`` 503 when too much waits.
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
