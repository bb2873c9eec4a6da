import Contracts
import Persistence

/// The folder in which a participant finds a conversation.
enum StoredFolder: String, Sendable {
  case inbox, requests
  /// A request that the recipient has deleted.
  case declined

  var folder: Conversation.Folder { self == .inbox ? .inbox : .requests }
}

/// A conversation as one of its participants stands to it, for writing.
struct Participation: Sendable {
  var conversation: ConversationID
  var lastSequence: Int
  var isClosed: Bool
  var folder: StoredFolder
  var deliveredTo: Int
  var readTo: Int
  /// The other participant, until their account is deleted.
  var other: UserID?
  var otherFolder: StoredFolder?
  /// When the other participant was last sent a push notification about this conversation.
  var otherPushedAt: Timestamp
  /// Whether the message that was asked for exists, in any conversation.
  var hasMessage: Bool

  /// Whether both want the conversation, so that each may see what the other does.
  var isMutual: Bool { !isClosed && folder == .inbox && otherFolder == .inbox }

  /// The users who receive events about the conversation besides the participant.
  var recipients: [UserID] { otherFolder == .declined ? [] : other.map { [$0] } ?? [] }

  func requireOpen() throws(Problem) { if isClosed { throw Problem(.conversationClosed) } }
}

/// The participants of conversations: folders, markers and activity.
enum ParticipantStore {
  // MARK: reading

  /// - Parameter message: Is looked up in the same statement.
  static func find(_ id: ConversationID, of user: UserID, message: MessageID? = nil, in db: any Connection) throws
    -> Participation?
  {
    try db.first(
      """
      SELECT c.last_sequence, c.closed_at, p.folder, p.delivered_to, p.read_to, o.user_id AS other_id,
        o.folder AS other_folder, o.pushed_at AS other_pushed_at, m.sequence AS known_sequence
      FROM conversation_participants p JOIN conversations c ON c.id = p.conversation_id
      LEFT JOIN conversation_participants o ON o.conversation_id = p.conversation_id AND o.user_id <> p.user_id
      LEFT JOIN messages m ON m.id = \(message)
      WHERE p.conversation_id = \(id) AND p.user_id = \(user)
      """
    ) { row in
      let (lastSequence, closedAt): (Int, Timestamp?) = (try row["last_sequence"], try row["closed_at"])
      return Participation(
        conversation: id, lastSequence: lastSequence, isClosed: closedAt != nil, folder: try row["folder"],
        deliveredTo: try row["delivered_to"], readTo: try row["read_to"], other: try row["other_id"],
        otherFolder: try row["other_folder"],
        otherPushedAt: try row["other_pushed_at"] ?? Timestamp(microseconds: 0),
        hasMessage: try row["known_sequence"] as Int? != nil
      )
    }
  }

  static func get(_ id: ConversationID, of user: UserID, message: MessageID? = nil, in db: any Connection) throws
    -> Participation
  {
    guard let participation = try find(id, of: user, message: message, in: db) else {
      throw Problem(.conversationNotFound)
    }
    return participation
  }

  /// A subquery of the open conversations of two users.
  static func shared(by one: UserID, and other: UserID) -> SQL {
    "SELECT c.id \(openConversations(of: one, and: other))"
  }

  /// The open conversations of two users; with `a` for what the first one has of each, and `b` for the other.
  private static func openConversations(of one: UserID, and other: UserID) -> SQL {
    """
    FROM conversation_participants a
    JOIN conversation_participants b ON b.conversation_id = a.conversation_id AND b.user_id = \(other)
    JOIN conversations c ON c.id = a.conversation_id
    WHERE a.user_id = \(one) AND c.closed_at IS NULL
    """
  }

  /// The number of messages in the requests of a user that another has not answered.
  static func requested(by user: UserID, from other: UserID, in db: any Connection) throws -> Int {
    try db.count(
      """
      SELECT CAST(COALESCE(SUM(c.last_sequence), 0) AS BIGINT) \(openConversations(of: user, and: other))
        AND a.folder = 'inbox' AND b.folder <> 'inbox'
      """
    )
  }

  /// Whether a user has deleted a request of another.
  static func hasDeclined(_ user: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 \(openConversations(of: other, and: user)) AND b.folder = 'declined'")
  }

  /// A subquery of a user's conversations.
  static func all(of user: UserID) -> SQL {
    "SELECT conversation_id FROM conversation_participants WHERE user_id = \(user)"
  }

