public import Contracts
import Logging
public import Persistence
public import ServiceLifecycle

/// Work that commits with its cause and is done later, at least once: mails, pushes, reminders, whatever has a due time.
///
/// Jobs wait in the service's database, their payloads encrypted. One that fails is tried again with growing delays; a
/// process that dies leaves its jobs to the next one. A handler whose effect is in the same database makes it exactly
/// once by ``Job/complete(in:)``.
public struct DurableJobs<Payload: Codable & Sendable>: Service {
  /// What became of a job.
  public enum Outcome: Sendable {
    case done
    /// To be tried again after the usual delay, or after so many seconds.
    case retry(afterSeconds: Double? = nil)
    /// Will never succeed; the reason goes to the log.
    case drop(reason: String)
  }

  public typealias Handler = @Sendable (Payload, Job) async throws -> Outcome

  private let pending: PendingJobs<Payload>
  private let database: any Database
  private let time: TimeSource
  private let logger: Logger
  private let concurrency: Int
  private let attempts: Int
  private let handler: Handler

  /// How long a job under way is kept from other instances, in seconds; longer than a handler may take.
  private static var claimSeconds: Double { 120 }
  /// How often the database is asked for due jobs, in seconds.
  private static var pollSeconds: Double { 0.5 }
  private static var longestDelay: Double { 3600 }

  private var kind: String { pending.kind }

  /// - Parameters:
  ///   - kind: Parts the queues of one service.
  ///   - concurrency: Jobs worked on at once.
  ///   - attempts: After which a job is dropped; 60 are about two days.
  public init(
    _ kind: String,
    _ environment: ServiceEnvironment,
    concurrency: Int = 1,
    attempts: Int = 60,
    handler: @escaping Handler
  ) throws {
    pending = PendingJobs(kind, environment)
    database = try environment.database
    time = environment.time
    logger = environment.logger
    self.concurrency = concurrency
    self.attempts = attempts
    self.handler = handler
  }

  /// Adds a job; see ``PendingJobs/add(_:id:person:dueAt:in:)``.
  public func add(
    _ payload: Payload,
    id: String? = nil,
    person: UserID? = nil,
    dueAt: Timestamp? = nil,
    in tx: Transaction
  ) throws {
    try pending.add(payload, id: id, person: person, dueAt: dueAt, in: tx)
  }

  // MARK: work

  private struct Claimed: Sendable {
    var job: Job
    var payload: String
  }

  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        var isBusy = false
        do { isBusy = try await round() == concurrency } catch {
          logger.error("jobs cannot be read", metadata: ["kind": "\(kind)", "error": "\(error)"])
        }
        if !isBusy { do { try await Task.sleep(for: .seconds(Self.pollSeconds)) } catch { return } }
      }
    }
  }

  /// Works on what is due, at most one batch; answers how many that were. ``run()`` does it again and again.
  public func round() async throws -> Int {
    let claimed = try await claim()
    await withTaskGroup(of: Void.self) { group in
      for item in claimed { group.addTask { await work(item) } }
    }
    return claimed.count
  }

  private func claim() async throws -> [Claimed] {
    let now = time.now()
    let isEmpty = try await database.read { [kind] db in
      try db.first("SELECT 1 FROM jobs WHERE kind = \(kind) AND due_at <= \(now) LIMIT 1") { _ in } == nil
    }
    if isEmpty { return [] }
    return try await database.write { [kind, concurrency] tx in
      let jobs = try tx.all(
        """
        SELECT id, person, attempts, payload FROM jobs WHERE kind = \(kind) AND due_at <= \(tx.now)
        ORDER BY due_at LIMIT \(concurrency)
        """
      ) { row in
        Claimed(job: Job(id: try row[0], person: try row[1], attempt: try row[2] + 1), payload: try row[3])
      }
      let until = tx.now.advanced(bySeconds: Self.claimSeconds)
      try tx.execute(
        "UPDATE jobs SET due_at = \(until), attempts = attempts + 1 WHERE id IN \(list: jobs.map(\.job.id))"
      )
      return jobs
    }
  }

  private func work(_ item: Claimed) async {
    var outcome: Outcome
    do {
      let bytes = try pending.keys.open(item.payload, in: Job.payload, row: item.job.id)
      outcome = try await handler(WireJSON.decode(Payload.self, from: bytes), item.job)
    } catch {
      logger.warning("a job failed", metadata: ["kind": "\(kind)", "job": "\(item.job.id)", "error": "\(error)"])
      outcome = .retry()
    }
    if case .retry = outcome, item.job.attempt >= attempts { outcome = .drop(reason: "too many attempts") }
    do {
      switch outcome {
      case .done: try await database.write { tx in _ = try item.job.complete(in: tx) }
      case .drop(let reason):
        logger.error("a job is dropped", metadata: ["kind": "\(kind)", "job": "\(item.job.id)", "reason": "\(reason)"])
        try await database.write { tx in _ = try item.job.complete(in: tx) }
      case .retry(let seconds):
        let delay = seconds ?? min(Self.longestDelay, Double(1 << min(item.job.attempt, 12)) * .random(in: 0.25...0.5))
        try await database.write { tx in
          try tx.execute(
            """
            UPDATE jobs SET due_at = \(tx.now.advanced(bySeconds: delay))
            WHERE id = \(item.job.id) AND attempts = \(item.job.attempt)
            """
          )
        }
      }
    } catch {
      // The claim runs out, and the job is done once more.
      logger.error("a job's outcome is not written", metadata: ["job": "\(item.job.id)", "error": "\(error)"])
    }
  }
}

