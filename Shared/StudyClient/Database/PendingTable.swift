import Contracts
import GRDB

/// An operation that was not yet acknowledged.
struct PendingOperation: Sendable {
  let number: Int64
  var operation: SyncOperation

  var key: RecordKey { RecordKey(collection: operation.collection, id: operation.record) }
}

/// Operations in the order in which they were done.
enum PendingTable {
  static func insert(_ operation: SyncOperation, text: String, _ db: Database) throws {
    try db.run(
      "INSERT INTO pending (id, collection, record, set_id, operation) VALUES (?, ?, ?, ?, ?)",
      [operation.id, operation.collection, operation.record, operation.set?.rawValue, text])
  }

  static func update(_ pending: PendingOperation, _ db: Database) throws {
    try db.run(
      "UPDATE pending SET operation = ? WHERE number = ?", [try StoredJSON.text(pending.operation), pending.number])
  }

  static func delete(_ number: Int64, _ db: Database) throws {
    try db.run("DELETE FROM pending WHERE number = ?", [number])
  }

  static func count(_ db: Database) throws -> Int { try db.number("SELECT COUNT(*) FROM pending") }

  /// The oldest operations, at most so many and so many bytes, but at least one.
  static func first(_ maxCount: Int, maxBytes: Int, _ db: Database) throws -> [PendingOperation] {
    var (operations, bytes): ([PendingOperation], Int) = ([], 0)
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT number, operation FROM pending ORDER BY number LIMIT ?"), arguments: [maxCount])
    while let row = try rows.next() {
      let text: String = row["operation"]
      bytes += text.utf8.count
      if !operations.isEmpty, bytes > maxBytes { break }
      operations.append(try decode(row))
    }
    return operations
  }

  static func all(_ db: Database) throws -> [PendingOperation] {
    try db.rows("SELECT number, operation FROM pending ORDER BY number").map(decode)
  }

  static func list(of key: RecordKey, _ db: Database) throws -> [PendingOperation] {
    try db.rows(
      "SELECT number, operation FROM pending WHERE collection = ? AND record = ? ORDER BY number",
      [key.collection, key.id]
    ).map(decode)
  }

  /// The records of a set that have operations.
  static func keys(of set: StudySetID, _ db: Database) throws -> [RecordKey] {
    try db.rows("SELECT DISTINCT collection, record FROM pending WHERE set_id = ? ", [set.rawValue]).map {
      RecordKey(collection: $0["collection"], id: $0["record"])
    }
  }

  private static func decode(_ row: Row) throws -> PendingOperation {
    PendingOperation(number: row["number"], operation: try StoredJSON.value(SyncOperation.self, row["operation"]))
  }
}
