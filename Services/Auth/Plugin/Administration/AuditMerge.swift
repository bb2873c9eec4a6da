import Contracts

/// The entries of several audit trails in one order, newest first. It holds a page of each trail, and asks a trail again
/// only when its page is used up, so that every entry is read once.
struct AuditMerge {
  /// One service's trail.
  struct Source: Sendable {
    var service: String
    /// The entries after a cursor, newest first.
    var page: @Sendable (_ cursor: String?) async throws -> Page<AuditRecord>
  }

  private struct Trail: Sendable {
    let source: Source
    var entries: ArraySlice<AuditRecord>
    var cursor: String?

    init(_ source: Source, _ page: Page<AuditRecord>) {
      (self.source, entries, cursor) = (source, page.items[...], page.nextCursor)
    }
  }

  /// The trails that have entries left.
  private var trails: [Trail]

  /// Asks all trails at once for their first page.
  init(_ sources: [Source]) async throws {
    trails = try await withThrowingTaskGroup(of: Trail.self) { group in
      for source in sources {
        group.addTask { Trail(source, try await source.page(nil)) }
      }
      var trails: [Trail] = []
      for try await trail in group where !trail.entries.isEmpty { trails.append(trail) }
      return trails
    }
  }

  /// Removes the newest entry; `nil` when no trail has one left. Ids are ordered by time in all services.
  mutating func next() async throws -> AuditRecord? {
    guard var entry = trails.compactMap(\.entries.first).max(by: { $0.id < $1.id }),
      let index = trails.firstIndex(where: { $0.entries.first?.id == entry.id })
    else { return nil }
    var trail = trails[index]
    trail.entries.removeFirst()
    if trail.entries.isEmpty, let cursor = trail.cursor {
      trail = Trail(trail.source, try await trail.source.page(cursor))
    }
    if trail.entries.isEmpty { trails.remove(at: index) } else { trails[index] = trail }
    entry.service = trail.source.service
    return entry
  }
}
