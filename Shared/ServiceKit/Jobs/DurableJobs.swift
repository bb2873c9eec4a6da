public import Contracts
import Logging
import Observability
public import Persistence
import ServiceLifecycle
import Synchronization
import Timing

/// Durable background jobs: added in the transaction that causes them and run later, at least once. For emails, push
/// notifications, reminders, and anything else with a due time.
///
/// Jobs are stored in the service's database with encrypted payloads. A failed job is retried with increasing delays;
/// the jobs of a process that dies are run by another one. A handler whose effect is in the same database achieves
/// exactly-once execution with ``Job/complete(in:)``.
public struct DurableJobs<Payload: Codable & Sendable>: Worker {
  /// The result of running a job.
  public enum Outcome: Sendable {
    case done
    /// Retry after the default delay, or after the given number of seconds.
    case retry(afterSeconds: Double? = nil)
    /// The job cannot succeed; it is kept with the reason for ``DroppedJobs``, and does not run again by itself.
    case drop(reason: String)
  }

  public typealias Handler = @Sendable (Payload, Job) async throws -> Outcome

  private let pending: PendingJobs<Payload>
  let database: any Database
  let time: TimeSource
  private let ids: IDGenerator
  let logger: Logger
  private let concurrency: Int
  private let attempts: Int
  private let handler: Handler

  /// How long a running job is claimed, in seconds; longer than a handler may take, unless the claim is renewed.
  static var claimSeconds: Double { 120 }
  /// The longest pause between two looks for due jobs, in seconds: those of a process that died without a wake-up.
  private static var pollSeconds: Double { 30 }
  private static var delays: Backoff { Backoff(first: 1, maxDelay: 2048) }

  public var name: String { kind }
  var kind: String { pending.kind }

