import Contracts
import Persistence
import ServiceKit

/// The contact data of users' payments, encrypted.
struct PaymentSettingsStore: Sendable {
  let keys: DataKeys

  static let contactColumn = SealedColumn("payment_settings", key: "user_id", "contact")

  func find(_ user: UserID, in db: any Connection) throws -> PaymentSettings? {
    try db.value("SELECT contact FROM payment_settings WHERE user_id = \(user)", as: String.self).map { sealed in
      try WireJSON.decode(
        PaymentSettings.self, from: keys.open(sealed, in: Self.contactColumn, row: user.rawValue))
    }
  }

  func save(_ settings: PaymentSettings, of user: UserID, in tx: Transaction) throws {
    let sealed = try keys.seal(WireJSON.encode(settings), in: Self.contactColumn, row: user.rawValue)
    try tx.execute(
      """
      INSERT INTO payment_settings (user_id, contact) VALUES (\(user), \(sealed))
      ON CONFLICT (user_id) DO UPDATE SET contact = excluded.contact
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_settings WHERE user_id = \(user)")
  }
}
