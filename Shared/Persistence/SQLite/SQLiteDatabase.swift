import CSQLite
public import Contracts
import Foundation
import GRDB
public import Logging
import Threads

/// SQLite in WAL mode: one writer thread with group commit and a few reader threads, of which one is for background work
/// and one for health checks.
///
/// Every commit is synchronous (`synchronous=FULL`). Writes that arrive during a flush are committed together by the
/// next one: each body runs in a savepoint, one fsync covers all, and every caller resumes after the commit.
public final class SQLiteDatabase: Database {
  private typealias Completion = @Sendable (Result<Void, DatabaseError>) -> Void

  private let writes: BlockingWorkQueue<WriteJob>
  private let requests: SQLiteReaders
  private let background: SQLiteReaders
  private let health: SQLiteReaders
  private let checkpoints: SQLiteCheckpoints
  private let outbox: OutboxWriter
  private let time: TimeSource
  public let committedEvents: AsyncStream<Void>
  private let eventSignal: AsyncStream<Void>.Continuation

  public let wakeUps = WakeUps()

  public var dialect: Dialect { .sqlite }
  public var queueDepth: Int { writes.depth }

  /// Opens or creates a database file.
  ///
  /// - Parameters:
  ///   - path: The file's path; its folder must exist.
  ///   - count: Number of reader threads for requests; more than about one per core does not help.
  ///   - limits: Those of statements limit reads; a write cannot be interrupted without its group.
  /// - Throws: ``DatabaseError`` when the file cannot be opened.
  public init(
    path: String,
    readers count: Int = 2,
    limits: DatabaseLimits = DatabaseLimits(),
    time: TimeSource = .system,
    ids: IDGenerator = IDGenerator(),
    logger: Logger = Logger(label: "quintet.sqlite")
  ) throws {
    self.time = time
    outbox = OutboxWriter(ids: ids)
    (committedEvents, eventSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    _ = Self.isConfigured
    let maxWait = Duration.seconds(limits.waitSeconds)
    writes = BlockingWorkQueue(capacity: 4096, maxWait: maxWait)
    func readers(_ count: Int, _ seconds: Double, maxWait: Duration? = nil) -> SQLiteReaders {
      SQLiteReaders(
        count, of: path, Self.configuration(isReader: true), seconds: seconds, maxWait: maxWait)
    }
    requests = readers(count, limits.requestSeconds, maxWait: maxWait)
    background = readers(1, limits.backgroundSeconds)
    health = readers(1, limits.healthSeconds)
    do {
      let writer = try DatabaseQueue(path: path, configuration: Self.configuration(isReader: false))
      try writer.inDatabase { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
      checkpoints = SQLiteCheckpoints(try DatabaseQueue(path: path, configuration: Self.configuration(isReader: false)))
      writes.startThread(named: "sqlite-writer") { [writes, checkpoints] in
        writer.inDatabase { db in Self.commitGroups(of: writes, on: SQLiteConnection(db), checkpoints, logger: logger) }
        try? writer.close()
      }
    } catch let error as GRDB.DatabaseError {
      throw SQLiteConnection.error(error.extendedResultCode.rawValue, error.message)
    }
  }

  /// Configures SQLite: by default, a transaction that changes more than 64 KB makes a temporary file, for its
  /// savepoint; which costs as much as the transaction itself, and leaves contents outside the database. Set once,
  /// before SQLite is used; later, SQLite refuses it and the default remains.
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
      // The writer reads what it changes: with SQLite's 2 MB, pages of large tables would be read again and again.
      if !isReader { try db.execute(sql: "PRAGMA cache_size = -16384") }
    }
    return configuration
  }

  public func read<Value: Sendable>(
    _ purpose: ReadPurpose, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    let workload = Workload.current
    let readers =
      switch workload {
      case .request, .events: requests
      case .background: background
      case .health: health
      }
    return try await readers.read(for: workload.caller, body)
  }

  @discardableResult
  public func write<Value: Sendable>(
    _ purpose: WritePurpose, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await write(truncatesWAL: false, body)
  }

  public func eraseDeleted() async throws { try await write(truncatesWAL: true) { _ in } }

  private func write<Value: Sendable>(
    truncatesWAL: Bool,
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    let (outbox, device) = (outbox.traced(by: TraceContext.current), DeviceFacts.current)
    let caller = Workload.current.caller
    return try await withCheckedThrowingContinuation { continuation in
      do throws(WorkRefusal) {
        let run: @Sendable (SQLiteConnection) -> Completion = { [time, eventSignal, wakeUps] connection in
          let transaction = Transaction(connection: connection, outbox: outbox, now: time.now(), device: device)
          let outcome = Result {
            try connection.savepoint {
              let value = try body(transaction)
              try transaction.writeEvents()
              return value
            }
          }
          // A body that throws has written nothing, though its group commits.
          let isWritten = if case .success = outcome { true } else { false }
          let (hasEvents, topics) = (isWritten && transaction.hasEvents, isWritten ? transaction.topics : [])
          return { commit in
            switch commit {
            case .success:
              caller?.noteWrite()
              if hasEvents { eventSignal.yield() }
              if !topics.isEmpty { wakeUps.wake(topics) }
              continuation.resume(with: outcome)
            case .failure(let error): continuation.resume(throwing: error)
            }
          }
        }
        let fail: @Sendable (DatabaseError) -> Void = { continuation.resume(throwing: $0) }
        try writes.submit(WriteJob(run: run, truncatesWAL: truncatesWAL, fail: fail), for: caller) {
          fail(DatabaseError($0))
        }
      } catch {
        continuation.resume(throwing: DatabaseError(error))
      }
    }
  }

  @discardableResult
  public func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    let pending = try await write { tx in
      for table in Migration.history { try tx.execute(table) }
      return try Migration.pending(among: migrations, in: tx)
    }
    var applied: [String] = []
    for migration in pending {
      var progress = Migration.Progress.unfinished
      while progress == .unfinished { progress = try await write { tx in try migration.step(in: tx, at: tx.now) } }
      guard progress == .applied else { continue }
      applied.append(migration.name)
      logger.info("applied migration", metadata: ["migration": "\(migration.name)", "why": "\(migration.why)"])
    }
    return applied
  }

  public func close() async {
    await writes.close()
    await checkpoints.close()
    for readers in [requests, background, health] { await readers.close() }
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
    of jobs: BlockingWorkQueue<WriteJob>, on connection: SQLiteConnection, _ checkpoints: SQLiteCheckpoints,
    logger: Logger
  ) {
    connection.reportLog(to: checkpoints)
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
        let logIsEmpty = !group.contains(where: \.truncatesWAL) || checkpoints.emptyLog(on: connection)
        for (job, completion) in zip(group, completions) {
          let isDone = !job.truncatesWAL || logIsEmpty
          completion(isDone ? .success(()) : .failure(DatabaseError(.overloaded, "a reader is still using the WAL")))
        }
        checkpoints.committed(on: connection)
      } catch {
        let failure = error as? DatabaseError ?? DatabaseError(.other, "\(error)")
        if failure.kind == .syncFailed { endProcess(failure, logger) }
        if connection.isInsideTransaction { _ = try? connection.execute("ROLLBACK") }
        for completion in completions { completion(.failure(failure)) }
        for job in group.dropFirst(completions.count) { job.fail(failure) }
      }
    }
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
