import FoundationEssentials
public import ServiceLifecycle

/// Threads for work that waits for the disk or takes milliseconds of processor time, which Swift's cooperative pool must
/// not do. Work beyond a bounded queue is refused.
public final class WorkThreads: Service {
  private let queue: BlockingWorkQueue<@Sendable () -> Void>
  private let refusal: any Error

  /// - Parameters:
  ///   - count: How many threads; by default one per core.
  ///   - name: What debuggers show.
  ///   - capacity: How many pieces of work may wait.
  ///   - refusal: The error that is thrown when more would wait.
  public init(
    _ count: Int? = nil, named name: String, waiting capacity: Int,
    refusal: any Error
  ) {
    let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: capacity)
    for _ in 0..<(count ?? ProcessInfo.processInfo.activeProcessorCount) {
      queue.startThread(named: name) { while let work = queue.take() { work() } }
    }
    (self.queue, self.refusal) = (queue, refusal)
  }

  /// Also ends the threads of a service that was never run, as those of commands and tests.
  deinit { queue.closeWithoutWaiting() }

  /// How many pieces of work are waiting.
  public var depth: Int { queue.depth }

  /// Does a piece of work on one of the threads.
  ///
  /// - Throws: What the work throws; the refusal when too much is waiting and when the service shuts down.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(WorkRefusal) {
        try queue.submit { continuation.resume(with: Result { try work() }) }
      } catch {
        continuation.resume(throwing: refusal)
      }
    }
  }

  /// Stops the threads when the service shuts down.
  public func run() async throws {
    try? await gracefulShutdown()
    await queue.close()
  }
}
