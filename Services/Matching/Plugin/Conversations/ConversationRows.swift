import Contracts
import Persistence

/// A conversation as one participant's lists show it.
struct ConversationRow: Sendable {
  var id: ConversationID
  var listing: ListingID?
  var lastSequence: Int
  var createdAt: Timestamp
  var isClosed: Bool
  var folder: StoredFolder
  var deliveredTo: Int
  var readTo: Int
  var lastAt: Timestamp
  var unread: Int
  var other: Other?

  struct Other: Sendable {
    var id: UserID
    var folder: StoredFolder
    var deliveredTo: Int
    var readTo: Int
    var showsRead: Bool
    var showsPresence: Bool
  }

  /// Whether both want the conversation, so that each may see what the other does.
  var isMutual: Bool { !isClosed && folder == .inbox && other?.folder == .inbox }

  /// A position in a list by activity.
  struct Cursor: PageCursor {
    var lastAt: Timestamp
    var id: ConversationID

    init(_ row: ConversationRow) { (lastAt, id) = (row.lastAt, row.id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let lastAt = Int64(parts[0]), let id = ConversationID(String(parts[1])) else {
        return nil
      }
      (self.lastAt, self.id) = (Timestamp(microseconds: lastAt), id)
    }

    var cursor: String { "\(lastAt.microseconds)_\(id)" }
  }

  static func list(
    _ folder: Conversation.Folder, of user: UserID, after cursor: Cursor?, limit: Int, in db: any Connection
  )
    throws -> [ConversationRow]
  {
    let condition = SQL.and(
      "p.folder = \(folder) AND p.is_hidden = 0",
      cursor.map { "(p.last_at, p.conversation_id) < (\($0.lastAt), \($0.id))" }
    )
    return try list(of: user, condition, limit: limit, in: db)
  }

  static func get(_ id: ConversationID, of user: UserID, in db: any Connection) throws -> ConversationRow {
    guard let row = try list(of: user, "p.conversation_id = \(id)", limit: 1, in: db).first else {
      throw Problem(.conversationNotFound)
    }
    return row
  }

  /// Every conversation of a user, for the export.
  static func all(of user: UserID, in db: any Connection) throws -> [ConversationRow] {
    try list(of: user, "1 = 1", limit: .max, in: db)
  }

  private static func list(of user: UserID, _ condition: SQL, limit: Int, in db: any Connection) throws
    -> [ConversationRow]
  {
    try db.all(
      """
      SELECT c.id, c.listing_id, c.last_sequence, c.created_at, c.closed_at, p.folder, p.delivered_to, p.read_to,
        p.last_at, \(MessageStore.unread) AS unread, o.user_id AS other_id, o.folder AS other_folder,
        o.delivered_to AS other_delivered, o.read_to AS other_read, s.show_read, s.show_presence
      FROM conversation_participants p JOIN conversations c ON c.id = p.conversation_id
      LEFT JOIN conversation_participants o ON o.conversation_id = p.conversation_id AND o.user_id <> p.user_id
      LEFT JOIN conversation_settings s ON s.user_id = o.user_id
      WHERE p.user_id = \(user) AND \(condition) ORDER BY p.last_at DESC, p.conversation_id DESC LIMIT \(limit)
      """,
      decode
    )
  }

  private static func decode(_ row: Row) throws -> ConversationRow {
    let closedAt: Timestamp? = try row["closed_at"]
    return ConversationRow(
      id: try row["id"], listing: try row["listing_id"], lastSequence: try row["last_sequence"],
      createdAt: try row["created_at"], isClosed: closedAt != nil, folder: try row["folder"],
      deliveredTo: try row["delivered_to"], readTo: try row["read_to"], lastAt: try row["last_at"],
      unread: try row["unread"], other: try decodeOther(row)
    )
  }

  private static func decodeOther(_ row: Row) throws -> Other? {
    // A closed conversation looks the same whether the other has blocked the user or deleted the account.
    guard let id: UserID = try row["other_id"], try row["closed_at"] as Timestamp? == nil else { return nil }
    return Other(
      id: id, folder: try row["other_folder"], deliveredTo: try row["other_delivered"],
      readTo: try row["other_read"], showsRead: try row["show_read"] ?? true,
      showsPresence: try row["show_presence"] ?? true
    )
  }
}
