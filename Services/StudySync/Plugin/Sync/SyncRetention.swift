import Contracts
import Persistence
import ServiceKit
import SyncMerge

/// How long what is deleted is kept, and its removal.
struct SyncRetention: Sendable {
  private static let day = 86_400.0
  /// How long the content of deleted records is kept, so that they can be restored.
  static let restoreSeconds = 30 * day
  /// How long deletions and operations are known. A device that was away for longer begins again.
  static let horizonSeconds = 180 * day

  private static let batch = 500

  let core: StudyCore

  /// When a deleted record is due for the first time.
  static func expiry(of content: MergeRecord<JSONValue>, at now: Timestamp) -> Timestamp? {
    content.isDeleted ? now.advanced(bySeconds: restoreSeconds) : nil
  }

  /// Removes what is due, in batches.
  func run() async throws {
    try await repeatBatches { tx in try expire(in: tx) }
    try await repeatBatches { tx in
      let end = tx.now.advanced(bySeconds: -Self.horizonSeconds)
      return try OperationStore.delete(before: end, limit: Self.batch, in: tx)
    }
    try await repeatBatches { tx in
      let end = tx.now.advanced(bySeconds: -Self.horizonSeconds)
      return try DeviceStore.delete(seenBefore: end, limit: Self.batch, in: tx)
    }
    try await repeatBatches { tx in
      let end = tx.now.advanced(bySeconds: -Self.horizonSeconds)
      return try SpaceStore.deleteEnded(before: end, limit: Self.batch, in: tx)
    }
  }

  /// - Parameter body: Returns how much it removed; less than a batch is the last one.
  private func repeatBatches(_ body: @escaping @Sendable (Transaction) throws -> Int) async throws {
    while try await core.database.write({ tx in try body(tx) }) >= Self.batch {}
  }

  /// Removes a deleted set 30 days after the deletion; of any other record, the content then and the rest when every
  /// device knows that it was deleted.
  private func expire(in tx: Transaction) throws -> Int {
    let due = try RecordStore.expired(at: tx.now, limit: Self.batch, in: tx)
    var count = due.count
    for record in due {
      if record.collection == .sets {
        count += try remove(record, limit: Self.batch, in: tx)
        if count > 2 * Self.batch { return count }
      } else if record.changedAt <= tx.now.advanced(bySeconds: -Self.horizonSeconds) {
        try CardMedia.remove([record.id], in: tx)
        try RecordStore.delete(record.id, in: tx)
      } else {
        try clear(record, in: tx)
      }
    }
    return count
  }

  private func clear(_ record: StoredRecord, in tx: Transaction) throws {
    var content = try core.records.open(record)
    content.clearDeleted()
    var cleared = record
    cleared.sealed = try core.records.seal(content, of: record.id)
    (cleared.position, cleared.hasConflict) = ("", false)
    cleared.expiresAt = record.changedAt.advanced(bySeconds: Self.horizonSeconds)
    try RecordStore.update(cleared, in: tx)
    if record.collection == .cards { try CardMedia.remove([record.id], in: tx) }
  }

  /// Removes a set with its cards. Its members lose it first, so that no device sees a part of it.
  ///
  /// - Returns: How much was removed; at least `limit` when there is more.
  private func remove(_ set: StoredRecord, limit: Int, in tx: Transaction) throws -> Int {
    try SpaceStore.removeMembers(of: set.space, in: tx)
    guard try CardMedia.remove(of: set.space, limit: limit, in: tx) < limit else { return limit }
    let count = try RecordStore.delete(of: set.space, except: set.id, limit: limit, in: tx)
    guard count < limit else { return count }
    try RecordStore.delete(set.id, in: tx)
    try SpaceStore.delete(set.space, in: tx)
    for observer in core.observers { try observer.setRemoved(StudySetID(trusted: set.space.rawValue), in: tx) }
    return count
  }
}
