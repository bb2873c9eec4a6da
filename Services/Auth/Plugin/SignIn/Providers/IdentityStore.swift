import Contracts
import Persistence
import ServiceKit

/// The identities at providers by which users sign in, and the nonces of the ID tokens that they have used.
enum IdentityStore {
  static func find(_ identity: ProviderIdentity, in db: any Connection) throws -> UserID? {
    try db.value("SELECT user_id FROM identities WHERE issuer = \(identity.issuer) AND subject = \(identity.subject)")
  }

  /// A user's identities, oldest first.
  static func identities(of user: UserID, in db: any Connection) throws
    -> [(identity: ProviderIdentity, since: Timestamp)]
  {
    try db.all(
      "SELECT issuer, subject, created_at FROM identities WHERE user_id = \(user) ORDER BY created_at, issuer, subject"
    ) { row in
      (ProviderIdentity(issuer: try row["issuer"], subject: try row["subject"]), try row["created_at"])
    }
  }

  /// A user's identities, for the data export.
  static func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all("SELECT issuer, subject, created_at FROM identities WHERE user_id = \(user)") { row in
      [
        "issuer": .string(try row["issuer"]), "subject": .string(try row["subject"]),
        "since": try JSONValue(row["created_at"] as Timestamp),
      ]
    }
  }

  static func exists(of user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM identities WHERE user_id = \(user) LIMIT 1")
  }

  static func insert(_ identity: ProviderIdentity, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO identities (issuer, subject, user_id, created_at)
      VALUES (\(identity.issuer), \(identity.subject), \(user), \(tx.now))
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM identities WHERE user_id = \(user)")
  }

  static func delete(_ identity: ProviderIdentity, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM identities
      WHERE issuer = \(identity.issuer) AND subject = \(identity.subject) AND user_id = \(user)
      """
    )
  }

  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM identities WHERE user_id = \(user) AND created_at >= \(moment)")
  }

  // MARK: nonces and tokens

  /// - Parameter hash: Of a nonce or of an ID token.
  /// - Returns: `false` when it was used before.
  static func use(_ hash: String, until expiresAt: Timestamp, in tx: Transaction) throws -> Bool {
    try tx.execute(
      "INSERT INTO used_nonces (hash, expires_at) VALUES (\(hash), \(expiresAt)) ON CONFLICT DO NOTHING"
    ) == 1
  }

  static func deleteExpiredNonces(in tx: Transaction) throws {
    try tx.execute("DELETE FROM used_nonces WHERE expires_at < \(tx.now)")
  }
}
