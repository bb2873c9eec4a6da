public import Persistence
public import ServiceLifecycle

/// After a deletion, makes what was deleted unreadable in the database's files; as a job, because a reader may be in the
/// way and it must not be forgotten.
public struct Erasures: Service {
  private struct Work: Codable, Sendable {}

  private let jobs: DurableJobs<Work>

  public init(_ environment: ServiceEnvironment) throws {
    let database = try environment.database
    jobs = try DurableJobs("erasure", environment) { _, _ in
      try await database.eraseDeleted()
      return .done
    }
  }

  /// Erases once the transaction has committed.
  public func add(in tx: Transaction) throws { try jobs.add(Work(), in: tx) }

  public func run() async throws { try await jobs.run() }
}
