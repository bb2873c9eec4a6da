import Contracts
import Persistence

/// The visibility of users in conversations; everything is shown by default.
enum ConversationSettingsStore {
  static func get(_ user: UserID, in db: any Connection) throws -> ConversationSettings {
    try db.first(
      "SELECT show_typing, show_presence, show_read FROM conversation_settings WHERE user_id = \(user)"
    ) { row in
      ConversationSettings(
        showTyping: try row["show_typing"], showPresence: try row["show_presence"], showRead: try row["show_read"]
      )
    } ?? ConversationSettings()
  }

  /// The users who do not show when they are active.
  static func withoutPresence(among users: [UserID], in db: any Connection) throws -> Set<UserID> {
    Set(
      try db.values(
        "SELECT user_id FROM conversation_settings WHERE user_id IN \(list: users) AND show_presence = 0",
        as: UserID.self
      )
    )
  }

  static func put(_ settings: ConversationSettings, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO conversation_settings (user_id, show_typing, show_presence, show_read)
      VALUES (\(user), \(settings.showTyping), \(settings.showPresence), \(settings.showRead))
      ON CONFLICT (user_id) DO UPDATE SET show_typing = excluded.show_typing,
        show_presence = excluded.show_presence, show_read = excluded.show_read
      """
    )
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM conversation_settings WHERE user_id = \(user)")
  }
}
