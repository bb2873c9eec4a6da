public import Contracts
public import Persistence
public import ServiceKit

/// Blocks between users as matching reports them, in the table `blocks (blocker_id, blocked_id)` of a service that
/// respects them.
public struct ReportedBlocks: Feature {
  private let began: @Sendable (BlockChanged, Transaction) throws -> Void

  /// - Parameter began: What else a new block ends, in the same transaction.
  public init(_ began: @escaping @Sendable (BlockChanged, Transaction) throws -> Void) { self.began = began }

  public func register(in routes: inout Routes) {
    routes.on(BlockChanged.self) { [began] event, tx in
      guard event.isBlocked else {
        try tx.execute("DELETE FROM blocks WHERE blocker_id = \(event.blocker) AND blocked_id = \(event.blocked)")
        return
      }
      try tx.execute(
        """
        INSERT INTO blocks (blocker_id, blocked_id) VALUES (\(event.blocker), \(event.blocked))
        ON CONFLICT DO NOTHING
        """
      )
      try began(event, tx)
    }
  }

  /// Whether one of the two users has blocked the other.
  public static func exist(between one: UserID, and other: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM blocks
      WHERE blocker_id = \(one) AND blocked_id = \(other) OR blocker_id = \(other) AND blocked_id = \(one) LIMIT 1
      """
    )
  }

  /// A subquery of everyone who has blocked the user or is blocked by them.
  public static func others(of user: UserID) -> SQL {
    """
    (SELECT blocked_id FROM blocks WHERE blocker_id = \(user)
     UNION ALL SELECT blocker_id FROM blocks WHERE blocked_id = \(user))
    """
  }

  // MARK: privacy

  /// Users who have blocked the user are left out.
  public func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let blocked: [UserID] = try db.values(
      "SELECT blocked_id FROM blocks WHERE blocker_id = \(user) ORDER BY blocked_id")
    return [("blocks", try JSONValue(blocked))]
  }

  public func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM blocks WHERE blocker_id = \(user) OR blocked_id = \(user)")
  }
}
