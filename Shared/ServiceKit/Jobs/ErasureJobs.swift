public import Persistence
import ServiceLifecycle

/// Makes deleted data unreadable in the database's files. Runs as a durable job, because a concurrent reader can delay
/// the erasure and it must not be lost.
public struct ErasureJobs: Worker {
  private struct Work: Codable, Sendable {}

  private let jobs: DurableJobs<Work>

  public var name: String { jobs.name }

  public init(_ environment: ServiceEnvironment) throws {
    let database = try environment.database
    jobs = try DurableJobs("erasure", environment) { _, _ in
      try await database.eraseDeleted()
      return .done
    }
  }

  /// Schedules an erasure that runs after the transaction commits.
  public func add(in tx: Transaction) throws { try jobs.add(Work(), in: tx) }

  public func run() async throws { try await jobs.run() }
  public func runOnce() async throws -> Int { try await jobs.runOnce() }
}
