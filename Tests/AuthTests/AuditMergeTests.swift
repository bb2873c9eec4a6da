import Contracts
import Synchronization
import Testing

@testable import AuthService

/// The export of all audit trails reads every entry once.
struct AuditMergeTests {
  /// A trail whose pages are counted.
  private final class Trail: Sendable {
    let service: String
    let ids: [Int]
    let size: Int
    let pages = Mutex(0)

    /// - Parameter ids: Newest first.
    init(_ service: String, ids: [Int], size: Int) { (self.service, self.ids, self.size) = (service, ids, size) }

    var source: AuditMerge.Source {
      AuditMerge.Source(service: service) { cursor in
        self.pages.withLock { $0 += 1 }
        let end = cursor.flatMap { Int($0) }.map { $0 - Self.first } ?? .max
        let left = self.ids.filter { $0 < end }
        let items = left.prefix(self.size).map { id in
          AuditRecord(
            id: Self.text(id), sequence: nil, at: Timestamp(microseconds: Int64(id)), actor: "user:1", session: nil,
            address: nil, action: "book.added", object: "book:\(id)", changes: [], hash: nil)
        }
        return Page(items: items, nextCursor: left.count > self.size ? items.last?.id : nil)
      }
    }

    static func text(_ id: Int) -> String { String(first + id) }
    /// Texts of the same length are ordered as their numbers.
    private static let first = 1_000_000
  }

  private func merged(_ trails: [Trail]) async throws -> [AuditRecord] {
    var merge = try await AuditMerge(trails.map(\.source))
    var entries: [AuditRecord] = []
    while let entry = try await merge.next() { entries.append(entry) }
    return entries
  }

  @Test func everyEntryIsReadOnceAndInOrder() async throws {
    // Trails that alternate, one whose entries are all older, a short one and an empty one.
    let trails = [
      Trail("auth", ids: (1000..<4000).filter { $0 % 2 == 0 }.reversed(), size: 1000),
      Trail("orders", ids: (1000..<4000).filter { $0 % 2 == 1 }.reversed(), size: 100),
      Trail("catalog", ids: (0..<300).reversed(), size: 100),
      Trail("matching", ids: [5000], size: 100),
      Trail("media", ids: [], size: 100),
    ]
    let entries = try await merged(trails)
    let all = trails.flatMap { trail in trail.ids.map { (id: $0, service: trail.service) } }.sorted { $0.id > $1.id }
    let ids = all.map { Trail.text($0.id) }
    #expect(entries.map(\.id) == ids)
    #expect(entries.map(\.service) == all.map(\.service))
    let asked = trails.map { trail in trail.pages.withLock { $0 } }
    #expect(asked == [2, 15, 3, 1, 1])
  }

  @Test func aTrailThatFailsEndsTheExport() async throws {
    let good = Trail("auth", ids: Array((0..<10).reversed()), size: 2)
    let bad = AuditMerge.Source(service: "orders") { cursor in
      guard cursor == nil else { throw Problem(.unavailable) }
      return try await Trail("orders", ids: [100, 5], size: 1).source.page(nil)
    }
    var merge = try await AuditMerge([good.source, bad])
    let error = await #expect(throws: Problem.self) { _ = try await merge.next() }
    #expect(error?.code == "unavailable")
  }
}
