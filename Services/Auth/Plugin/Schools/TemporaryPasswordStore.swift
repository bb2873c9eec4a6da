import Contracts
import Persistence
import ServiceKit

/// The accounts with a temporary password, which only serves to choose another one. The password itself is stored as
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

  /// - Parameter staff: Who gets to know the password.
  static func put(for user: UserID, by staff: UserID, until expiry: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO temporary_passwords (user_id, expires_at, issued_by) VALUES (\(user), \(expiry), \(staff))
      ON CONFLICT (user_id) DO UPDATE SET expires_at = excluded.expires_at, issued_by = excluded.issued_by
      """
    )
  }

  /// Expires the passwords of a school's members that someone knows who is no longer of its staff, and those whose issuer
  /// has deleted the account. The rows stay, because without them the passwords would sign in.
  ///
  /// - Returns: Whose passwords they were.
  static func revoke(issuedBy staff: UserID, at school: SchoolID, in tx: Transaction) throws -> [UserID] {
    let users = try tx.values(
      """
      SELECT user_id FROM temporary_passwords
      WHERE user_id IN (SELECT user_id FROM school_members WHERE school_id = \(school))
        AND (issued_by IS NULL OR issued_by = \(staff)) AND expires_at > \(tx.now)
      ORDER BY user_id
      """,
      as: UserID.self)
    try expire(users, in: tx)
    return users
  }

  /// Expires the passwords that someone has issued at any school, because it may have been someone else in the account.
  ///
  /// - Parameter moment: Passwords that were issued before it stay; `nil` for none.
  /// - Returns: Whose passwords they were.
  static func revoke(issuedBy staff: UserID, since moment: Timestamp?, in tx: Transaction) throws -> [UserID] {
    // The moment of issue is not stored, but it is always as long before the end.
    let filter = SQL.and(
      "issued_by = \(staff) AND expires_at > \(tx.now)",
      moment.map { "expires_at >= \($0.advanced(bySeconds: lifetime))" })
    let users = try tx.values(
      "SELECT user_id FROM temporary_passwords WHERE \(filter) ORDER BY user_id", as: UserID.self)
    try expire(users, in: tx)
    return users
  }

  private static func expire(_ users: [UserID], in tx: Transaction) throws {
    for user in users {
      try tx.execute("UPDATE temporary_passwords SET expires_at = \(tx.now) WHERE user_id = \(user)")
    }
  }

  /// Forgets who has issued passwords.
  static func forgetIssuer(_ staff: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE temporary_passwords SET issued_by = NULL WHERE issued_by = \(staff)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM temporary_passwords WHERE user_id = \(user)")
  }
}
