public import Contracts
import GRDB

/// An operation that the server has rejected. It is kept until the user dismisses it.
public struct RefusedOperation: Codable, Sendable, Equatable {
  public var operation: SyncOperation
  /// Why, such as `invalid-value`.
  public var code: String
  /// The location of the invalid value in the operation, such as `fields.front`.
  public var field: String?
  /// In English, for developers.
  public var message: String
  public var refusedAt: Timestamp
}

enum RefusedTable {
  static func insert(_ refused: RefusedOperation, _ db: Database) throws {
    try db.run(
      """
      INSERT INTO refused (id, operation, code, field, message, refused_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO NOTHING
      """,
      [
        refused.operation.id, try StoredJSON.text(refused.operation), refused.code, refused.field, refused.message,
        refused.refusedAt.microseconds,
      ])
  }

  static func list(_ db: Database) throws -> [RefusedOperation] {
    try db.rows("SELECT operation, code, field, message, refused_at FROM refused ORDER BY refused_at, id").map(decode)
  }

  static func find(_ id: String, _ db: Database) throws -> RefusedOperation? {
    try db.row("SELECT operation, code, field, message, refused_at FROM refused WHERE id = ?", [id]).map(decode)
  }

  static func count(_ db: Database) throws -> Int { try db.number("SELECT COUNT(*) FROM refused") }

  static func delete(_ id: String, _ db: Database) throws { try db.run("DELETE FROM refused WHERE id = ?", [id]) }

  private static func decode(_ row: Row) throws -> RefusedOperation {
    RefusedOperation(
      operation: try StoredJSON.value(SyncOperation.self, row["operation"]), code: row["code"], field: row["field"],
      message: row["message"], refusedAt: Timestamp(microseconds: row["refused_at"]))
  }
}
