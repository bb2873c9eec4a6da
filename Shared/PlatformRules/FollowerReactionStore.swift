public import Contracts
public import Persistence

/// Reactions of followers to what users show them, in a table `(<object>, user_id, emoji, created_at)` of a service, with
/// the first three as its key.
public struct FollowerReactionStore<Subject>: Sendable {
  private let table: SQL
  private let object: SQL
  private let owners: SQL

  /// Different reactions of one user to one object.
  private static var maxCount: Int { 5 }

  /// - Parameters:
  ///   - table: Where the reactions are.
  ///   - object: The column with the id of what is shown.
  ///   - owners: The table of what is shown, with the columns `id` and `user_id`.
  public init(_ table: StaticString, to object: StaticString, in owners: StaticString) {
    (self.table, self.object, self.owners) = ("\(raw: table)", "\(raw: object)", "\(raw: owners)")
  }

  // MARK: reading

  /// The reactions to objects, in the order in which the emoji were first used.
  public func list(of objects: [ID<Subject>], for viewer: UserID, in db: any Connection) throws
    -> [ID<Subject>: [FollowerReaction]]
  {
    guard !objects.isEmpty else { return [:] }
    let rows = try db.all(
      """
      SELECT \(object) AS object, emoji, COUNT(*) AS count, MIN(created_at) AS first_at,
        MAX(CASE WHEN user_id = \(viewer) THEN 1 ELSE 0 END) AS is_mine
      FROM \(table) WHERE \(object) IN \(list: objects)
      GROUP BY \(object), emoji ORDER BY first_at, emoji
      """
    ) { row -> (object: ID<Subject>, reaction: FollowerReaction) in
      let (emoji, count): (Emoji, Int) = (try row["emoji"], try row["count"])
      return (try row["object"], FollowerReaction(emoji: emoji, count: count, isMine: try row["is_mine"]))
    }
    return Dictionary(grouping: rows, by: \.object).mapValues { $0.map(\.reaction) }
  }

  /// All reactions of a user, for the data export.
  public func list(by user: UserID, in db: any Connection) throws -> [(object: ID<Subject>, emoji: String)] {
    try db.all(
      "SELECT \(object) AS object, emoji FROM \(table) WHERE user_id = \(user) ORDER BY \(object), emoji"
    ) { row in (try row["object"], try row["emoji"]) }
  }

  // MARK: writing

  /// - Returns: `false` when the user has already reacted so.
  /// - Throws: ``Problem`` `reaction-limit` for a sixth different reaction to the object.
  public func insert(_ emoji: Emoji, by user: UserID, to id: ID<Subject>, in tx: Transaction) throws -> Bool {
    let count = try tx.execute(
      """
      INSERT INTO \(table) (\(object), user_id, emoji, created_at)
      VALUES (\(id), \(user), \(emoji), \(tx.now)) ON CONFLICT DO NOTHING
      """
    )
    guard count == 1 else { return false }
    let all = try tx.count("SELECT COUNT(*) FROM \(table) WHERE \(object) = \(id) AND user_id = \(user)")
    guard all <= Self.maxCount else { throw Problem(.reactionLimit) }
    return true
  }

  public func delete(_ emoji: Emoji, by user: UserID, to id: ID<Subject>, in tx: Transaction) throws {
    try tx.execute("DELETE FROM \(table) WHERE \(object) = \(id) AND user_id = \(user) AND emoji = \(emoji)")
  }

  public func delete(to id: ID<Subject>, in tx: Transaction) throws {
    try tx.execute("DELETE FROM \(table) WHERE \(object) = \(id)")
  }

  /// Deletes the reactions of a user to what another shows.
  public func delete(by user: UserID, toObjectsOf owner: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM \(table)
      WHERE user_id = \(user) AND \(object) IN (SELECT id FROM \(owners) WHERE user_id = \(owner))
      """
    )
  }

  /// Deletes a user's reactions, and those to what the user shows, which is deleted afterwards.
  public func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM \(table) WHERE user_id = \(user)")
    try tx.execute("DELETE FROM \(table) WHERE \(object) IN (SELECT id FROM \(owners) WHERE user_id = \(user))")
  }
}
