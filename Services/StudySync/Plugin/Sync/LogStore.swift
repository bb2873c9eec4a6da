import Contracts
import Persistence
import ServiceKit

/// The users' logs, with everything but numbers and ids encrypted.
struct LogStore: Sendable {
  let keys: DataKeys

  static let detailsColumn = SealedColumn("study_log", "details")

  /// The entries of a user after a number, in the order of their numbers. Their details stay encrypted.
  static func changes(of user: UserID, after sequence: Int64, limit: Int, in db: any Connection) throws
    -> [StoredEntry]
  {
    try list("user_id = \(user) AND sequence > \(sequence)", "sequence", limit: limit, in: db)
  }

  static func find(_ id: RecordID, of user: UserID, in db: any Connection) throws -> StoredEntry? {
    try list("id = \(id) AND user_id = \(user)", "id", limit: 1, in: db).first
  }

  /// The number of the last entry of a user; 0 when there is none. There are at most so many.
  static func lastNumber(of user: UserID, in db: any Connection) throws -> Int64 {
    try db.value("SELECT sequence FROM study_log WHERE user_id = \(user) ORDER BY sequence DESC LIMIT 1") ?? 0
  }

  /// The ids that are in use.
  static func known(_ ids: [RecordID], in db: any Connection) throws -> Set<RecordID> {
    guard !ids.isEmpty else { return [] }
    return Set(
      try db.values("SELECT id FROM study_log WHERE id IN \(list: ids)", as: String.self).map { RecordID(trusted: $0) })
  }

  static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [StoredEntry] {
    try db.all(
      """
      SELECT id, sequence, collection, at, day, utc_offset, milliseconds, set_id, card_id, rating, function, details
      FROM study_log WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      let (id, collection): (RecordID, SyncCollection) = (try row["id"], try row["collection"])
      let (at, day): (Timestamp, Int64) = (try row["at"], try row["day"])
      let (offset, milliseconds): (Int, Int64) = (try row["utc_offset"], try row["milliseconds"])
      let (set, card): (StudySetID?, CardID?) = (try row["set_id"], try row["card_id"])
      let (rating, function): (Int?, StudyFunction?) = (try row["rating"], try row["function"])
      let entry = LogEntry(
        id: id, collection: collection, at: at, day: day, utcOffsetMinutes: offset, milliseconds: milliseconds,
        set: set, card: card, rating: rating, function: function, details: [])
      return StoredEntry(entry: entry, sequence: try row["sequence"], sealedDetails: try row["details"])
    }
  }

  /// The entry with its details.
  func open(_ stored: StoredEntry) throws -> LogEntry {
    var entry = stored.entry
    if let sealed = stored.sealedDetails {
      let bytes = try keys.open(sealed, in: Self.detailsColumn, row: entry.id.rawValue)
      entry.details = try WireJSON.decode(SyncFields.self, from: bytes).members
    }
    return entry
  }

  func insert(_ entries: [(entry: LogEntry, sequence: Int64)], of user: UserID, in tx: Transaction) throws {
    let rows = try entries.map { entry, sequence -> [SQLValue] in
      let details =
        try entry.details.isEmpty
        ? nil
        : keys.seal(WireJSON.encode(SyncFields(entry.details)), in: Self.detailsColumn, row: entry.id.rawValue)
      return [
        entry.id.sqlValue, user.sqlValue, sequence.sqlValue, entry.collection.rawValue.sqlValue, entry.at.sqlValue,
        entry.day.sqlValue, entry.utcOffsetMinutes.sqlValue, entry.milliseconds.sqlValue, entry.set.sqlValue,
        entry.card.sqlValue, entry.rating.sqlValue, (entry.function?.rawValue).sqlValue, details.sqlValue,
      ]
    }
    try tx.execute(
      """
      INSERT INTO study_log
        (id, user_id, sequence, collection, at, day, utc_offset, milliseconds, set_id, card_id, rating, function,
         details)
      VALUES
      """, rows: rows, "")
  }

  /// Deletes some of the entries of a user.
  ///
  /// - Returns: How many.
  static func delete(of user: UserID, limit: Int, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      DELETE FROM study_log WHERE id IN
        (SELECT id FROM study_log WHERE user_id = \(user) ORDER BY sequence LIMIT \(limit))
      """
    )
  }
}

/// An entry as stored, with its number in the user's space.
struct StoredEntry: Sendable {
  /// Without details.
  var entry: LogEntry
  var sequence: Int64
  var sealedDetails: String?
}
