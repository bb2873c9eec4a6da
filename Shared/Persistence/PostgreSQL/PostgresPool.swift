import Threads

/// Threads with one connection each, and the work that waits for them.
final class PostgresPool: Sendable {
  private typealias Job = @Sendable (PostgresSession) -> Void

  private let jobs: BlockingWorkQueue<Job>

  /// Starts the threads; connections are opened on demand.
  ///
  /// - Parameters:
  ///   - name: What debuggers show.
  ///   - maxWait: How long the work of a caller may wait.
  init(
    connections: Int, named name: String, maxWait: Duration? = nil,
    connect: @escaping @Sendable () throws -> PostgresConnection
  ) {
    let jobs = BlockingWorkQueue<Job>(capacity: 4096, maxWait: maxWait)
    let writers = WriterGate()
    for _ in 0..<connections {
      jobs.startThread(named: name) {
        let session = PostgresSession(writers: writers, connect: connect)
        while let job = jobs.take() { job(session) }
      }
    }
    self.jobs = jobs
  }

  var queueDepth: Int { jobs.depth }

  func run<Value: Sendable>(
    for caller: WaitingCaller?, _ body: @escaping @Sendable (PostgresSession) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do throws(WorkRefusal) {
        try jobs.submit({ session in continuation.resume(with: Result { try body(session) }) }, for: caller) {
          continuation.resume(throwing: DatabaseError($0))
        }
      } catch {
        continuation.resume(throwing: DatabaseError(error))
      }
    }
  }

  func close() async { await jobs.close() }
}
