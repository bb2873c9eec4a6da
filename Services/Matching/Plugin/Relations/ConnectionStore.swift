import Contracts
import Persistence

/// A connection or a request as one of its users lists it.
struct StoredConnection: Sendable {
  var id: ConnectionID
  var userID: UserID
  var since: Timestamp
  var note: ConnectionNote?

  /// A position in a list by age.
  struct Cursor: PageCursor {
    var since: Timestamp
    var id: ConnectionID

    init(_ connection: StoredConnection) { (since, id) = (connection.since, connection.id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let since = Int64(parts[0]), let id = ConnectionID(String(parts[1])) else { return nil }
      (self.since, self.id) = (Timestamp(microseconds: since), id)
    }

    var cursor: String { "\(since.microseconds)_\(id)" }
  }
}

/// Connections between users, stored in both directions.
enum ConnectionStore {
  // MARK: reading

  static func areConnected(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM connections WHERE user_id = \(one) AND other_id = \(other)")
  }

  /// The users to whom the user is connected, with the ids of the connections.
  static func connected(to user: UserID, among ids: [UserID], in db: any Connection) throws -> [UserID: ConnectionID] {
    let rows = try db.all(
      "SELECT other_id, id FROM connections WHERE user_id = \(user) AND other_id IN \(list: ids)"
    ) { row -> (other: UserID, id: ConnectionID) in (try row["other_id"], try row["id"]) }
    return Dictionary(rows.map { ($0.other, $0.id) }) { first, _ in first }
  }

  static func find(_ id: ConnectionID, of user: UserID, in db: any Connection) throws -> StoredConnection? {
    try db.first("SELECT id, other_id, since FROM connections WHERE id = \(id) AND user_id = \(user)", decode)
  }

  static func find(between user: UserID, and other: UserID, in db: any Connection) throws -> StoredConnection? {
    try db.first(
      "SELECT id, other_id, since FROM connections WHERE user_id = \(user) AND other_id = \(other)", decode)
  }

  /// A user's connections, newest first.
  static func list(of user: UserID, after cursor: StoredConnection.Cursor?, limit: Int, in db: any Connection) throws
    -> [StoredConnection]
  {
    let condition = SQL.and("user_id = \(user)", cursor.map { "(since, id) < (\($0.since), \($0.id))" })
    return try db.all(
      "SELECT id, other_id, since FROM connections WHERE \(condition) ORDER BY since DESC, id DESC LIMIT \(limit)",
      decode
    )
  }

  /// The connections of a user who are also connected to another one, and how many there are, in one statement.
  static func mutual(of user: UserID, and other: UserID, after cursor: UserID?, limit: Int, in db: any Connection)
    throws
    -> (count: Int, connections: [StoredConnection])
  {
    let condition = SQL.and(cursor.map { "other_id > \($0)" })
    let rows = try db.all(
      """
      WITH mutual AS (
        SELECT a.id, a.other_id, a.since FROM connections a
        JOIN connections b ON b.user_id = \(other) AND b.other_id = a.other_id WHERE a.user_id = \(user))
      SELECT total.count, page.id, page.other_id, page.since
      FROM (SELECT COUNT(*) AS count FROM mutual) total
      LEFT JOIN (SELECT id, other_id, since FROM mutual WHERE \(condition) ORDER BY other_id LIMIT \(limit)) page ON 1 = 1
      ORDER BY page.other_id
      """
    ) { row -> (count: Int, connection: StoredConnection?) in
      // A page without rows still has the count.
      guard let id: ConnectionID = try row["id"] else { return (try row["count"], nil) }
      return (try row["count"], StoredConnection(id: id, userID: try row["other_id"], since: try row["since"]))
    }
    return (rows.first?.count ?? 0, rows.compactMap(\.connection))
  }

  /// How many of a user's connections are also connected to each of the others; those without any are left out.
  static func mutualCounts(of user: UserID, and others: [UserID], in db: any Connection) throws -> [UserID: Int] {
    let rows = try db.all(
      """
      SELECT b.user_id, COUNT(*) AS count FROM connections a
      JOIN connections b ON b.other_id = a.other_id AND b.user_id IN \(list: others)
      WHERE a.user_id = \(user) GROUP BY b.user_id
      """
    ) { row -> (user: UserID, count: Int) in (try row["user_id"], try row["count"]) }
    return Dictionary(rows.map { ($0.user, $0.count) }) { first, _ in first }
  }

  private static func decode(_ row: Row) throws -> StoredConnection {
    StoredConnection(id: try row["id"], userID: try row["other_id"], since: try row["since"])
  }

  // MARK: writing

  /// - Returns: `false` when the users are already connected.
  static func insert(_ id: ConnectionID, _ one: UserID, _ other: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO connections (user_id, other_id, id, since)
      VALUES (\(one), \(other), \(id), \(tx.now)), (\(other), \(one), \(id), \(tx.now)) ON CONFLICT DO NOTHING
      """
    ) > 0
  }

  /// - Returns: `false` when the users are not connected.
  static func delete(between one: UserID, and other: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      DELETE FROM connections
      WHERE user_id = \(one) AND other_id = \(other) OR user_id = \(other) AND other_id = \(one)
      """
    ) > 0
  }

  /// Deletes all connections of a user.
  /// - Returns: The users who were connected.
  static func delete(of user: UserID, in tx: Transaction) throws -> [UserID] {
    let others = try tx.values("SELECT other_id FROM connections WHERE user_id = \(user)", as: UserID.self)
    try tx.execute(
      """
      DELETE FROM connections
      WHERE other_id = \(user) AND user_id IN (SELECT other_id FROM connections WHERE user_id = \(user))
      """
    )
    try tx.execute("DELETE FROM connections WHERE user_id = \(user)")
    return others
  }
}
