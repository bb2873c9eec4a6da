/// A database failure, independent of the driver.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// A unique constraint was violated; the columns as `table.column`, as far as known.
    case uniqueViolation(columns: [String])
    case foreignKeyViolation
    case checkViolation
    case notNullViolation
    /// The transaction conflicts with another one, even after retries.
    case conflict
    /// The queue is full, a statement timed out, or the WAL is in use.
    case overloaded
    case storageFull
    /// An fsync failed, so durability is not guaranteed; fatal to the process.
    case syncFailed
    case unavailable
    /// The connection was lost during the commit; the transaction may or may not have been committed.
    case outcomeUnknown
    case unexpectedNull
    /// A stored value is not one that its column may hold.
    case corrupt
    case invalidMigration
    case closed
    /// The process is no longer the one that does this work; another one is.
    case leaseLost
    case other
  }

  public let kind: Kind
  /// The database's message, for logs; may contain table and column names, never values.
  public let detail: String

  public init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }

  public var description: String { "\(kind): \(detail)" }

  /// Whether a unique constraint that includes the column was violated.
  public func isUniqueViolation(of column: String) -> Bool {
    if case .uniqueViolation(let columns) = kind { columns.contains(column) } else { false }
  }
}
