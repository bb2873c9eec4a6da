import Contracts
import GRDB
import SyncMerge

/// One transaction on the device's file: records, the clock and the checksums change together.
final class DeviceTransaction {
  let db: Database
  /// The time by the device's clock.
  let now: Timestamp
  var state: DeviceState
  private let stateBefore: DeviceState
  /// The parts that are added to the checksums and removed from them.
  private var added: [String: Checksum] = [:]
  private var removed: [String: Checksum] = [:]

  init(_ db: Database, now: Timestamp) throws {
    guard let state = try DeviceState.load(db) else { throw StudyClientError.closed }
    (self.db, self.now, self.state, stateBefore) = (db, now, state, state)
  }

  func finish() throws {
    if state != stateBefore { try state.save(db) }
    for collection in Set(added.keys).union(removed.keys) {
      var sum = try Checksums.find(collection, db) + added[collection, default: Checksum()]
      if let less = removed[collection] { sum = Checksum(count: sum.count - less.count, sum: sum.sum &- less.sum) }
      try Checksums.save(sum, of: collection, db)
    }
    (added, removed) = ([:], [:])
  }

  // MARK: records

  func find(_ key: RecordKey) throws -> DeviceRecord? { try RecordTable.find(key, db) }

  /// Stores a record; one that neither the server nor a pending operation has is deleted.
  func save(_ record: DeviceRecord) throws {
    count(record.key.collection, removing: record.storedHash, adding: record.hash)
    if record.view == nil { try RecordTable.delete(record.key, db) } else { try RecordTable.save(record, db) }
  }

  func count(_ collection: String, removing old: UInt64?, adding new: UInt64?) {
    if old == new { return }
    if let old { removed[collection, default: Checksum()].insert(old) }
    if let new { added[collection, default: Checksum()].insert(new) }
  }

  /// Applies the pending operations of a record to the server's copy again.
  func rebase(_ record: inout DeviceRecord) throws {
    record.pending = nil
    for pending in try PendingTable.list(of: record.key, db) { record.apply(pending.operation) }
  }
}

extension DeviceRecord {
  /// Applies a pending operation to what is shown.
  mutating func apply(_ operation: SyncOperation) {
    pending = Self.merged(view, operation, version: operation.version, key)
    set = set ?? operation.set
  }

  /// Applies an operation that the server has applied to the server's copy.
  mutating func acknowledge(_ operation: SyncOperation, version: HybridTime) {
    server = Self.merged(server, operation, version: version, key)
    set = set ?? operation.set
  }

  private static func merged(
    _ content: MergeRecord<JSONValue>?, _ operation: SyncOperation, version: HybridTime, _ key: RecordKey
  ) -> MergeRecord<JSONValue> {
    if key.isLog { return SyncRecord(collection: "", id: "", fields: operation.fields).content }
    var content = content ?? MergeRecord()
    _ = content.apply(operation.change(version: version), mergedTexts: key.known?.mergedTexts ?? [])
    return content
  }
}

/// The checksums of the server's copies.
enum Checksums {
  static func find(_ collection: String, _ db: Database) throws -> Checksum {
    guard let row = try db.row("SELECT count, sum FROM checksums WHERE collection = ?", [collection]) else {
      return Checksum()
    }
    return Checksum(count: row["count"], sum: UInt64(bitPattern: row["sum"] as Int64))
  }

  static func save(_ sum: Checksum, of collection: String, _ db: Database) throws {
    try db.run(
      """
      INSERT INTO checksums (collection, count, sum) VALUES (?, ?, ?)
      ON CONFLICT (collection) DO UPDATE SET count = excluded.count, sum = excluded.sum
      """,
      [collection, sum.count, Int64(bitPattern: sum.sum)])
  }
}
