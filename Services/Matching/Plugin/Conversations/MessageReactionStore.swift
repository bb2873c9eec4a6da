import Contracts
import Persistence

/// Reactions to messages.
enum MessageReactionStore {
  /// The reactions to messages, in the order in which the emoji were first used.
  static func list(of messages: [MessageID], in db: any Connection) throws -> [MessageID: [MessageReaction]] {
    let rows = try db.all(
      """
      SELECT message_id, user_id, emoji FROM message_reactions WHERE message_id IN \(list: messages)
      ORDER BY created_at, user_id
      """
    ) { row -> (message: MessageID, user: UserID, emoji: Emoji) in
      (try row["message_id"], try row["user_id"], try row["emoji"])
    }
    var reactions: [MessageID: [MessageReaction]] = [:]
    for row in rows {
      var list = reactions[row.message] ?? []
      if let index = list.firstIndex(where: { $0.emoji == row.emoji }) {
        list[index].users.append(row.user)
      } else {
        list.append(MessageReaction(emoji: row.emoji, users: [row.user]))
      }
      reactions[row.message] = list
    }
    return reactions
  }

  static func list(by user: UserID, in db: any Connection) throws -> [(message: MessageID, emoji: String)] {
    try db.all("SELECT message_id, emoji FROM message_reactions WHERE user_id = \(user) ORDER BY message_id") { row in
      (try row["message_id"], try row["emoji"])
    }
  }

  static func count(by user: UserID, to message: MessageID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM message_reactions WHERE message_id = \(message) AND user_id = \(user)")
  }

  /// - Returns: `false` when the user has already reacted so.
  static func insert(_ emoji: Emoji, by user: UserID, to message: MessageID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO message_reactions (message_id, user_id, emoji, created_at)
      VALUES (\(message), \(user), \(emoji), \(tx.now)) ON CONFLICT DO NOTHING
      """
    ) == 1
  }

  /// - Returns: `false` when there is no such reaction.
  static func delete(_ emoji: Emoji, by user: UserID, to message: MessageID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      DELETE FROM message_reactions WHERE message_id = \(message) AND user_id = \(user) AND emoji = \(emoji)
      """
    ) == 1
  }

  static func delete(to message: MessageID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM message_reactions WHERE message_id = \(message)")
  }

  /// Deletes a user's reactions, and those to the user's messages in conversations.
  static func erase(_ user: UserID, in conversations: SQL, in tx: Transaction) throws {
    try tx.execute("DELETE FROM message_reactions WHERE user_id = \(user)")
    try tx.execute(
      """
      DELETE FROM message_reactions WHERE message_id IN
        (SELECT id FROM messages WHERE conversation_id IN (\(conversations)) AND author_id = \(user))
      """
    )
  }

  static func delete(of conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM message_reactions WHERE message_id IN
        (SELECT id FROM messages WHERE conversation_id IN (\(conversations)))
      """
    )
  }
}
