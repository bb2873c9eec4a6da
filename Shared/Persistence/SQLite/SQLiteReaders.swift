import GRDB
import GRDBSQLite
import Threads

/// Threads that read a SQLite file, with one connection each, opened at the first read.
final class SQLiteReaders: Sendable {
  private typealias Job = @Sendable (Result<SQLiteConnection, DatabaseError>) -> Void

  private let jobs: BlockingWorkQueue<Job>

  /// - Parameters:
  ///   - seconds: How long a statement may take.
  ///   - maxWait: How long the read of a caller may wait.
  init(_ count: Int, of path: String, _ configuration: Configuration, seconds: Double, maxWait: Duration?) {
    let jobs = BlockingWorkQueue<Job>(capacity: 4096, maxWait: maxWait)
    for _ in 0..<count {
      jobs.startThread(named: "sqlite-reader") {
        var next = jobs.take()
        // An open connection serves until the queue is closed.
        while next != nil {
          do {
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            reader.inDatabase { db in
              let limit = StatementLimit(.seconds(seconds), on: db)
              let connection = SQLiteConnection(db, limit: limit)
              // A job may keep a file of its caller's, so the thread lets go of it before it waits for another.
              while next != nil {
                next.take()?(.success(connection))
                next = jobs.take()
              }
              limit.remove(from: db)
            }
            try? reader.close()
          } catch let error as GRDB.DatabaseError {
            next.take()?(.failure(SQLiteConnection.error(error.extendedResultCode.rawValue, error.message)))
            next = jobs.take()
          } catch {
            next.take()?(.failure(DatabaseError(.unavailable, "the file cannot be read")))
            next = jobs.take()
          }
        }
      }
    }
    self.jobs = jobs
  }

  func read<Value: Sendable>(
    for caller: WaitingCaller?, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job: Job = { connection in
        continuation.resume(
          with: Result {
            let connection = try connection.get()
            try connection.execute("BEGIN")
            defer { _ = try? connection.execute("COMMIT") }
            return try body(connection)
          }
        )
      }
      do throws(WorkRefusal) {
        try jobs.submit(job, for: caller) { continuation.resume(throwing: DatabaseError($0)) }
      } catch {
        continuation.resume(throwing: DatabaseError(error))
      }
    }
  }

  func close() async { await jobs.close() }
}
