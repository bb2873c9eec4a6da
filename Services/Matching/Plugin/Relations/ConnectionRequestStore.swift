import Contracts
import Persistence
import ServiceKit

struct StoredConnectionRequest: Sendable {
  var id: ConnectionID
  var requester: UserID
  var recipient: UserID
  var note: ConnectionNote?
  var at: Timestamp

  /// The request as one of its users lists it.
  func seen(by user: UserID) -> StoredConnection {
    StoredConnection(id: id, userID: user == requester ? recipient : requester, since: at, note: note)
  }

  func status(for user: UserID) -> ConnectionStatus { user == requester ? .outgoing : .incoming }
}

/// Requests for connections that wait for an answer, at most one between two users. Their notes are encrypted.
struct ConnectionRequestStore: Sendable {
  let keys: DataKeys

  static let noteColumn = SealedColumn("connection_requests", "note")

  // MARK: reading

  func find(_ id: ConnectionID, of user: UserID, in db: any Connection) throws -> StoredConnectionRequest? {
    try db.first(
      """
      SELECT \(Self.columns) FROM connection_requests
      WHERE id = \(id) AND (requester_id = \(user) OR recipient_id = \(user))
      """,
      decode
    )
  }

  func find(between one: UserID, and other: UserID, in db: any Connection) throws -> StoredConnectionRequest? {
    try db.first("SELECT \(Self.columns) FROM connection_requests WHERE \(Self.between(one, other))", decode)
  }

  /// The requests that a user has received or made, newest first.
  func list(
    _ status: ConnectionStatus, of user: UserID, after cursor: StoredConnection.Cursor?, limit: Int,
    in db: any Connection
  ) throws -> [StoredConnectionRequest] {
    let condition = SQL.and(
      status == .incoming ? "recipient_id = \(user)" : "requester_id = \(user)",
      cursor.map { "(requested_at, id) < (\($0.since), \($0.id))" }
    )
    return try db.all(
      """
      SELECT \(Self.columns) FROM connection_requests WHERE \(condition)
      ORDER BY requested_at DESC, id DESC LIMIT \(limit)
      """,
      decode
    )
  }

  /// The requests between a user and others, by the other user. Without notes.
  static func pending(of user: UserID, among others: [UserID], in db: any Connection) throws
    -> [UserID: (id: ConnectionID, status: ConnectionStatus)]
  {
    let rows = try db.all(
      """
      SELECT id, recipient_id AS other_id, 'outgoing' AS status FROM connection_requests
      WHERE requester_id = \(user) AND recipient_id IN \(list: others)
      UNION ALL SELECT id, requester_id AS other_id, 'incoming' AS status FROM connection_requests
      WHERE recipient_id = \(user) AND requester_id IN \(list: others)
      """
    ) { row -> (other: UserID, id: ConnectionID, status: ConnectionStatus) in
      (try row["other_id"], try row["id"], try row["status"])
    }
    return Dictionary(rows.map { ($0.other, (id: $0.id, status: $0.status)) }) { first, _ in first }
  }

  private static let columns: SQL = "id, requester_id, recipient_id, note, requested_at"

  private static func between(_ one: UserID, _ other: UserID) -> SQL {
    """
    (requester_id = \(one) AND recipient_id = \(other) OR requester_id = \(other) AND recipient_id = \(one))
    """
  }

  private func decode(_ row: Row) throws -> StoredConnectionRequest {
    let id: ConnectionID = try row["id"]
    let sealed: String? = try row["note"]
    let note = try sealed.map { try keys.open($0, in: Self.noteColumn, row: id.rawValue) }
    return StoredConnectionRequest(
      id: id, requester: try row["requester_id"], recipient: try row["recipient_id"],
      note: note.map { ConnectionNote(checked: String(decoding: $0, as: UTF8.self)) }, at: try row["requested_at"]
    )
  }

  // MARK: writing

  func insert(_ request: StoredConnectionRequest, in tx: Transaction) throws {
    let note = try request.note.map {
      try keys.seal(Array($0.rawValue.utf8), in: Self.noteColumn, row: request.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO connection_requests (id, requester_id, recipient_id, note, requested_at)
      VALUES (\(request.id), \(request.requester), \(request.recipient), \(note), \(request.at))
      """
    )
  }

  /// Deletes the requests between two users, in both directions.
  static func delete(between one: UserID, and other: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM connection_requests WHERE \(between(one, other))")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM connection_requests WHERE requester_id = \(user) OR recipient_id = \(user)")
  }
}
