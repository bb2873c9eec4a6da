import Contracts
import Persistence
import ServiceKit
import SyncMerge

enum RecordSubject {}
/// The id of a record of any collection.
typealias RecordID = ID<RecordSubject>

/// A record as stored. Its content stays encrypted until ``RecordStore/open(_:)``.
struct StoredRecord: Sendable {
  var id: RecordID
  var space: SpaceID
  var collection: SyncCollection
  /// The number of its last change in its space.
  var sequence: Int64
  /// The position in the order of lists.
  var position: String
  var sealed: String
  var createdAt: Timestamp
  var changedAt: Timestamp
  var deletedAt: Timestamp?
  /// Whether it has variants or, deleted, lost edits.
  var hasConflict = false
  /// When the content of a deleted record is cleared, and then when the record is removed.
  var expiresAt: Timestamp?

  /// - Parameter keepsDeleted: Whether the fields of a deleted record are included.
  func wire(_ content: MergeRecord<JSONValue>, keepsDeleted: Bool = false) -> SyncRecord {
    let set = collection == .cards ? StudySetID(trusted: space.rawValue) : nil
    return SyncRecord(
      collection: collection.rawValue, id: id.wire, set: set, content: content, keepsDeleted: keepsDeleted)
  }
}

/// Records in the database, with their contents encrypted.
struct RecordStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("sync_records", "content")

  func seal(_ content: MergeRecord<JSONValue>, of id: RecordID) throws -> String {
    let record = SyncRecord(collection: "", id: "", content: content, keepsDeleted: true)
    return try keys.seal(WireJSON.encode(record), in: Self.contentColumn, row: id.rawValue)
  }

  func open(_ stored: StoredRecord) throws -> MergeRecord<JSONValue> {
    let bytes = try keys.open(stored.sealed, in: Self.contentColumn, row: stored.id.rawValue)
    return try WireJSON.decode(SyncRecord.self, from: bytes).content
  }

  /// The record as devices receive it.
  func wire(_ stored: StoredRecord, keepsDeleted: Bool = false) throws -> SyncRecord {
    stored.wire(try open(stored), keepsDeleted: keepsDeleted)
  }

  // MARK: reading

  static func find(_ id: RecordID, in db: any Connection) throws -> StoredRecord? {
    try list("id = \(id)", "id", limit: 1, in: db).first
  }

  static func find(_ ids: [RecordID], in db: any Connection) throws -> [StoredRecord] {
    guard !ids.isEmpty else { return [] }
    return try list("id IN \(list: ids)", "id", limit: ids.count, in: db)
  }

  /// How many of the ids are in use.
  static func count(_ ids: [RecordID], in db: any Connection) throws -> Int {
    try ids.isEmpty ? 0 : db.count("SELECT COUNT(*) FROM sync_records WHERE id IN \(list: ids)")
  }

  /// The records of a space that have changed after a number, in the order of their numbers.
  static func changes(of space: SpaceID, after sequence: Int64, limit: Int, in db: any Connection) throws
    -> [StoredRecord]
  {
    try list("space_id = \(space) AND sequence > \(sequence)", "sequence", limit: limit, in: db)
  }

  /// The records of a collection that are not deleted, in the order of their positions.
  static func page(
    _ collection: SyncCollection, of space: SpaceID, after: (position: String, id: RecordID)?, limit: Int,
    in db: any Connection
  ) throws -> [StoredRecord] {
    let rest: SQL? = after.map { "(position, id) > (\($0.position), \($0.id))" }
    return try list(
      .and("space_id = \(space)", "collection = \(collection)", "deleted_at IS NULL", rest), "position, id",
      limit: limit, in: db)
  }

  /// The records of a collection, with the deleted ones, in the order of their positions.
  static func all(
    _ collection: SyncCollection, of space: SpaceID, after: (position: String, id: RecordID)?, limit: Int,
    in db: any Connection
  ) throws -> [StoredRecord] {
    let rest: SQL? = after.map { "(position, id) > (\($0.position), \($0.id))" }
    return try list(
      .and("space_id = \(space)", "collection = \(collection)", rest), "position, id", limit: limit, in: db)
  }

  /// Whether others have changed records of a collection after a number.
  static func hasChanges(of space: SpaceID, _ collection: SyncCollection, after sequence: Int64, in db: any Connection)
    throws -> Bool
  {
    try db.exists(
      """
      SELECT 1 FROM sync_records
      WHERE space_id = \(space) AND sequence > \(sequence) AND collection = \(collection) AND deleted_at IS NULL
      LIMIT 1
      """
    )
  }

  /// How many records a space has, with the deleted ones.
  static func count(of space: SpaceID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM sync_records WHERE space_id = \(space)")
  }

  /// Records with conflicts in the spaces that a user may change, in the order of their ids. Only the owner of a set can
  /// restore it.
  static func conflicts(
    of user: UserID, in collections: Set<SyncCollection>, after: RecordID?, limit: Int, in db: any Connection
  ) throws -> [StoredRecord] {
    guard !collections.isEmpty else { return [] }
    func spaces(_ roles: [SpaceRole]) -> SQL {
      """
      SELECT space_id FROM space_members WHERE user_id = \(user) AND left_at IS NULL AND role IN \(list: roles)
      """
    }
    return try list(
      .and(
        "collection IN \(list: collections.sorted { $0.rawValue < $1.rawValue })",
        "has_conflict = 1 AND space_id IN (\(spaces([.editor, .owner])))",
        "(collection <> \(SyncCollection.sets) OR deleted_at IS NULL OR space_id IN (\(spaces([.owner]))))",
        after.map { "id > \($0)" }),
      "id", limit: limit, in: db)
  }

  /// Deleted records whose content is to be cleared or which are to be removed, the oldest first.
  static func expired(at now: Timestamp, limit: Int, in db: any Connection) throws -> [StoredRecord] {
    try list("expires_at <= \(now)", "expires_at", limit: limit, in: db)
  }

  static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [StoredRecord] {
    try db.all(
      """
      SELECT id, space_id, collection, sequence, position, content, created_at, changed_at, deleted_at, has_conflict,
        expires_at
      FROM sync_records WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in try decode(row) }
  }

  static func decode(_ row: Row) throws -> StoredRecord {
    StoredRecord(
      id: try row["id"], space: try row["space_id"], collection: try row["collection"],
      sequence: try row["sequence"], position: try row["position"], sealed: try row["content"],
      createdAt: try row["created_at"], changedAt: try row["changed_at"], deletedAt: try row["deleted_at"],
      hasConflict: try row["has_conflict"], expiresAt: try row["expires_at"])
  }

  // MARK: writing

  static func insert(_ record: StoredRecord, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO sync_records
        (id, space_id, collection, sequence, position, content, created_at, changed_at, deleted_at, has_conflict,
         expires_at)
      VALUES (\(record.id), \(record.space), \(record.collection), \(record.sequence), \(record.position),
              \(record.sealed), \(record.createdAt), \(record.changedAt), \(record.deletedAt), \(record.hasConflict),
              \(record.expiresAt))
      """
    )
  }

  static func update(_ record: StoredRecord, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE sync_records SET sequence = \(record.sequence), position = \(record.position),
        content = \(record.sealed), changed_at = \(record.changedAt), deleted_at = \(record.deletedAt),
        has_conflict = \(record.hasConflict), expires_at = \(record.expiresAt)
      WHERE id = \(record.id)
      """
    )
  }

  static func delete(_ id: RecordID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sync_records WHERE id = \(id)")
  }

  static func setExpiry(_ time: Timestamp?, of id: RecordID, in tx: Transaction) throws {
    try tx.execute("UPDATE sync_records SET expires_at = \(time) WHERE id = \(id)")
  }

  /// Deletes some of the records of a space, other than one.
  ///
  /// - Returns: How many.
  static func delete(of space: SpaceID, except id: RecordID? = nil, limit: Int, in tx: Transaction) throws
    -> Int
  {
    let condition = SQL.and("space_id = \(space)", id.map { "id <> \($0)" })
    return try tx.execute(
      """
      DELETE FROM sync_records WHERE id IN
        (SELECT id FROM sync_records WHERE \(condition) ORDER BY sequence LIMIT \(limit))
      """
    )
  }
}
