import Contracts
import Persistence
import ServiceKit

/// A message as stored. Its text stays encrypted until ``MessageStore/open(_:)``, outside the transaction.
struct StoredMessage: Sendable {
  /// Without text and reactions.
  var message: Message
  var sealedText: String?
  /// A keyed hash of the content as it was sent; gone when the message is deleted.
  var fingerprint: String?
  /// Whether the conversation is closed.
  var isClosed = false
}

/// Messages in the database, with their texts encrypted.
struct MessageStore: Sendable {
  let keys: DataKeys

  static let textColumn = SealedColumn("messages", "text")

  func seal(_ text: MessageText?, of id: MessageID) throws -> String? {
    try text.map { try keys.seal(Array($0.rawValue.utf8), in: Self.textColumn, row: id.rawValue) }
  }

  /// The message with its text.
  func open(_ stored: StoredMessage) throws -> Message {
    var message = stored.message
    message.text = try stored.sealedText.map {
      String(decoding: try keys.open($0, in: Self.textColumn, row: message.id.rawValue), as: UTF8.self)
    }
    return message
  }

  /// The message with its text as a participant sees it: in a closed conversation without the identity of the other,
  /// as after the other's account was deleted.
  func open(_ stored: StoredMessage, for viewer: UserID) throws -> Message {
    var message = try open(stored)
    if stored.isClosed, message.authorID != viewer { message.authorID = nil }
    return message
  }

  /// Distinguishes a repeated request from one with other content, also after the message was edited.
  func fingerprint(_ text: MessageText?, _ media: [MediaID], _ replyTo: MessageID?) -> String {
    let parts = [replyTo?.rawValue ?? ""] + media.map(\.rawValue) + ["", text?.rawValue ?? ""]
    return keys.lookup(parts.joined(separator: "\n"), for: "messages.content")
  }

  // MARK: reading

