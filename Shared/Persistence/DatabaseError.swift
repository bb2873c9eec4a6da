/// A failure of the database in terms that both drivers share.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// A unique constraint; the columns as `table.column`, as far as they are known.
    case uniqueViolation(columns: [String])
    case foreignKeyViolation
    case checkViolation
    case notNullViolation
    /// The other side of a conflict won more often than we retry.
    case conflict
    /// Too many statements wait for the database.
    case overloaded
    case storageFull
    /// The disk could not promise that what it was given will last; fatal to the process.
    case syncFailed
    case unavailable
    /// The connection was lost while committing; the change may be there or not.
    case outcomeUnknown
    case unexpectedNull
    case invalidMigration
    case closed
    case other
  }

  public let kind: Kind
  /// The database's words, for logs; may name tables and columns, never values.
  public let detail: String

  public init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }

  public var description: String { "\(kind): \(detail)" }

  /// Whether a unique constraint over that column was broken.
  public func isUniqueViolation(of column: String) -> Bool {
    if case .uniqueViolation(let columns) = kind { columns.contains(column) } else { false }
  }
}
