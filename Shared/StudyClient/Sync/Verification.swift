import Contracts
import GRDB
import SyncMerge

/// Makes sure that the device's copies are what the server has.
enum Verification {
  /// How often the checksums are computed from the content, in seconds; in between they are kept with every change.
  static let interval = 86_400.0
  /// How long the content of deleted records is kept, as on the server, in milliseconds.
  static let deletedContentAge: UInt64 = 30 * 86_400_000

  /// Computes hashes and checksums from the content.
  static func recount(at now: Timestamp, _ db: Database) throws {
    var sums: [String: Checksum] = [:]
    var corrections: [(key: RecordKey, server: String?, hash: Int64?)] = []
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT collection, id, server, hash FROM records WHERE server IS NOT NULL"))
    while let row = try rows.next() {
      let key = RecordKey(collection: row["collection"], id: row["id"])
      let text: String = row["server"]
      let stored: Int64? = row["hash"]
      guard var content = try? RecordTable.content(text) else {
        // Unreadable: it is read again.
        corrections.append((key, nil, nil))
        continue
      }
      let hash = content.isDeleted ? nil : content.hash(collection: key.collection, id: key.id)
      if let hash { sums[key.collection, default: Checksum()].insert(hash) }
      let isOld =
        content.isDeleted && !content.fields.isEmpty
        && content.lifecycle.milliseconds + deletedContentAge < now.hybridMilliseconds
      if isOld {
        content.clearDeleted()
        let record = SyncRecord(collection: "", id: "", content: content, keepsDeleted: true)
        corrections.append((key, try StoredJSON.text(record), nil))
      } else if hash.map({ Int64(bitPattern: $0) }) != stored {
        corrections.append((key, text, hash.map { Int64(bitPattern: $0) }))
      }
    }
    for correction in corrections {
      try db.run(
        "UPDATE records SET server = ?, hash = ? WHERE collection = ? AND id = ?",
        [correction.server, correction.hash, correction.key.collection, correction.key.id])
    }
    try db.run("DELETE FROM records WHERE server IS NULL AND view IS NULL")
    try db.run("DELETE FROM checksums")
    for (collection, sum) in sums { try Checksums.save(sum, of: collection, db) }
  }

  /// The collections of which the device's checksum is another.
  static func differing(_ checksums: [SyncChecksum], _ db: Database) throws -> [SyncCollection] {
    try checksums.filter { theirs in
      let ours = try Checksums.find(theirs.collection.rawValue, db)
      return ours.count != theirs.count || ours.sum != UInt64(theirs.sum, radix: 16)
    }.map(\.collection)
  }
}
