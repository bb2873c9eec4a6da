import Contracts
import Persistence
import ServiceKit

/// Secrets of authenticator apps: confirmed ones, and those that wait for their first code.
struct TOTPStore: Sendable {
  let keys: DataKeys

  static let secretColumn = SealedColumn("totp_secrets", key: "user_id", "secret")
  static let enrolmentColumn = SealedColumn("totp_enrolments", key: "user_id", "secret")

  // MARK: confirmed secrets

  /// Since when a user has an authenticator app.
  static func since(_ user: UserID, in db: any Connection) throws -> Timestamp? {
    try db.value("SELECT created_at FROM totp_secrets WHERE user_id = \(user)")
  }

  /// Accepts a code once: neither it nor that of an earlier step is accepted afterwards.
  func use(_ code: OneTimeCode, of user: UserID, in tx: Transaction) throws -> Bool {
    let sealed = try tx.value("SELECT secret FROM totp_secrets WHERE user_id = \(user)", as: String.self)
    guard let sealed else { return false }
    let totp = TOTP(secret: try keys.open(sealed, in: Self.secretColumn, row: user.rawValue))
    guard let step = totp.step(of: code, at: tx.now) else { return false }
    return try tx.execute(
      "UPDATE totp_secrets SET last_step = \(step) WHERE user_id = \(user) AND last_step < \(step)"
    ) == 1
  }

  static func delete(of user: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM totp_enrolments WHERE user_id = \(user)")
    return try tx.execute("DELETE FROM totp_secrets WHERE user_id = \(user)") == 1
  }

  /// Removes what was set up at a moment or later, and what is being set up.
  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM totp_enrolments WHERE user_id = \(user)")
    return try tx.execute("DELETE FROM totp_secrets WHERE user_id = \(user) AND created_at >= \(moment)")
  }

  // MARK: enrolment

  /// Replaces the user's earlier enrolment.
  func enrol(_ secret: [UInt8], of user: UserCaller, seconds: Double, in tx: Transaction) throws {
    let sealed = try keys.seal(secret, in: Self.enrolmentColumn, row: user.id.rawValue)
    let end = tx.now.advanced(bySeconds: seconds)
    try tx.execute("DELETE FROM totp_enrolments WHERE user_id = \(user.id)")
    try tx.execute(
      """
      INSERT INTO totp_enrolments (user_id, session_id, secret, expires_at)
      VALUES (\(user.id), \(user.sessionID), \(sealed), \(end))
      """
    )
  }

  /// The secret that the session has begun to set up.
  func enrolment(of user: UserCaller, in tx: Transaction) throws -> TOTP? {
    let sealed = try tx.value(
      """
      SELECT secret FROM totp_enrolments
      WHERE user_id = \(user.id) AND session_id = \(user.sessionID) AND expires_at > \(tx.now)
      """,
      as: String.self
    )
    return try sealed.map { TOTP(secret: try keys.open($0, in: Self.enrolmentColumn, row: user.id.rawValue)) }
  }

  /// - Parameter step: That of the code that confirmed it, which is thereby used.
  func confirm(_ totp: TOTP, of user: UserID, step: Int64, in tx: Transaction) throws {
    _ = try Self.delete(of: user, in: tx)
    let sealed = try keys.seal(totp.secret, in: Self.secretColumn, row: user.rawValue)
    try tx.execute(
      """
      INSERT INTO totp_secrets (user_id, secret, last_step, created_at)
      VALUES (\(user), \(sealed), \(step), \(tx.now))
      """
    )
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM totp_enrolments WHERE expires_at < \(tx.now)")
  }
}
