import Contracts
import Persistence
import SyncMerge

/// Computes the checksums of a space anew from its records and its user's log, should they ever differ from them.
/// Reads outside the writer; begins again when the space has changed meanwhile.
struct SpaceRecount: Sendable {
  private static let page = 500
  private static let maxAttempts = 10

  let core: StudyCore

  /// - Returns: Whether the checksums were right.
  @discardableResult
  func run(_ id: SpaceID) async throws -> Bool {
    for _ in 0..<Self.maxAttempts {
      guard let space = try await core.database.read({ db in try SpaceStore.find(id, in: db) }) else {
        throw Problem(.notFound)
      }
      let checksums = try await checksums(of: id)
      let isRight = try await core.database.write { tx -> Bool? in
        guard var current = try SpaceStore.find(id, in: tx), current.sequence == space.sequence else { return nil }
        let isRight = SyncCollection.allCases.allSatisfy { current.checksums[$0] == checksums[$0] }
        guard !isRight else { return true }
        current.checksums = checksums
        try SpaceStore.update(current, in: tx)
        return false
      }
      if let isRight { return isRight }
    }
    throw Problem(.overloaded, retryAfter: 60)
  }

  private func checksums(of space: SpaceID) async throws -> SpaceChecksums {
    var (checksums, last) = (SpaceChecksums(), Int64(0))
    while true {
      let page = try await core.database.read { [last] db in
        try RecordStore.changes(of: space, after: last, limit: Self.page, in: db)
      }
      for stored in page {
        last = stored.sequence
        let content = try core.records.open(stored)
        guard !content.isDeleted else { continue }
        checksums[stored.collection].insert(
          content.hash(collection: stored.collection.rawValue, id: stored.id.wire))
      }
      if page.count < Self.page { break }
    }
    guard let user = space.owner else { return checksums }
    last = 0
    while true {
      let page = try await core.database.read { [last] db in
        try LogStore.changes(of: user, after: last, limit: Self.page, in: db)
      }
      for stored in page {
        last = stored.sequence
        checksums[stored.entry.collection].insert(try core.log.open(stored).hash)
      }
      if page.count < Self.page { return checksums }
    }
  }
}
