import Contracts
import Persistence
import SyncMerge

/// An observer that derives data from records and logs, such as schedules and statistics, in the transaction of the
/// change.
protocol StudyObserver: Sendable {
  /// - Parameter changes: Each record once, as it is after the transaction.
  func recordsChanged(_ changes: [RecordChange], by user: UserID, in tx: Transaction) throws

  /// - Parameter entries: New entries of the user's log.
  func entriesAppended(_ entries: [LogEntry], by user: UserID, in tx: Transaction) throws

  /// A set has been removed for good: 30 days after it was deleted, or with its owner's account.
  func setRemoved(_ set: StudySetID, in tx: Transaction) throws

  /// The account of a set's owner was deleted, and the set has a new owner.
  func setPassed(_ set: StudySetID, to owner: UserID, in tx: Transaction) throws
}

extension StudyObserver {
  func recordsChanged(_ changes: [RecordChange], by user: UserID, in tx: Transaction) throws {}
  func entriesAppended(_ entries: [LogEntry], by user: UserID, in tx: Transaction) throws {}
  func setRemoved(_ set: StudySetID, in tx: Transaction) throws {}
  func setPassed(_ set: StudySetID, to owner: UserID, in tx: Transaction) throws {}
}

/// A record that a transaction has changed.
struct RecordChange: Sendable {
  let id: RecordID
  let space: SpaceID
  let collection: SyncCollection
  /// `nil` for a new record.
  let before: MergeRecord<JSONValue>?
  let after: MergeRecord<JSONValue>
  /// The number of the change in its space.
  let sequence: Int64
}

/// Writes to spaces in one transaction: merges, numbers the changes, keeps checksums, and at the end informs observers
/// and devices. The only way to change a record or a log.
final class SpaceWriter {
  let core: StudyCore
  let user: UserID
  let tx: Transaction
  private let device: StudyDeviceID?
  private var existingOwnSpace: SpaceID?
  private var memberships: [SpaceID: Membership] = [:]
  private var spaces: [SpaceID: Space] = [:]
  private var records: [RecordID: OpenRecord] = [:]
  private var changedSpaces: [SpaceID] = []
  private var changedRecords: [RecordID] = []
  private var changedIDs = Set<RecordID>()
  private var entries: [(entry: LogEntry, sequence: Int64)] = []
  /// Ids of entries that were looked up or appended, and whether they are in use.
  private var knownEntries: [RecordID: Bool] = [:]
  /// Rows of spaces that are old enough to have very many.
  private var rowCounts: [SpaceID: Int] = [:]
  /// How many bytes of encrypted records ``load(_:)`` may load altogether.
  var maxLoadedBytes = Int.max
  private var loadedBytes = 0
  /// The remaining budget for merges of texts.
  var texts = MergeBudget.unlimited
  /// Media that were found to be the user's before the transaction.
  var ownedMedia: Set<MediaID> = []
  /// The object that they were checked for, if not for each card.
  var mediaCheckedFor: Topic?
  /// How many records are loaded at once.
  private static let chunk = 50

  private struct OpenRecord {
    var stored: StoredRecord
    var content: MergeRecord<JSONValue>
    /// Before the transaction.
    let before: MergeRecord<JSONValue>?
    let sequenceBefore: Int64
  }

  init(core: StudyCore, user: UserID, device: StudyDeviceID?, tx: Transaction) {
    (self.core, self.user, self.device, self.tx) = (core, user, device, tx)
  }

  // MARK: spaces

  /// The user's role; `nil` when the user does not see the space.
  func role(in space: SpaceID) throws -> SpaceRole? {
    if let known = memberships[space] { return known.role }
    guard let membership = try SpaceStore.membership(of: user, in: space, tx) else { return nil }
    memberships[space] = membership
    spaces[space] = spaces[space] ?? membership.space
    return membership.role
  }

  /// The number of the user's membership, as in cursors.
  func number(of space: SpaceID) throws -> Int64? {
    _ = try role(in: space)
    return memberships[space]?.number
  }

  /// The user's own space, created when it is first needed.
  func ownSpace() throws -> SpaceID {
    if let existingOwnSpace { return existingOwnSpace }
    let space = user.space
    if try role(in: space) == nil { _ = try createSpace(space) }
    existingOwnSpace = space
    return space
  }

  /// Creates a space of which the user is the owner.
  ///
  /// - Returns: `false` when the id is in use.
  func createSpace(_ id: SpaceID) throws -> Bool {
    guard try SpaceStore.insert(id, in: tx) else { return false }
    try SpaceStore.grant(.owner, to: user, in: id, source: "owner", tx)
    return true
  }

  // MARK: records

