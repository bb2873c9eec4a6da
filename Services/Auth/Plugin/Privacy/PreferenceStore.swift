import Contracts
import Persistence

/// Users' settings: one row per user, with the settings as JSON.
enum PreferenceStore {
  static func find(_ user: UserID, in db: any Connection) throws -> VersionedSettings {
    let found = try db.first("SELECT settings, version FROM user_settings WHERE user_id = \(user)") { row in
      VersionedSettings(try row[json: "settings"], version: try row["version"])
    }
    return found ?? VersionedSettings(UserSettings(), version: 0)
  }

  static func save(_ new: VersionedSettings, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO user_settings (user_id, settings, version) VALUES (\(user), \(json: new.settings), \(new.version))
      ON CONFLICT (user_id) DO UPDATE SET settings = excluded.settings, version = excluded.version
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM user_settings WHERE user_id = \(user)")
  }
}