  /// - Parameter now: Pending offers whose time has passed are expired.
  static func list(_ condition: SQL, _ order: SQL, limit: Int, at now: Timestamp, in db: any Connection) throws
    -> [StoredMessage]
  {
    try db.all(
      """
      SELECT m.id, m.conversation_id, m.sequence, m.author_id, m.kind, m.text, m.media, m.reply_to, m.fingerprint,
        m.sent_at, m.edited_at, m.deleted_at, o.offer_id, o.listing_id, o.status, o.amount, o.currency, o.made_by,
        o.expires_at, c.closed_at
      FROM messages m JOIN conversations c ON c.id = m.conversation_id LEFT JOIN offer_cards o ON o.message_id = m.id
      WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { try decode($0, at: now) }
  }

  static func find(_ id: MessageID, at now: Timestamp, in db: any Connection) throws -> StoredMessage? {
    try list("m.id = \(id)", "m.id", limit: 1, at: now, in: db).first
  }

  /// A message of a conversation that is not deleted.
  static func get(_ id: MessageID, of conversation: ConversationID, at now: Timestamp, in db: any Connection) throws
    -> StoredMessage
  {
    guard let stored = try find(id, at: now, in: db), stored.message.conversationID == conversation,
      !stored.message.isDeleted
    else { throw Problem(.messageNotFound) }
    return stored
  }

  static func exists(_ id: MessageID, in conversation: ConversationID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM messages WHERE id = \(id) AND conversation_id = \(conversation)")
  }

  /// The latest messages of conversations.
  static func latest(of conversations: [ConversationID], at now: Timestamp, in db: any Connection) throws
    -> [StoredMessage]
  {
    let condition: SQL = """
      (m.conversation_id, m.sequence) IN (SELECT id, last_sequence FROM conversations WHERE id IN \(list: conversations))
      """
    return try list(condition, "m.id", limit: conversations.count, at: now, in: db)
  }

  private static func decode(_ row: Row, at now: Timestamp) throws -> StoredMessage {
    let (id, conversation): (MessageID, ConversationID) = (try row["id"], try row["conversation_id"])
    let (sequence, author): (Int, UserID?) = (try row["sequence"], try row["author_id"])
    let (kind, text): (Message.Kind, String?) = (try row["kind"], try row["text"])
    let (media, replyTo): ([MediaID], MessageID?) = (try row[words: "media"], try row["reply_to"])
    let fingerprint: String? = try row["fingerprint"]
    let (sentAt, editedAt): (Timestamp, Timestamp?) = (try row["sent_at"], try row["edited_at"])
    let (deletedAt, closedAt): (Timestamp?, Timestamp?) = (try row["deleted_at"], try row["closed_at"])
    let message = Message(
      id: id, conversationID: conversation, sequence: sequence, authorID: author, kind: kind, media: media,
      replyTo: replyTo, offer: try OfferCardStore.decode(row, at: now), sentAt: sentAt, editedAt: editedAt,
      isDeleted: deletedAt != nil
    )
    return StoredMessage(
      message: message, sealedText: text, fingerprint: fingerprint, isClosed: closedAt != nil)
  }

  /// The number of unread messages of a participant `p` of a conversation `c`. A text that one sends is read, so only
  /// deleted messages and one's own offers lie after the marker without counting; an index holds those.
  static let unread: SQL = """
    c.last_sequence - p.read_to - (
      SELECT COUNT(*) FROM messages u
      WHERE u.conversation_id = p.conversation_id AND u.sequence > p.read_to
        AND (u.deleted_at IS NOT NULL OR u.kind = 'offer')
        AND (u.deleted_at IS NOT NULL OR u.author_id = p.user_id))
    """

  static func unread(_ id: ConversationID, by user: UserID, in db: any Connection) throws -> Int {
    try db.count(
      """
      SELECT \(unread) AS unread FROM conversation_participants p JOIN conversations c ON c.id = p.conversation_id
      WHERE p.conversation_id = \(id) AND p.user_id = \(user)
      """
    )
  }

  /// Messages of conversations that have media.
  ///
  /// - Parameter author: Only the messages of this user.
  static func withMedia(in conversations: SQL, by author: UserID? = nil, _ db: any Connection) throws -> [MessageID] {
    let condition = SQL.and(
      "conversation_id IN (\(conversations))", "media <> ''", author.map { "author_id = \($0)" })
    return try db.values("SELECT id FROM messages WHERE \(condition) ORDER BY id")
  }

  // MARK: writing

  /// - Returns: `false` when the id is in use.
  static func insert(_ stored: StoredMessage, in tx: Transaction) throws -> Bool {
    let message = stored.message
    return try tx.execute(
      """
      INSERT INTO messages
        (id, conversation_id, sequence, author_id, kind, text, media, reply_to, fingerprint, sent_at)
      VALUES (\(message.id), \(message.conversationID), \(message.sequence), \(message.authorID), \(message.kind),
              \(stored.sealedText), \(words: message.media), \(message.replyTo), \(stored.fingerprint),
              \(message.sentAt))
      ON CONFLICT (id) DO NOTHING
      """
    ) == 1
  }

  static func edit(_ id: MessageID, text: String?, in tx: Transaction) throws {
    try tx.execute("UPDATE messages SET text = \(text), edited_at = \(tx.now) WHERE id = \(id)")
  }

  /// Removes the content; the number in the sequence stays.
  static func delete(_ id: MessageID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE messages SET text = NULL, media = '', reply_to = NULL, fingerprint = NULL, deleted_at = \(tx.now)
      WHERE id = \(id)
      """
    )
  }

  /// Removes content and author of all messages of a user in conversations.
  static func erase(_ user: UserID, in conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE messages SET text = NULL, media = '', reply_to = NULL, fingerprint = NULL, author_id = NULL,
        edited_at = NULL, deleted_at = \(tx.now)
      WHERE conversation_id IN (\(conversations)) AND author_id = \(user)
      """
    )
  }

  static func delete(of conversations: SQL, in tx: Transaction) throws {
    try tx.execute("DELETE FROM messages WHERE conversation_id IN (\(conversations))")
  }
}
