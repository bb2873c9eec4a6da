public import Contracts
public import Persistence

/// The job queues of a service, for operators: what waits, and which jobs have failed for good.
public struct JobQueues: Sendable {
  /// How long dropped jobs are kept, in seconds.
  static let keptSeconds = 30 * 86_400.0

  let service: String
  private let database: any Database

  public init(of service: String, _ database: any Database) { (self.service, self.database) = (service, database) }

  /// A summary for administrators.
  public func summary() async throws -> ServiceJobs {
    ServiceJobs(service: service, queues: try await list(), dropped: try await dropped())
  }

  /// The kinds of which there are jobs.
  public func list() async throws -> [JobQueue] {
    try await database.write(.readCommitted) { tx in
      try tx.all(
        """
        SELECT kind, SUM(CASE WHEN dropped_at IS NULL AND due_at <= \(tx.clock) THEN 1 ELSE 0 END) AS due,
          SUM(CASE WHEN dropped_at IS NULL AND due_at > \(tx.clock) THEN 1 ELSE 0 END) AS later,
          SUM(CASE WHEN dropped_at IS NULL THEN 0 ELSE 1 END) AS dropped, \(tx.clock) - MIN(due_at) AS oldest,
          MIN(CASE WHEN dropped_at IS NULL AND due_at > \(tx.clock) THEN due_at END) AS next_at
        FROM jobs GROUP BY kind ORDER BY kind
        """
      ) { row in
        let oldest: Int64 = try row["oldest"]
        return JobQueue(
          kind: try row["kind"], due: try row["due"], later: try row["later"], dropped: try row["dropped"],
          oldestSeconds: Double(max(0, oldest)) / 1_000_000, nextAt: try row["next_at"])
      }
    }
  }

  /// The jobs that were dropped, latest first.
  public func dropped(limit: Int = 100) async throws -> [DroppedJob] {
    try await database.read { db in
      try db.all(
        """
        SELECT id, kind, attempts, failure, dropped_at FROM jobs WHERE dropped_at IS NOT NULL
        ORDER BY dropped_at DESC, id LIMIT \(limit)
        """
      ) { row in
        DroppedJob(
          id: try row["id"], kind: try row["kind"], attempts: try row["attempts"], failure: try row["failure"],
          droppedAt: try row["dropped_at"])
      }
    }
  }

  /// Makes dropped jobs due again, with as many attempts as new ones.
  ///
  /// - Parameters:
  ///   - id: Of one of them; all by default.
  ///   - kind: Only those of this kind.
  /// - Returns: How many there were.
  @discardableResult
  public func retry(_ id: String? = nil, kind: String? = nil) async throws -> Int {
    try await database.write(.readCommitted) { tx in
      let dropped = SQL.and("dropped_at IS NOT NULL", id.map { "id = \($0)" }, kind.map { "kind = \($0)" })
      for kind in try tx.values("SELECT DISTINCT kind FROM jobs WHERE \(dropped)", as: String.self) {
        tx.wake(Job.topic(of: kind))
      }
      return try tx.execute(
        """
        UPDATE jobs SET due_at = \(tx.clock), attempts = 0, claim = NULL, dropped_at = NULL, failure = NULL
        WHERE \(dropped)
        """
      )
    }
  }

  /// Deletes jobs that were dropped long ago.
  func purge() async throws {
    try await database.write(.readCommitted) { tx in
      try tx.execute("DELETE FROM jobs WHERE dropped_at < \(tx.now.advanced(bySeconds: -Self.keptSeconds))")
    }
  }
}

extension Platform {
  /// The job queues of the process's services.
  var jobQueues: [JobQueues] {
    services.compactMap { service in service.database.map { JobQueues(of: service.manifest.name, $0) } }
  }
}
