import Contracts
import Persistence
import ServiceKit

/// Which accounts have a temporary password, which only serves to choose another one. The password itself is stored as
/// the account's, as a hash.
enum TemporaryPasswordStore {
  /// How long a temporary password is valid, in seconds.
  static let lifetime = 14 * 86_400.0

  /// 80 random bits in groups of letters and digits that are not taken for each other.
  static func make() -> String {
    let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
    let characters = SecureBytes.random(16).map { letters[Int($0) % letters.count] }
    return stride(from: 0, to: 16, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  static func expiry(of user: UserID, in db: any Connection) throws -> Timestamp? {
    try db.value("SELECT expires_at FROM temporary_passwords WHERE user_id = \(user)")
  }

  /// - Throws: ``Problem`` `password-change-required` when the account's password is temporary.
  static func requireNone(of user: UserID, in db: any Connection) throws {
    guard try expiry(of: user, in: db) == nil else { throw Problem(.passwordChangeRequired) }
  }

  static func among(_ users: [UserID], in db: any Connection) throws -> Set<UserID> {
    guard !users.isEmpty else { return [] }
    return Set(
      try db.values("SELECT user_id FROM temporary_passwords WHERE user_id IN \(list: users)", as: UserID.self))
  }

  static func put(for user: UserID, until expiry: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO temporary_passwords (user_id, expires_at) VALUES (\(user), \(expiry))
      ON CONFLICT (user_id) DO UPDATE SET expires_at = excluded.expires_at
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM temporary_passwords WHERE user_id = \(user)")
  }
}
