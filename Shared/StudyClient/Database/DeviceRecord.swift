import Contracts
import GRDB
import SyncMerge

struct RecordKey: Hashable, Sendable {
  var collection: String
  var id: String

  var known: SyncCollection? { SyncCollection(rawValue: collection) }
  var isLog: Bool { known?.isLog ?? false }
}

/// A record as it is stored.
struct DeviceRecord: Sendable, Equatable {
  let key: RecordKey
  /// The set of a card.
  var set: StudySetID?
  /// The server's copy. A deleted record keeps the content that the device knew, so that it can be shown when it is
  /// restored offline.
  var server: MergeRecord<JSONValue>?
  /// The copy with the pending operations; unset without any.
  var pending: MergeRecord<JSONValue>?
  var generation: Int64 = 0
  /// The deletion of which the user has dismissed the lost edits.
  var dismissed: HybridTime?
  /// The contribution of the record, as it was read, to the checksum.
  fileprivate(set) var storedHash: UInt64?

  init(_ key: RecordKey, set: StudySetID? = nil) { (self.key, self.set) = (key, set) }

  var view: MergeRecord<JSONValue>? { pending ?? server }

  /// Its contribution to the checksum.
  var hash: UInt64? {
    server.flatMap { $0.isDeleted ? nil : $0.hash(collection: key.collection, id: key.id) }
  }

  /// Puts another copy of the server in the place of this one.
  mutating func replace(with record: SyncRecord) {
    var content = record.content
    if content.isDeleted, content.fields.isEmpty, let known = server {
      content = MergeRecord(
        fields: known.fields, variants: known.variants, isDeleted: true, lifecycle: content.lifecycle,
        hasLostEdits: content.hasLostEdits)
    }
    server = content
    set = record.set ?? set
  }

  var conflict: StudyConflict.Kind? {
    guard let view else { return nil }
    if view.isDeleted { return view.hasLostEdits && view.lifecycle != dismissed ? .lostEdits : nil }
    return view.variants.isEmpty ? nil : .variants
  }

  /// The set of a card, or of what was studied.
  fileprivate var setText: String? { self.set?.rawValue ?? (key.isLog ? view?["set"]?.string : nil) }
}

/// Records in the device's file.
enum RecordTable {
  static let columns = "collection, id, set_id, server, hash, view, generation, dismissed"

  static func find(_ key: RecordKey, _ db: Database) throws -> DeviceRecord? {
    try db.row("SELECT \(columns) FROM records WHERE collection = ? AND id = ?", [key.collection, key.id]).map(decode)
  }

  static func decode(_ row: Row) throws -> DeviceRecord {
    let key = RecordKey(collection: row["collection"], id: row["id"])
    var record = DeviceRecord(key, set: (row["set_id"] as String?).map { StudySetID(trusted: $0) })
    if key.isLog { record.set = nil }
    // A copy that cannot be read is loaded again from the server when the copies are verified.
    record.server = (row["server"] as String?).flatMap { try? content($0) }
    record.pending = try (row["view"] as String?).map(content)
    record.storedHash = (row["hash"] as Int64?).map { UInt64(bitPattern: $0) }
    record.generation = row["generation"]
    record.dismissed = (row["dismissed"] as String?).flatMap { HybridTime($0) }
    return record
  }

  static func content(_ text: String) throws -> MergeRecord<JSONValue> {
    try StoredJSON.value(SyncRecord.self, text).content
  }

  private static func text(_ content: MergeRecord<JSONValue>) throws -> String {
    try StoredJSON.text(SyncRecord(collection: "", id: "", content: content, keepsDeleted: true))
  }

  static func save(_ record: DeviceRecord, _ db: Database) throws {
    try db.run(
      """
      INSERT INTO records
        (collection, id, set_id, card_id, server, hash, view, generation, position, is_visible, has_conflict, dismissed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (collection, id) DO UPDATE SET
        set_id = excluded.set_id, card_id = excluded.card_id, server = excluded.server, hash = excluded.hash,
        view = excluded.view, generation = excluded.generation, position = excluded.position,
        is_visible = excluded.is_visible, has_conflict = excluded.has_conflict, dismissed = excluded.dismissed
      """,
      [
        record.key.collection, record.key.id, record.setText, record.key.isLog ? record.view?["card"]?.string : nil,
        try record.server.map(text), record.hash.map { Int64(bitPattern: $0) }, try record.pending.map(text),
        record.generation, position { record.view?[$0] }, record.view.map { !$0.isDeleted } ?? false,
        record.conflict != nil,
        record.dismissed?.description,
      ])
  }

  /// The sort key of lists.
  static func position(_ field: (String) -> JSONValue?) -> String {
    (field("position") ?? field("at") ?? field("startedAt"))?.string ?? ""
  }

  static func delete(_ key: RecordKey, _ db: Database) throws {
    try db.run("DELETE FROM records WHERE collection = ? AND id = ?", [key.collection, key.id])
  }
}
