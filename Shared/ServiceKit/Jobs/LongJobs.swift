import Contracts
import Logging
import Persistence
import ServiceLifecycle
import Synchronization

/// Durable jobs that take minutes, such as the conversion of a video. Users take turns: however many jobs one of them
/// has, another one waits for at most one of those that run. Jobs are added by ``PendingJobs`` of the same kind, each
/// for a user.
///
/// The claim of a running job is renewed, so that another process runs it only after this one has died. A job that ends
/// because the service stops runs again without counting as an attempt.
public final class LongJobs<Payload: Codable & Sendable>: Worker {
  private let jobs: DurableJobs<Payload>
  private let concurrency: Int
  /// The user whose turn it was last; users follow each other in the order of their ids.
  private let lastServed = Mutex("")

  public var name: String { jobs.name }

  /// - Parameters:
  ///   - kind: Separates the queues of one service.
  ///   - concurrency: How many jobs run at once in this process.
  ///   - attempts: Number of attempts after which a job is dropped.
  public convenience init(
    _ kind: String, _ environment: ServiceEnvironment, concurrency: Int, attempts: Int,
    handler: @escaping DurableJobs<Payload>.Handler
  ) throws {
    try self.init(
      kind, environment, concurrency: concurrency, attempts: attempts, renewal: .seconds(30), handler: handler)
  }

  /// - Parameter renewal: The pause between renewals of a claim, of which several fit into a claim.
  init(
    _ kind: String, _ environment: ServiceEnvironment, concurrency: Int, attempts: Int, renewal: Duration,
    handler: @escaping DurableJobs<Payload>.Handler
  ) throws {
    self.concurrency = concurrency
    let database = try environment.database
    jobs = try DurableJobs(kind, environment, attempts: attempts) { payload, job in
      try await LongJob.run(
        every: renewal, until: .seconds(DurableJobs<Payload>.claimSeconds),
        renew: { try await job.renew(in: database) }
      ) { try await handler(payload, job) }
    }
  }

  public func run() async throws {
    await jobs.run(concurrency) { [self] _ in
      // One at a time, because each claim is another user's turn.
      try await claim()
    }
  }

  /// Runs the first due job of the user whose turn it is, and returns 1; 0 when none is due.
  public func runOnce() async throws -> Int {
    guard let item = try await claim().items.first else { return 0 }
    await jobs.work(item)
    return 1
  }

  private func claim() async throws -> DurableJobs<Payload>.Claims {
    let kind = jobs.kind
    let last = lastServed.withLock { $0 }
    let order: SQL = "person, due_at"
    var claims = try await jobs.claim("kind = \(kind) AND person > \(last)", order, limit: 1)
    if claims.items.isEmpty {
      claims = try await jobs.claim("kind = \(kind) AND person <= \(last)", order, limit: 1)
    }
    if let person = claims.items.first?.job.person { lastServed.withLock { $0 = person.rawValue } }
    return claims
  }
}

enum LongJob {
  /// Runs a handler while its claim is renewed; it is canceled when the job is not its own any more.
  ///
  /// - Parameters:
  ///   - renewal: The pause between renewals.
  ///   - duration: How long a claim lasts: renewals that fail are repeated for as long.
  ///   - renew: Returns whether the job still belongs to this run.
  static func run<Outcome: Sendable>(
    every renewal: Duration, until duration: Duration, renew: @escaping @Sendable () async throws -> Bool,
    _ body: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        var renewedAt = ContinuousClock.now
        while true {
          try await Task.sleep(for: renewal)
          let now = ContinuousClock.now
          do {
            guard try await renew() else { return nil }
            renewedAt = now
          } catch {
            // Hours of work do not end with a database that is away for a moment.
            if Task.isCancelled || .now - renewedAt + renewal >= duration { throw error }
          }
        }
      }
      defer { group.cancelAll() }
      guard let outcome = try await group.next() ?? nil else { throw CancellationError() }
      return outcome
    }
  }
}

extension Job {
  /// - Returns: Whether the job still belongs to this run.
  fileprivate func renew(in database: any Database) async throws -> Bool {
    try await database.write(.readCommitted) { tx in
      let until = tx.clock(after: DurableJobs<String>.claimSeconds)
      return try tx.execute("UPDATE jobs SET due_at = \(until) WHERE id = \(id) AND claim = \(claim)") == 1
    }
  }
}
