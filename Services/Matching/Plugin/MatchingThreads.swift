import Contracts
import Foundation
import Persistence
import ServiceKit
import ServiceLifecycle

/// Threads, one per core, for what takes milliseconds of processor time, with a short queue.
struct MatchingThreads: Service {
  private static let queueLength = 256

  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: queueLength)

  init(_ metrics: Metrics) {
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      queue.startThread(named: "matching") { [queue] in while let job = queue.take() { job() } }
    }
    metrics.gauge("matching_queue_depth", help: "Decks, suggestions and searches waiting to be computed.") { [queue] in
      Double(queue.depth)
    }
  }

  /// - Throws: ``Problem`` 503 when the queue is full.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.submit { continuation.resume(with: Result { try body() }) }
      } catch {
        continuation.resume(
          throwing: Problem(.overloaded, detail: "Too many decks and searches are being computed.", retryAfter: 1))
      }
    }
  }

  /// Stops the threads when the service shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await queue.close()
  }
}
