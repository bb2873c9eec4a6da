import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Deletes the contents of spaces that no one sees any more, such as those of deleted accounts, in batches: other
/// writes are not held up, and what a stopped process has left is deleted later.
struct SpaceRemoval: Feature {
  static let worker = "sync.removal"
  private static let batch = 500
  private static let maxSpaces = 100

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  var workers: [any Service] {
    [PeriodicTask(Self.worker, per: .platform, every: .seconds(30), logger: core.logger) { [self] in try await run() }]
  }

  private func run() async throws {
    let spaces = try await core.database.read { db in try SpaceStore.removed(limit: Self.maxSpaces, in: db) }
    for space in spaces { try await complete(space) }
  }

  /// Deletes a space if it was removed; otherwise nothing is done.
  func complete(_ space: SpaceID) async throws {
    guard try await core.database.read({ db in try SpaceStore.isRemoved(space, in: db) }) else { return }
    while try await !core.database.write({ tx in try Self.deletePart(of: space, in: tx) }) {}
  }

  /// - Returns: Whether nothing is left.
  private static func deletePart(of space: SpaceID, in tx: Transaction) throws -> Bool {
    guard try SpaceStore.isRemoved(space, in: tx) else { return true }
    guard try CardMedia.remove(of: space, limit: batch, in: tx) < batch else { return false }
    guard try RecordStore.delete(of: space, limit: batch, in: tx) < batch else { return false }
    if let user = space.owner {
      guard try LogStore.delete(of: user, limit: batch, in: tx) < batch,
        try OperationStore.delete(of: user, limit: batch, in: tx) < batch
      else { return false }
    }
    try SpaceStore.delete(space, in: tx)
    return true
  }
}