  /// Loads records together, so that applying changes to them needs no query.
  ///
  /// - Throws: ``Problem`` 413 beyond ``maxLoadedBytes``.
  func load(_ ids: [RecordID]) throws {
    var missing = Array(Set(ids).filter { records[$0] == nil })
    while !missing.isEmpty {
      let found = try RecordStore.find(missing.suffix(Self.chunk), in: tx)
      missing.removeLast(min(Self.chunk, missing.count))
      loadedBytes += found.reduce(0) { $0 + $1.sealed.utf8.count }
      guard loadedBytes <= maxLoadedBytes else { throw Problem(.tooManyRecords) }
      for stored in found {
        let content = try core.records.open(stored)
        records[stored.id] = OpenRecord(
          stored: stored, content: content, before: content, sequenceBefore: stored.sequence)
      }
    }
  }

  /// The record as it is now; ``load(_:)`` must have been called.
  func record(_ id: RecordID) -> (stored: StoredRecord, content: MergeRecord<JSONValue>)? {
    records[id].map { ($0.stored, $0.content) }
  }

  /// Merges a change into a record, which is created when it does not exist. Through a plain endpoint, a change without
  /// `seen` was made with knowledge of the record as it is.
  ///
  /// - Throws: ``SyncRejection`` when the space or the record would become too large.
  func apply(_ change: MergeChange<JSONValue>, to id: RecordID, _ collection: SyncCollection, in space: SpaceID) throws
    -> MergeOutcome
  {
    var content = records[id]?.content ?? MergeRecord()
    let previous = content
    var change = change
    if device == nil, change.seen == .zero { change.seen = content.version }
    let outcome = content.apply(change, mergedTexts: collection.mergedTexts, within: &texts)
    guard content != previous else { return outcome }
    try RecordRules.checkGrowth(from: previous, to: content)
    let changed = try self.space(space)
    let isMore = (records[id] == nil || previous.isDeleted) && !content.isDeleted
    guard !isMore || changed.checksums[collection].count < RecordRules.maxRecords else {
      throw SyncRejection("too-many", "There can be \(RecordRules.maxRecords) \(collection.rawValue).")
    }
    if records[id] == nil { try makeRoom(in: changed) }
    set(content, previous, of: id, collection, in: changed)
    return outcome
  }

  /// Counts the records of a space, with the deleted ones, which are kept for some time. No space has more than it has
  /// had changes, so that most need not be counted.
  private func makeRoom(in space: Space) throws {
    guard space.sequence >= RecordRules.maxRows else { return }
    let count = try rowCounts[space.id] ?? RecordStore.count(of: space.id, in: tx)
    guard count < RecordRules.maxRows else {
      throw SyncRejection("too-many", "There can be \(RecordRules.maxRows) records with those that were deleted.")
    }
    rowCounts[space.id] = count + 1
  }

  /// Marks a deleted set that has lost an edit of a card, which is kept from now on as long as any other.
  func noteLostEdit(ofSet set: RecordID) throws {
    guard let (stored, previous) = record(set) else { return }
    var content = previous
    content.noteLostEdit()
    guard content != previous else {
      let expiry = SyncRetention.expiry(of: content, at: tx.now)
      records[set]?.stored.expiresAt = expiry
      return try RecordStore.setExpiry(expiry, of: set, in: tx)
    }
    self.set(content, previous, of: set, stored.collection, in: try space(stored.space))
  }

  private func set(
    _ content: MergeRecord<JSONValue>, _ previous: MergeRecord<JSONValue>, of id: RecordID,
    _ collection: SyncCollection, in space: Space
  ) {
    var changed = space
    changed.sequence += 1
    let hashes = (
      previous.hash(collection: collection.rawValue, id: id.wire),
      content.hash(collection: collection.rawValue, id: id.wire)
    )
    if records[id] != nil, !previous.isDeleted { changed.checksums[collection].remove(hashes.0) }
    if !content.isDeleted { changed.checksums[collection].insert(hashes.1) }
    spaces[space.id] = changed
    if !changedSpaces.contains(space.id) { changedSpaces.append(space.id) }
    var open =
      records[id]
      ?? OpenRecord(
        stored: StoredRecord(
          id: id, space: space.id, collection: collection, sequence: 0, position: "", sealed: "", createdAt: tx.now,
          changedAt: tx.now),
        content: content, before: nil, sequenceBefore: 0)
    open.content = content
    (open.stored.sequence, open.stored.changedAt) = (changed.sequence, tx.now)
    open.stored.position = content["position"]?.string ?? ""
    open.stored.deletedAt = content.isDeleted ? open.stored.deletedAt ?? tx.now : nil
    open.stored.hasConflict = content.isDeleted ? content.hasLostEdits : !content.variants.isEmpty
    open.stored.expiresAt = SyncRetention.expiry(of: content, at: tx.now)
    records[id] = open
    if changedIDs.insert(id).inserted { changedRecords.append(id) }
  }

