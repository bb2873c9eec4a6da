/// Threads of their own for work that waits for a disk or computes for long. A queue of Foundation or Dispatch would
/// not do: on Linux, its threads are those on which Swift's tasks run.
package final class BlockingThreads: Sendable {
  /// The threads for files, of the whole process.
  package static let files = BlockingThreads(8, named: "files")

  private static let capacity = 4096

  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: capacity)

  package init(_ count: Int, named name: String) {
    for _ in 0..<count {
      queue.startThread(named: name) { [queue] in while let job = queue.take() { job() } }
    }
  }

  /// - Throws: What the body throws; ``WorkRefusal`` `overloaded` when too much waits.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(WorkRefusal) {
        try queue.submit { continuation.resume(with: Result { try body() }) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// The threads complete what waits, and exit.
  deinit { queue.closeWithoutWaiting() }
}
