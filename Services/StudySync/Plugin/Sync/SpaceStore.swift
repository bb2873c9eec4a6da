import Contracts
import Persistence

/// Spaces and who sees them.
enum SpaceStore {
  // MARK: spaces

  static func find(_ id: SpaceID, in db: any Connection) throws -> Space? {
    try db.first("SELECT id, sequence, checksums FROM spaces WHERE id = \(id)", decode)
  }

  /// - Returns: `false` when the space exists.
  static func insert(_ id: SpaceID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO spaces (id, sequence, checksums) VALUES (\(id), 0, \(json: SpaceChecksums()))
      ON CONFLICT (id) DO NOTHING
      """
    ) == 1
  }

  static func update(_ space: Space, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE spaces SET sequence = \(space.sequence), checksums = \(json: space.checksums) WHERE id = \(space.id)")
  }

  /// Ends every membership; devices learn it with their next synchronization.
  static func removeMembers(of id: SpaceID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM space_grants WHERE space_id = \(id)")
    try tx.execute("UPDATE space_members SET left_at = \(tx.now) WHERE space_id = \(id) AND left_at IS NULL")
  }

  /// Ends every membership for good; ``SpaceRemoval`` deletes the contents.
  static func markRemoved(_ id: SpaceID, in tx: Transaction) throws {
    try removeMembers(of: id, in: tx)
    try tx.execute("UPDATE spaces SET removed_at = \(tx.now) WHERE id = \(id)")
  }

  static func isRemoved(_ id: SpaceID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM spaces WHERE id = \(id) AND removed_at IS NOT NULL")
  }

  /// Spaces whose contents are to be deleted, in the order of their removal.
  static func removed(limit: Int, in db: any Connection) throws -> [SpaceID] {
    try db.values("SELECT id FROM spaces WHERE removed_at IS NOT NULL ORDER BY removed_at, id LIMIT \(limit)")
  }

  /// Deletes a space whose records have been deleted.
  static func delete(_ id: SpaceID, in tx: Transaction) throws {
    try removeMembers(of: id, in: tx)
    try tx.execute("DELETE FROM spaces WHERE id = \(id)")
  }

  // MARK: erasure

  /// Deletes everything about a user but the user's spaces.
  static func deleteMemberships(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM space_grants WHERE user_id = \(user)")
    try tx.execute("DELETE FROM space_members WHERE user_id = \(user)")
  }

  /// Deletes some of the memberships that ended before a time.
  ///
  /// - Returns: How many.
  static func deleteEnded(before time: Timestamp, limit: Int, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      DELETE FROM space_members WHERE (user_id, number) IN
        (SELECT user_id, number FROM space_members WHERE left_at < \(time) ORDER BY left_at LIMIT \(limit))
      """
    )
  }

  // MARK: members

  /// Everything that a user sees, in the order of its numbers.
  static func memberships(of user: UserID, in db: any Connection) throws -> [Membership] {
    try db.all(
      """
      SELECT m.number, m.role, s.id, s.sequence, s.checksums
      FROM space_members m JOIN spaces s ON s.id = m.space_id
      WHERE m.user_id = \(user) AND m.left_at IS NULL ORDER BY m.number
      """
    ) { row in Membership(number: try row["number"], role: try row["role"], space: try decode(row)) }
  }

  static func membership(of user: UserID, in space: SpaceID, _ db: any Connection) throws -> Membership? {
    try db.first(
      """
      SELECT m.number, m.role, s.id, s.sequence, s.checksums
      FROM space_members m JOIN spaces s ON s.id = m.space_id
      WHERE m.space_id = \(space) AND m.user_id = \(user) AND m.left_at IS NULL
      """
    ) { row in Membership(number: try row["number"], role: try row["role"], space: try decode(row)) }
  }

  static func role(of user: UserID, in space: SpaceID, _ db: any Connection) throws -> SpaceRole? {
    try membership(of: user, in: space, db)?.role
  }

  /// Everything that a user sees, with the time since when.
  static func history(of user: UserID, in db: any Connection) throws
    -> [(space: SpaceID, role: SpaceRole, since: Timestamp)]
  {
    try db.all(
      """
      SELECT space_id, role, joined_at FROM space_members
      WHERE user_id = \(user) AND left_at IS NULL ORDER BY number
      """
    ) { row in (try row["space_id"], try row["role"], try row["joined_at"]) }
  }

  /// The other editor of a space who joined first.
  static func successor(of user: UserID, in space: SpaceID, _ db: any Connection) throws -> UserID? {
    try db.value(
      """
      SELECT user_id FROM space_members
      WHERE space_id = \(space) AND left_at IS NULL AND user_id <> \(user)
        AND role IN \(list: [SpaceRole.editor, .owner])
      ORDER BY joined_at, user_id LIMIT 1
      """
    )
  }

  static func members(of space: SpaceID, in db: any Connection) throws -> [(user: UserID, role: SpaceRole)] {
    try db.all(
      "SELECT user_id, role FROM space_members WHERE space_id = \(space) AND left_at IS NULL ORDER BY user_id"
    ) { row in (try row["user_id"], try row["role"]) }
  }

  /// The spaces behind numbers that are no longer the user's.
  static func left(_ numbers: [Int64], by user: UserID, in db: any Connection) throws -> [SpaceID] {
    guard !numbers.isEmpty else { return [] }
    return try db.values(
      """
      SELECT space_id FROM space_members
      WHERE user_id = \(user) AND number IN \(list: numbers) AND left_at IS NOT NULL ORDER BY number
      """
    )
  }

  // MARK: grants

  /// Lets a user see a space. A user who has several grants has the highest role of them.
  ///
  /// - Parameter source: What the grant comes from, such as `share` or `course:ID`.
  static func grant(_ role: SpaceRole, to user: UserID, in space: SpaceID, source: String, _ tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO space_grants (space_id, user_id, source, role)
      VALUES (\(space), \(user), \(source), \(role))
      ON CONFLICT (space_id, user_id, source) DO UPDATE SET role = excluded.role
      """
    )
    try updateMember(user, of: space, tx)
  }

  /// - Returns: Whether the user no longer sees the space.
  @discardableResult
  static func revoke(_ user: UserID, in space: SpaceID, source: String, _ tx: Transaction) throws -> Bool {
    try tx.execute(
      "DELETE FROM space_grants WHERE space_id = \(space) AND user_id = \(user) AND source = \(source)")
    return try updateMember(user, of: space, tx) == nil
  }

  static func grants(of user: UserID, in space: SpaceID, _ db: any Connection) throws
    -> [(source: String, role: SpaceRole)]
  {
    try db.all("SELECT source, role FROM space_grants WHERE space_id = \(space) AND user_id = \(user)") { row in
      (try row["source"], try row["role"])
    }
  }

  /// Everyone who has a grant from one of these sources, in the order of their ids.
  static func grants(in space: SpaceID, from sources: [String], _ db: any Connection) throws
    -> [(user: UserID, source: String, role: SpaceRole)]
  {
    try db.all(
      """
      SELECT user_id, source, role FROM space_grants
      WHERE space_id = \(space) AND source IN \(list: sources) ORDER BY user_id, source
      """
    ) { row in (try row["user_id"], try row["source"], try row["role"]) }
  }

  /// The spaces in which a user has a grant from this source.
  static func spaces(grantedTo user: UserID, source: String, _ db: any Connection) throws -> [SpaceID] {
    try db.values(
      "SELECT space_id FROM space_grants WHERE user_id = \(user) AND source = \(source) ORDER BY space_id")
  }

  /// Makes the membership follow the grants.
  @discardableResult
  private static func updateMember(_ user: UserID, of space: SpaceID, _ tx: Transaction) throws -> SpaceRole? {
    let role = try grants(of: user, in: space, tx).map(\.role).max()
    let current = try self.role(of: user, in: space, tx)
    guard role != current else { return role }
    if let role, current != nil {
      try tx.execute(
        """
        UPDATE space_members SET role = \(role)
        WHERE space_id = \(space) AND user_id = \(user) AND left_at IS NULL
        """
      )
    } else if let role {
      try tx.execute(
        """
        INSERT INTO space_members (user_id, number, space_id, role, joined_at)
        SELECT \(user), COALESCE(MAX(number) + 1, 0), \(space), \(role), \(tx.now)
        FROM space_members WHERE user_id = \(user)
        """
      )
    } else {
      try tx.execute(
        """
        UPDATE space_members SET left_at = \(tx.now)
        WHERE space_id = \(space) AND user_id = \(user) AND left_at IS NULL
        """
      )
    }
    return role
  }

  private static func decode(_ row: Row) throws -> Space {
    Space(id: try row["id"], sequence: try row["sequence"], checksums: try row[json: "checksums"])
  }
}
