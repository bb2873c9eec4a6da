import CSQLite
public import Contracts
import Foundation
import GRDB
public import Logging

/// SQLite in WAL mode: one writer thread with group commit and a few reader threads.
///
/// Every commit is synchronous (`synchronous=FULL`). Writes that arrive during a flush are committed together by the
/// next one: each body runs in a savepoint, one fsync covers all, and every caller resumes after the commit.
public final class SQLiteDatabase: Database {
  private typealias Completion = @Sendable (Result<Void, DatabaseError>) -> Void
  private typealias ReadJob = @Sendable (SQLiteConnection) -> Void

  private let writes = BlockingWorkQueue<WriteJob>(capacity: 4096)
  private let reads = BlockingWorkQueue<ReadJob>(capacity: 4096)
  private let outbox: OutboxWriter
  private let time: TimeSource
  public let committedEvents: AsyncStream<Void>
  private let eventSignal: AsyncStream<Void>.Continuation

  public var dialect: Dialect { .sqlite }
  public var queueDepth: Int { writes.depth }

  /// Opens or creates a database file.
  ///
  /// - Parameters:
  ///   - path: The file's path; its folder must exist.
  ///   - readers: Number of reader threads; more than about one per core does not help.
  /// - Throws: ``DatabaseError`` when the file cannot be opened.
  public init(
    path: String,
    readers: Int = 2,
    time: TimeSource = .system,
    ids: IDGenerator = IDGenerator(),
    logger: Logger = Logger(label: "quintet.sqlite")
  ) throws {
    self.time = time
    outbox = OutboxWriter(ids: ids)
    (committedEvents, eventSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    _ = Self.isConfigured
    do {
      let writer = try DatabaseQueue(path: path, configuration: Self.configuration(isReader: false))
      try writer.inDatabase { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
      writes.startThread(named: "sqlite-writer") { [writes] in
        writer.inDatabase { db in Self.commitGroups(of: writes, on: SQLiteConnection(db), logger: logger) }
        try? writer.close()
      }
      for _ in 0..<readers {
        let reader = try DatabaseQueue(path: path, configuration: Self.configuration(isReader: true))
        reads.startThread(named: "sqlite-reader") { [reads] in
          reader.inDatabase { db in
            let connection = SQLiteConnection(db)
            while let job = reads.take() { job(connection) }
          }
          try? reader.close()
        }
      }
    } catch let error as GRDB.DatabaseError {
      throw SQLiteConnection.error(error.extendedResultCode.rawValue, error.message)
    }
  }

  /// By default, a transaction that changes more than 64 KB makes a temporary file, for its savepoint; which costs as
  /// much as the transaction itself, and leaves contents outside the database. Set once, before SQLite is used; later,
  /// SQLite refuses it and the default remains.
  private static let isConfigured =
    csqlite_keep_savepoints_in_memory() == SQLITE_OK && csqlite_omit_memory_statistics() == SQLITE_OK

  private static func configuration(isReader: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReader
    configuration.busyMode = .timeout(30)  // GRDB's default fails immediately
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try db.execute(sql: "PRAGMA secure_delete = ON")
      try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
      // Pages that many commits change are copied into the file once per 16 MB, not once per 4 MB.
      if !isReader { try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000") }
      // The writer reads what it changes: with SQLite's 2 MB, pages of large tables would be read again and again.
      if !isReader { try db.execute(sql: "PRAGMA cache_size = -16384") }
    }
    return configuration
  }

  public func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try reads.submit { connection in
          continuation.resume(
            with: Result {
              try connection.execute("BEGIN")
              defer { _ = try? connection.execute("COMMIT") }
              return try body(connection)
            }
          )
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  @discardableResult
  public func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value {
    try await write(truncatesWAL: false, body)
  }

  public func eraseDeleted() async throws { try await write(truncatesWAL: true) { _ in } }

  private func write<Value: Sendable>(
    truncatesWAL: Bool,
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    let (outbox, device) = (outbox.traced(by: TraceContext.current), DeviceFacts.current)
    return try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        let run: @Sendable (SQLiteConnection) -> Completion = { [time, eventSignal] connection in
          let transaction = Transaction(connection: connection, outbox: outbox, now: time.now(), device: device)
          let outcome = Result { try connection.savepoint { try body(transaction) } }
          let hasEvents = transaction.hasEvents
          return { commit in
            switch commit {
            case .success:
              if hasEvents { eventSignal.yield() }
              continuation.resume(with: outcome)
            case .failure(let error): continuation.resume(throwing: error)
            }
          }
        }
        try writes.submit(WriteJob(run: run, truncatesWAL: truncatesWAL) { continuation.resume(throwing: $0) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  public func close() async {
    await writes.close()
    await reads.close()
    eventSignal.finish()
  }

  // MARK: group commit

  /// A transaction body in the writer's queue.
  private struct WriteJob: Sendable {
    /// Runs the body in a savepoint; returns the completion to call with the outcome of the group's commit.
    let run: @Sendable (SQLiteConnection) -> Completion
    /// Whether the WAL is checkpointed and truncated after the group is committed.
    var truncatesWAL = false
    /// Fails the caller when the body never ran.
    let fail: @Sendable (DatabaseError) -> Void
  }

  private static let groupSize = 128

  private static func commitGroups(
    of jobs: BlockingWorkQueue<WriteJob>, on connection: SQLiteConnection, logger: Logger
  ) {
    while true {
      let group = jobs.takeBatch(upTo: groupSize)
      if group.isEmpty { return }
      var completions: [Completion] = []
      do {
        try connection.execute("BEGIN IMMEDIATE")
        for job in group {
          completions.append(job.run(connection))
          // A full disk rolls back the whole transaction, including earlier bodies of the group.
          guard connection.isInsideTransaction else { throw DatabaseError(.storageFull, "SQLite rolled back") }
        }
        try connection.execute("COMMIT")
        // The group stays committed even when truncating the WAL fails.
        let logIsEmpty = !group.contains(where: \.truncatesWAL) || truncateWAL(connection)
        for (job, completion) in zip(group, completions) {
          let isDone = !job.truncatesWAL || logIsEmpty
          completion(isDone ? .success(()) : .failure(DatabaseError(.overloaded, "a reader is still using the WAL")))
        }
      } catch {
        let failure = error as? DatabaseError ?? DatabaseError(.other, "\(error)")
        if failure.kind == .syncFailed { endProcess(failure, logger) }
        if connection.isInsideTransaction { _ = try? connection.execute("ROLLBACK") }
        for completion in completions { completion(.failure(failure)) }
        for job in group.dropFirst(completions.count) { job.fail(failure) }
      }
    }
  }

  /// Checkpoints and truncates the WAL; `false` when a reader still needs it.
  private static func truncateWAL(_ connection: SQLiteConnection) -> Bool {
    let busy = try? connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { row -> Int in try row["busy"] }
    return busy == 0
  }

  /// After a failed fsync the kernel may have dropped the dirty pages and report success on the next call (PostgreSQL's
  /// "fsyncgate" of 2018), so no further commit can be acknowledged: the process exits and recovers from the file.
  private static func endProcess(_ failure: DatabaseError, _ logger: Logger) -> Never {
    let reason = "fsync failed; the process exits so that no unsafe commit is acknowledged: \(failure)"
    logger.critical("\(reason)")
    let line = Array("\(reason)\n".utf8)
    _ = Foundation.write(STDERR_FILENO, line, line.count)  // the log's thread may be too late
    _exit(74)  // EX_IOERR
  }
}