  /// - Parameters:
  ///   - kind: Separates the queues of one service.
  ///   - concurrency: Maximum number of jobs that run at once.
  ///   - attempts: Number of attempts after which a job is dropped; 60 take about two days.
  public init(
    _ kind: String,
    _ environment: ServiceEnvironment,
    concurrency: Int = 1,
    attempts: Int = 60,
    handler: @escaping Handler
  ) throws {
    pending = PendingJobs(kind, environment)
    database = try environment.database
    (time, ids) = (environment.time, environment.ids)
    logger = environment.logger
    self.concurrency = concurrency
    self.attempts = attempts
    let spans = environment.tracer.map { SpanScope(tracer: $0, service: environment.name) }
    self.handler = { payload, job in
      try await SpanScope.run("job \(kind)", .consumer, after: TraceContext.current, in: spans) {
        try await handler(payload, job)
      }
    }
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

  struct Claimed: Sendable {
    var job: Job
    var payload: String
    var traceparent: String?
  }

  /// The outcome of an attempt to claim jobs.
  struct Claims: Sendable {
    var items: [Claimed]
    /// Without items, how long it takes until the next job is due.
    var pause = Duration.zero
  }

  /// Runs due jobs until the process stops. Another one starts as soon as one ends, however long the others take.
  public func run() async throws { await run(concurrency) { try await claim(limit: $0) } }

  /// - Parameter claim: Claims at most so many due jobs.
  func run(
    _ concurrency: Int, _ claim: @escaping @Sendable (_ limit: Int) async throws -> Claims
  ) async {
    let wakeUp = database.wakeUps.make(on: Job.topic(of: kind))
    let running = RunningJobs()
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        var failures = RoundFailures(of: name, logger)
        while !Task.isCancelled {
          var pause = Duration.seconds(Self.pollSeconds * .random(in: 0.8...1))
          do {
            let free = concurrency - running.count
            if free > 0 {
              let claims = try await claim(free)
              running.add(claims.items.count)
              for item in claims.items {
                group.addTask {
                  await work(item)
                  running.add(-1)
                  wakeUp.signal()
                }
              }
              failures.end()
              if !claims.items.isEmpty { continue }
              pause = min(pause, claims.pause)
            }
          } catch {
            if Task.isCancelled { return }
            pause = failures.add(error, interval: pause)
          }
          await wakeUp.wait(atMost: pause)
        }
      }
    }
  }

  /// Runs at most one batch of due jobs and returns how many there were.
  public func runOnce() async throws -> Int {
    let claimed = try await claim(limit: concurrency).items
    await withTaskGroup(of: Void.self) { group in
      for item in claimed { group.addTask { await work(item) } }
    }
    return claimed.count
  }

  private func claim(limit: Int) async throws -> Claims {
    try await claim("kind = \(kind)", "due_at", limit: limit)
  }

  /// How long it takes until the next job is due, which a test's clock does not determine.
  private func pause(_ tx: Transaction) throws -> Duration {
    if time.isManual { return .milliseconds(500) }
    let microseconds = try tx.first(
      "SELECT MIN(due_at) - \(tx.clock) AS pause FROM jobs WHERE kind = \(kind) AND dropped_at IS NULL"
    ) { row -> Int64? in try row["pause"] }
    // Jobs that are due already are being claimed by another process.
    return max(.milliseconds(20), .microseconds((microseconds ?? nil) ?? .max))
  }

  /// Claims due jobs, by the database's clock. Several processes claim at the same time, each other ones.
  ///
  /// - Parameters:
  ///   - condition: Which ones.
  ///   - order: Of the columns of an index.
  func claim(_ condition: SQL, _ order: SQL, limit: Int) async throws -> Claims {
    let claim = ids.text()
    return try await database.write(.readCommitted) { tx in
      let jobs = try tx.all(
        """
        SELECT id, person, attempts, payload, traceparent FROM jobs
        WHERE \(condition) AND due_at <= \(tx.clock) ORDER BY \(order) LIMIT \(limit) \(tx.skippingLocked)
        """
      ) { row in
        Claimed(
          job: Job(id: try row["id"], person: try row["person"], attempt: try row["attempts"] + 1, claim: claim),
          payload: try row["payload"], traceparent: try row["traceparent"]
        )
      }
      if jobs.isEmpty { return Claims(items: [], pause: try pause(tx)) }
      try tx.execute(
        """
        UPDATE jobs SET due_at = \(tx.clock(after: Self.claimSeconds)), attempts = attempts + 1, claim = \(claim)
        WHERE id IN \(list: jobs.map(\.job.id))
        """
      )
      return Claims(items: jobs)
    }
  }

  func work(_ item: Claimed) async {
    let trace = item.traceparent.flatMap { TraceContext(traceparent: $0) }
    await TraceContext.$current.withValue(trace) { await run(item) }
  }

  private func run(_ item: Claimed) async {
    var outcome: Outcome
    do {
      let bytes = try pending.keys.open(item.payload, in: Job.payload, row: item.job.id)
      outcome = try await handler(WireJSON.decode(Payload.self, from: bytes), item.job)
    } catch {
      logger.warning("a job failed", metadata: ["kind": "\(kind)", "job": "\(item.job.id)", "error": "\(error)"])
      outcome = .retry()
    }
    if case .retry = outcome, Task.isCancelled {
      // The service stops: not in the canceled task, in which nothing can be written.
      return await Task { await release(item.job) }.value
    }
    if case .retry = outcome, item.job.attempt >= attempts { outcome = .drop(reason: "too many attempts") }
    do {
      switch outcome {
      case .done: try await database.write(.readCommitted) { tx in _ = try item.job.complete(in: tx) }
      case .drop(let reason):
        logger.error("a job is dropped", metadata: ["kind": "\(kind)", "job": "\(item.job.id)", "reason": "\(reason)"])
        try await database.write(.readCommitted) { tx in try item.job.drop(reason, in: tx) }
      case .retry(let seconds):
        let delay = seconds ?? Self.delays.delay(after: item.job.attempt)
        try await database.write(.readCommitted) { tx in
          try tx.execute(
            """
            UPDATE jobs SET due_at = \(tx.clock(after: delay))
            WHERE id = \(item.job.id) AND claim = \(item.job.claim)
            """
          )
        }
      }
    } catch {
      // The claim expires and the job runs again.
      logger.error("cannot write a job's outcome", metadata: ["job": "\(item.job.id)", "error": "\(error)"])
    }
  }

  /// Makes a job due again, as if its run had not been. When this fails, its claim expires.
  private func release(_ job: Job) async {
    try? await database.write(.readCommitted) { tx in
      _ = try tx.execute(
        """
        UPDATE jobs SET due_at = \(tx.clock), attempts = attempts - 1, claim = NULL
        WHERE id = \(job.id) AND claim = \(job.claim)
        """
      )
    }
  }
}

