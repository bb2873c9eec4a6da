public import Contracts
public import Persistence
import ServiceLifecycle

/// Makes deleted data unreadable in the database's files. Runs as a durable job, because a concurrent reader can delay
/// the erasure and it must not be lost.
public struct ErasureJobs: Worker {
  private struct Work: Codable, Sendable {
    /// The user whose data is deleted once more.
    var user: UserID?
  }

  private let jobs: DurableJobs<Work>

  /// The longest time for which a token or a cached name of a deleted user is accepted somewhere, in seconds.
  private static let repeatSeconds = 120.0

  public var name: String { jobs.name }

  /// - Parameter erase: Deletes the data of a user; may be called several times.
  public init(_ environment: ServiceEnvironment, erase: @escaping @Sendable (UserID, Transaction) throws -> Void)
    throws
  {
    let database = try environment.database
    jobs = try DurableJobs("erasure", environment) { work, _ in
      if let user = work.user { try await database.write { tx in try erase(user, tx) } }
      try await database.eraseDeleted()
      return .done
    }
  }

  /// Schedules an erasure that runs after the transaction commits.
  public func add(in tx: Transaction) throws { try jobs.add(Work(), in: tx) }

  /// Schedules another deletion of the user's data: a request of the user, or about them, may be under way or arrive
  /// before every service knows of the deletion.
  public func addRepetition(for user: UserID, in tx: Transaction) throws {
    try jobs.add(Work(user: user), dueAt: tx.now.advanced(bySeconds: Self.repeatSeconds), in: tx)
  }

  public func run() async throws { try await jobs.run() }
  public func runOnce() async throws -> Int { try await jobs.runOnce() }
}