/// The jobs of one kind that wait: for who adds them and does not do them.
public struct PendingJobs<Payload: Codable & Sendable>: Sendable {
  let kind: String
  let keys: DataKeys
  private let ids: IDGenerator

  public init(_ kind: String, _ environment: ServiceEnvironment) {
    self.kind = kind
    keys = environment.dataKeys
    ids = environment.ids
  }

  /// Adds a job, if and when the transaction commits.
  ///
  /// - Parameters:
  ///   - id: Chosen by callers who may want to cancel it; unique among all jobs. One that is there already is replaced,
  ///     also while it is being worked on: it is then done once more.
  ///   - person: Whose jobs go when the account is deleted.
  ///   - dueAt: Now unless said.
  public func add(
    _ payload: Payload,
    id: String? = nil,
    person: UserID? = nil,
    dueAt: Timestamp? = nil,
    in tx: Transaction
  ) throws {
    let id = id ?? ids.text()
    let sealed = try keys.seal(WireJSON.encode(payload), in: Job.payload, row: id)
    try tx.execute(
      """
      INSERT INTO jobs (id, kind, person, payload, attempts, due_at)
      VALUES (\(id), \(kind), \(person), \(sealed), 0, \(dueAt ?? tx.now))
      ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, attempts = 0, due_at = excluded.due_at
      """
    )
  }
}

/// One piece of work of ``DurableJobs``.
public struct Job: Sendable {
  public let id: String
  /// Whose it is.
  public let person: UserID?
  /// 1 for the first.
  public let attempt: Int

  static let payload = SealedColumn("jobs", "payload")

  /// Ends the job in the transaction of its effect.
  /// - Returns: `false` when it was ended or replaced before; then the effect is there already, or somebody else's affair.
  public func complete(in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM jobs WHERE id = \(id) AND attempts = \(attempt)") == 1
  }

  /// Takes a job back.
  /// - Returns: Whether there was one.
  @discardableResult
  public static func cancel(_ id: String, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM jobs WHERE id = \(id)") == 1
  }
}

extension Transaction {
  /// Drops what the platform's own tables hold of a person: jobs, and the answers kept for repeated requests.
  public func forget(_ person: UserID) throws {
    try execute("DELETE FROM jobs WHERE person = \(person)")
    try execute("DELETE FROM idempotency_keys WHERE caller = \("user \(person)")")
  }
}