/// How many jobs of a kind this process runs.
private final class RunningJobs: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }
  func add(_ change: Int) { number.add(change, ordering: .relaxed) }
}

/// The queue of one kind of job, for code that adds jobs but does not run them.
public struct PendingJobs<Payload: Codable & Sendable>: Sendable {
  let kind: String
  let keys: DataKeys
  private let ids: IDGenerator

  public init(_ kind: String, _ environment: ServiceEnvironment) {
    self.kind = kind
    keys = environment.dataKeys
    ids = environment.ids
  }

  /// Adds a job; takes effect when the transaction commits.
  ///
  /// - Parameters:
  ///   - id: Given by callers that may want to cancel the job; unique among all jobs. An existing job with the same ID
  ///     is replaced, even while it is running: it then runs again.
  ///   - person: The user whose account deletion also deletes the job.
  ///   - dueAt: When the job becomes due; now by default.
  public func add(
    _ payload: Payload,
    id: String? = nil,
    person: UserID? = nil,
    dueAt: Timestamp? = nil,
    in tx: Transaction
  ) throws {
    let id = id ?? ids.text()
    let sealed = try keys.seal(WireJSON.encode(payload), in: Job.payload, row: id)
    let due: SQL = dueAt.map { "\($0)" } ?? tx.clock
    try tx.executeLater(
      """
      INSERT INTO jobs (id, kind, person, payload, attempts, due_at, traceparent)
      VALUES (\(id), \(kind), \(person), \(sealed), 0, \(due), \(tx.traceparent))
      ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, attempts = 0, due_at = excluded.due_at,
        claim = NULL, traceparent = excluded.traceparent, dropped_at = NULL, failure = NULL
      """
    )
    tx.wake(Job.topic(of: kind))
  }
}

/// A job of ``DurableJobs``.
public struct Job: Sendable {
  public let id: String
  /// The user that the job belongs to.
  public let person: UserID?
  /// The number of this attempt, starting at 1.
  public let attempt: Int
  /// The claim of this run; a job that is replaced or claimed again has another or none.
  public let claim: String

  static let payload = SealedColumn("jobs", "payload")

  /// The topic that wakes the workers of a kind.
  static func topic(of kind: String) -> String { "jobs \(kind)" }

  /// Completes the job in the transaction of its effect.
  /// - Returns: `false` when the job was already completed or replaced; its effect must then not be applied.
  public func complete(in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM jobs WHERE id = \(id) AND claim = \(claim)") == 1
  }

  /// Whether the job is neither completed, nor replaced, nor claimed by another run.
  public func isClaimed(in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM jobs WHERE id = \(id) AND claim = \(claim)")
  }

  /// Keeps the job with the reason why it does not run again by itself.
  func drop(_ reason: String, in tx: Transaction) throws {
    // Never due, so that no claim sees it.
    try tx.execute(
      """
      UPDATE jobs SET due_at = \(Int64.max), dropped_at = \(tx.clock), failure = \(reason), claim = NULL
      WHERE id = \(id) AND claim = \(claim)
      """
    )
  }

  /// Cancels a job.
  /// - Returns: Whether the job existed.
  @discardableResult
  public static func cancel(_ id: String, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM jobs WHERE id = \(id)") == 1
  }
}

extension Transaction {
  /// Ends a `SELECT` of rows that the transaction is going to change: those that another one is changing are left out.
  var skippingLocked: SQL { dialect == .postgresql ? "FOR UPDATE SKIP LOCKED" : "" }

  /// The database's time after a number of seconds.
  func clock(after seconds: Double) -> SQL { "\(clock) + \(Int64(seconds * 1_000_000))" }

  /// Deletes a user's data from the platform's own tables: jobs and stored responses of idempotent requests.
  public func erase(_ person: UserID) throws {
    try execute("DELETE FROM jobs WHERE person = \(person)")
    try execute("DELETE FROM idempotency_keys WHERE caller = \("user \(person)")")
  }
}
