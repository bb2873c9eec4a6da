import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Threads on which files are read and written: that waits for the disk and takes processor time.
final class FileThreads: Service {
  private static let threads = 2
  /// Imports and exports at once.
  private static let maxFiles = 8

  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: maxFiles)
  private let places = CallerPlaces(total: maxFiles, perCaller: 2)
  /// Exported files that exist: until the last byte has been sent.
  let exported = CallerPlaces(total: 32, perCaller: 4)

  init() {
    for _ in 0..<Self.threads {
      queue.startThread(named: "study-files") { [queue] in while let job = queue.take() { job() } }
    }
  }

  /// Runs an import or export of a user, unless there are too many.
  ///
  /// - Throws: ``Problem`` 503.
  func withFile<Value>(of user: UserCaller, _ body: () async throws -> Value) async throws -> Value {
    let place = try places.take(user, for: "imported and exported")
    defer { withExtendedLifetime(place) {} }
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