  /// A subquery of the conversations in which the user is alone.
  static func alone(_ user: UserID) -> SQL {
    """
    SELECT p.conversation_id FROM conversation_participants p WHERE p.user_id = \(user) AND NOT EXISTS (
      SELECT 1 FROM conversation_participants o WHERE o.conversation_id = p.conversation_id AND o.user_id <> p.user_id)
    """
  }

  /// The open conversations whose events the user may receive.
  static func readable(_ ids: [ConversationID], by user: UserID, in db: any Connection) throws -> Set<ConversationID> {
    Set(
      try db.values(
        """
        SELECT p.conversation_id FROM conversation_participants p JOIN conversations c ON c.id = p.conversation_id
        WHERE p.user_id = \(user) AND p.conversation_id IN \(list: ids) AND p.folder <> 'declined'
          AND c.closed_at IS NULL
        """,
        as: ConversationID.self
      )
    )
  }

  /// The users with whom the user has a conversation that both want.
  static func partners(of user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        """
        SELECT o.user_id FROM conversation_participants p
        JOIN conversation_participants o ON o.conversation_id = p.conversation_id AND o.user_id IN \(list: ids)
        JOIN conversations c ON c.id = p.conversation_id
        WHERE p.user_id = \(user) AND p.folder = 'inbox' AND o.folder = 'inbox' AND c.closed_at IS NULL
        """,
        as: UserID.self
      )
    )
  }

  // MARK: writing

  static func insert(_ user: UserID, _ folder: StoredFolder, isHidden: Bool, to id: ConversationID, in tx: Transaction)
    throws
  {
    try tx.execute(
      """
      INSERT INTO conversation_participants
        (conversation_id, user_id, folder, is_hidden, delivered_to, read_to, last_at, pushed_at)
      VALUES (\(id), \(user), \(folder), \(isHidden), 0, 0, \(tx.now), 0)
      """
    )
  }

  /// A message was sent: its author has read up to it, and a request that the author answers is accepted.
  ///
  /// - Parameter pushedAt: When the other participant was last sent a push notification.
  static func sent(
    _ sequence: Int, by author: UserID, to id: ConversationID, pushedAt: Timestamp, in tx: Transaction
  ) throws {
    try tx.execute(
      """
      UPDATE conversation_participants SET last_at = \(tx.now), is_hidden = 0,
        delivered_to = CASE WHEN user_id = \(author) THEN \(sequence) ELSE delivered_to END,
        read_to = CASE WHEN user_id = \(author) THEN \(sequence) ELSE read_to END,
        folder = CASE WHEN user_id = \(author) THEN 'inbox' ELSE folder END,
        pushed_at = CASE WHEN user_id = \(author) THEN pushed_at ELSE \(pushedAt) END
      WHERE conversation_id = \(id)
      """
    )
  }

  /// An offer was made: a request is one no longer for its author. The recipient decides by an answer.
  static func placedOffer(by author: UserID, in id: ConversationID, pushedAt: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE conversation_participants SET last_at = \(tx.now), is_hidden = 0,
        folder = CASE WHEN user_id = \(author) THEN 'inbox' ELSE folder END,
        pushed_at = CASE WHEN user_id = \(author) THEN pushed_at ELSE \(pushedAt) END
      WHERE conversation_id = \(id)
      """
    )
  }

  /// Moves a conversation to the inboxes of its participants; only to that of the user when one is given.
  static func accept(_ id: ConversationID, by user: UserID? = nil, in tx: Transaction) throws {
    let condition = SQL.and("conversation_id = \(id)", user.map { "user_id = \($0)" })
    try tx.execute("UPDATE conversation_participants SET folder = 'inbox' WHERE \(condition) AND folder <> 'inbox'")
  }

  /// Moves the conversations of a subquery to the inboxes of their participants.
  static func accept(_ conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE conversation_participants SET folder = 'inbox'
      WHERE conversation_id IN (\(conversations)) AND folder <> 'inbox'
      """
    )
  }

  static func show(_ id: ConversationID, to user: UserID, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE conversation_participants SET is_hidden = 0 WHERE conversation_id = \(id) AND user_id = \(user)")
  }

  static func hide(_ id: ConversationID, from user: UserID, as folder: StoredFolder, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE conversation_participants SET is_hidden = 1, folder = \(folder)
      WHERE conversation_id = \(id) AND user_id = \(user)
      """
    )
  }

  /// Stores markers that have moved forward.
  static func mark(_ participation: Participation, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE conversation_participants SET delivered_to = \(participation.deliveredTo), read_to = \(participation.readTo)
      WHERE conversation_id = \(participation.conversation) AND user_id = \(user)
      """
    )
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM conversation_participants WHERE user_id = \(user)")
  }
}
