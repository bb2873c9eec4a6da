import Contracts
import Persistence
import SyncMerge

/// Reads what a device does not have, space by space, in pages.
struct SyncPull {
  /// A page; contents are opened outside the transaction.
  struct Page: Sendable {
    enum Item: Sendable {
      case record(StoredRecord)
      case entry(StoredEntry)

      var sequence: Int64 {
        switch self {
        case .record(let record): record.sequence
        case .entry(let entry): entry.sequence
        }
      }

      /// About how much of a response it is.
      var bytes: Int {
        switch self {
        case .record(let record): 200 + record.sealed.utf8.count
        case .entry(let entry): 300 + (entry.sealedDetails?.utf8.count ?? 0)
        }
      }
    }

    var items: [Item] = []
    var removedSets: [StudySetID] = []
    var cursor: SyncCursor
    var hasMore: Bool
    var checksums: [SyncChecksum]?
  }

  private static let maxBytes = 1 << 20
  /// The bytes that may be read without being part of the page, such as records of other collections than those that
  /// are read again.
  private static let maxSkippedBytes = 8 << 20
  /// Records that are read at once; bounds the memory that large ones take.
  private static let chunk = 100

  let user: UserID
  /// The collections that the caller may read.
  let collections: Set<SyncCollection>
  let limit: Int
  let known: SyncPush.Known
  let db: any Connection
  /// How many records may be read without being part of the page.
  var maxSkipped = 5000

  /// - Throws: ``Problem`` 410 when the device knows more than the server, whose data was restored from a backup.
  func page(after cursor: SyncCursor?, refetch: [SyncCollection], at now: Timestamp) throws -> Page {
    let memberships = try SpaceStore.memberships(of: user, in: db)
    let numbers = Set(memberships.map(\.number))
    for membership in memberships where (cursor?.positions[membership.number] ?? 0) > membership.space.sequence {
      throw Problem(.mustRefetch)
    }
    let sent = Set(cursor?.positions.keys.map { $0 } ?? []).union(cursor?.refetch?.positions.keys.map { $0 } ?? [])
    let gone = sent.subtracting(numbers).sorted()
    let left = try SpaceStore.left(gone, by: user, in: db)
    guard left.count == gone.count else { throw Problem(.mustRefetch) }
    var page = Page(cursor: SyncCursor(issuedAt: now), hasMore: false)
    page.removedSets = collections.contains(.sets) ? left.map { StudySetID(trusted: $0.rawValue) } : []
    var positions = cursor?.positions.filter { numbers.contains($0.key) } ?? [:]
    page.cursor.refetch = Self.refetch(refetch, after: cursor)
    var budget = Budget(
      items: limit, bytes: Self.maxBytes, skipped: maxSkipped, skippedBytes: Self.maxSkippedBytes)

    // The collections that are read again stay in the cursor until there is nothing more at all, so that they are not
    // begun anew.
    if var again = page.cursor.refetch {
      page.hasMore = try !read(memberships, &again.positions, only: again.collections, &budget, &page)
      page.cursor.refetch = again
    }
    if !page.hasMore { page.hasMore = try !read(memberships, &positions, only: nil, &budget, &page) }
    page.cursor.positions = positions
    if !page.hasMore {
      page.cursor.refetch = nil
      page.checksums = checksums(of: memberships)
    }
    return page
  }

  private static func refetch(_ wanted: [SyncCollection], after cursor: SyncCursor?) -> SyncCursor.Refetch? {
    if let running = cursor?.refetch, running.collections.isSuperset(of: wanted) { return running }
    return wanted.isEmpty ? nil : SyncCursor.Refetch(collections: Set(wanted))
  }

  private struct Budget {
    var items: Int
    var bytes: Int
    var skipped: Int
    var skippedBytes: Int
    var isSpent: Bool { items <= 0 || bytes <= 0 || skipped <= 0 || skippedBytes <= 0 }
  }

  /// Reads spaces from their positions on until the budget is spent.
  ///
  /// - Returns: Whether everything was read.
  private func read(
    _ memberships: [Membership], _ positions: inout [Int64: Int64], only collections: Set<SyncCollection>?,
    _ budget: inout Budget, _ page: inout Page
  ) throws -> Bool {
    for membership in memberships {
      // A space without a position has to be named, so that its removal is noticed.
      let start = positions[membership.number] ?? 0
      positions[membership.number] = start
      var position = start
      let isOwn = membership.space.id == user.space
      if let collections, collections.allSatisfy({ $0.isShared == isOwn }) {
        // It cannot have any of them.
        position = membership.space.sequence
        positions[membership.number] = position
      }
      while position < membership.space.sequence {
        if budget.isSpent { return false }
        if isOwn, collections == nil, let sent = known.entries.first(where: { $0.contains(position + 1) }) {
          position = sent.upperBound
          positions[membership.number] = position
          continue
        }
        // A collection that is read again may have few records.
        let wanted = collections == nil ? min(budget.items, Self.chunk) : Self.chunk
        let items = try changes(of: membership.space.id, after: position, limit: wanted)
        for item in items {
          if budget.isSpent { break }
          position = item.sequence
          guard isWanted(item, collections, start: start) else {
            (budget.skipped, budget.skippedBytes) = (budget.skipped - 1, budget.skippedBytes - item.bytes)
            continue
          }
          page.items.append(item)
          (budget.items, budget.bytes) = (budget.items - 1, budget.bytes - item.bytes)
        }
        if items.count < wanted, items.last.map({ $0.sequence == position }) ?? true {
          position = membership.space.sequence
        }
        positions[membership.number] = position
      }
    }
    return true
  }

  private func isWanted(_ item: Page.Item, _ again: Set<SyncCollection>?, start: Int64) -> Bool {
    switch item {
    case .record(let record):
      guard collections.contains(record.collection) else { return false }
      if let again { return again.contains(record.collection) && record.deletedAt == nil }
      guard let own = known.records[record.id] else { return true }
      return own.after != record.sequence || own.before > start
    case .entry(let entry):
      guard collections.contains(entry.entry.collection) else { return false }
      if let again { return again.contains(entry.entry.collection) }
      return !known.entries.contains { $0.contains(entry.sequence) }
    }
  }

  /// The records and, in the user's own space, the log, in the order of their numbers.
  private func changes(of space: SpaceID, after position: Int64, limit: Int) throws -> [Page.Item] {
    let records = try RecordStore.changes(of: space, after: position, limit: limit, in: db).map(Page.Item.record)
    guard space == user.space else { return records }
    let entries = try LogStore.changes(of: user, after: position, limit: limit, in: db).map(Page.Item.entry)
    return Array((records + entries).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  private func checksums(of memberships: [Membership]) -> [SyncChecksum] {
    SyncCollection.allCases.filter(collections.contains).map { collection in
      let sum = memberships.reduce(Checksum()) { $0 + $1.space.checksums[collection] }
      let digits = String(sum.sum, radix: 16)
      return SyncChecksum(
        collection: collection, count: sum.count, sum: String(repeating: "0", count: 16 - digits.count) + digits)
    }
  }
}
