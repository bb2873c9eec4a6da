import Contracts
import Persistence

/// Users' settings: one row per user, with the settings as JSON.
enum PreferenceStore {
  static func find(_ user: UserID, in db: any Connection) throws -> UserSettings {
    let found = try db.first("SELECT settings, version FROM user_settings WHERE user_id = \(user)") {
      row -> UserSettings in
      let stored: AuthAPI.PutSettings = try row[json: "settings"]
      return stored.settings(version: try row["version"])
    }
    return found ?? UserSettings()
  }

  static func save(_ settings: AuthAPI.PutSettings, version: Int, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO user_settings (user_id, settings, version) VALUES (\(user), \(json: settings), \(version))
      ON CONFLICT (user_id) DO UPDATE SET settings = excluded.settings, version = excluded.version
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM user_settings WHERE user_id = \(user)")
  }
}