  /// The version for a change that is made here and not on a device: greater than all of the record's.
  func nextVersion(of id: RecordID) -> HybridTime {
    var clock = HybridClock(device: 0)
    if let record = records[id] { clock.observe(record.content.version) }
    return clock.next(at: UInt64(max(0, tx.now.microseconds / 1000)))
  }

  /// The numbers that records got here, with those that they had before.
  var recordNumbers: [RecordID: (before: Int64, after: Int64)] {
    var numbers: [RecordID: (before: Int64, after: Int64)] = [:]
    for id in changedRecords {
      if let record = records[id] { numbers[id] = (record.sequenceBefore, record.stored.sequence) }
    }
    return numbers
  }

  /// The numbers that entries got here, in runs without a gap.
  var entryNumbers: [ClosedRange<Int64>] {
    entries.reduce(into: []) { runs, entry in
      if let run = runs.last, run.upperBound + 1 == entry.sequence {
        runs[runs.count - 1] = run.lowerBound...entry.sequence
      } else {
        runs.append(entry.sequence...entry.sequence)
      }
    }
  }

  // MARK: the log

  /// Looks ids of entries up in one query, so that appending them needs none.
  func lookUp(entries ids: [RecordID]) throws {
    let used = try LogStore.known(ids, in: tx)
    knownEntries.reserveCapacity(ids.count)
    for id in ids { knownEntries[id] = used.contains(id) }
  }

  /// The entry of that id that was appended here.
  func entry(_ id: RecordID) -> LogEntry? { entries.first { $0.entry.id == id }?.entry }

  /// Whether an id is that of an entry.
  func isUsed(entry id: RecordID) throws -> Bool {
    if let known = knownEntries[id] { return known }
    try lookUp(entries: [id])
    return knownEntries[id] ?? false
  }

  /// How many entries of a collection the user's log has.
  func entryCount(_ collection: SyncCollection) throws -> Int { try space(ownSpace()).checksums[collection].count }

  /// Appends an entry to the user's log.
  ///
  /// - Parameter hash: Its hash, when it is known.
  /// - Returns: `false` when the id is in use.
  func append(_ entry: LogEntry, hash: UInt64? = nil) throws -> Bool {
    guard try !isUsed(entry: entry.id) else { return false }
    knownEntries[entry.id] = true
    let id = try ownSpace()
    let sequence = try space(id).sequence + 1
    // In place: a copy of the space for each entry would cost as much as the entry.
    spaces[id]?.append(hash ?? entry.hash, to: entry.collection)
    if !changedSpaces.contains(id) { changedSpaces.append(id) }
    entries.append((entry, sequence))
    return true
  }

  // MARK: the end

  /// Stores what was changed.
  func finish() throws {
    try completeWorkouts()
    // First of all, so that of two transactions that number changes of a space, the later one waits here and then begins
    // again. PostgreSQL would report the second use of a number as a violation of its index.
    for space in changedSpaces { if let space = spaces[space] { try SpaceStore.update(space, in: tx) } }
    var changes: [RecordChange] = []
    for id in changedRecords {
      guard var record = records[id] else { continue }
      record.stored.sealed = try core.records.seal(record.content, of: id)
      if record.before == nil {
        try RecordStore.insert(record.stored, in: tx)
      } else {
        try RecordStore.update(record.stored, in: tx)
      }
      changes.append(
        RecordChange(
          id: id, space: record.stored.space, collection: record.stored.collection, before: record.before,
          after: record.content, sequence: record.stored.sequence))
    }
    try CardMedia.record(changes, owned: ownedMedia, checkedFor: mediaCheckedFor, by: user, in: tx)
    try core.log.insert(entries, of: user, in: tx)
    let appended = entries.map(\.entry)
    for observer in core.observers {
      if !changes.isEmpty { try observer.recordsChanged(changes, by: user, in: tx) }
      if !appended.isEmpty { try observer.entriesAppended(appended, by: user, in: tx) }
    }
    for reader in try DeviceStore.usersToNotify(of: changedSpaces, except: device, of: user, in: tx) {
      try tx.record(SyncHint.changed(for: reader, by: reader == user ? device : nil))
    }
  }

  private func space(_ id: SpaceID) throws -> Space {
    if let space = spaces[id] { return space }
    guard let space = try SpaceStore.find(id, in: tx) else { throw Problem(.notFound) }
    spaces[id] = space
    return space
  }
}
