import Contracts
import Crypto
import Persistence
import ServiceKit

/// Single-use tokens sent by e-mail to verify control of an address: 256 random bits, stored as a hash, bound to one
/// purpose.
struct EmailTokenStore: Sendable {
  let keys: DataKeys

  enum Purpose: String, Sendable { case verifyEmail, changeEmail, resetPassword }

  /// The claim that a token proves.
  struct Proof: Sendable {
    var purpose: Purpose
    var userID: UserID
    /// The address that the token was sent to.
    var address: String
  }

  static let addressColumn = SealedColumn("mailed_tokens", key: "hash", "address")

  /// Issues a token and invalidates the user's earlier tokens for the same purpose.
  func issue(_ purpose: Purpose, for user: UserID, to address: String, seconds: Double, in tx: Transaction) throws
    -> String
  {
    let token = Base64URL.encode(SecureBytes.random(32))
    let hash = Self.hash(token, purpose)
    try tx.execute("DELETE FROM mailed_tokens WHERE user_id = \(user) AND purpose = \(purpose)")
    try tx.execute(
      """
      INSERT INTO mailed_tokens (hash, purpose, user_id, address, expires_at)
      VALUES (\(hash), \(purpose), \(user),
              \(keys.seal(Array(address.utf8), in: Self.addressColumn, row: hash)), \(tx.now.advanced(bySeconds: seconds)))
      """
    )
    return token
  }

  /// Invalidates every token of a user.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM mailed_tokens WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM mailed_tokens WHERE expires_at < \(tx.now)")
  }

  /// The user of a token that verifies an address, which is not consumed.
  func findUser(_ token: String, in db: any Connection) throws -> UserID? {
    let hashes = [Purpose.verifyEmail, .changeEmail].map { Self.hash(token, $0) }
    return try db.value("SELECT user_id FROM mailed_tokens WHERE hash IN \(list: hashes)")
  }

  /// Whether a token was issued for that purpose, and is neither used nor expired.
  func isValid(_ token: String, _ purpose: Purpose, at now: Timestamp, in db: any Connection) throws -> Bool {
    let hash = Self.hash(token, purpose)
    return try db.exists(
      "SELECT 1 FROM mailed_tokens WHERE hash = \(hash) AND purpose = \(purpose) AND expires_at > \(now)")
  }

  /// Consumes a token. Its effect must follow in the same transaction.
  /// - Returns: `nil` when the token is unknown, issued for another purpose, used or expired.
  func consume(_ token: String, _ purpose: Purpose, in tx: Transaction) throws -> Proof? {
    let hash = Self.hash(token, purpose)
    let found = try tx.first(
      "SELECT user_id, address, expires_at FROM mailed_tokens WHERE hash = \(hash) AND purpose = \(purpose)"
    ) { row -> (user: UserID, address: String, until: Timestamp) in
      (try row["user_id"], try row["address"], try row["expires_at"])
    }
    guard let found, try tx.execute("DELETE FROM mailed_tokens WHERE hash = \(hash)") == 1, found.until > tx.now else {
      return nil
    }
    let address = try keys.open(found.address, in: Self.addressColumn, row: hash)
    return Proof(purpose: purpose, userID: found.user, address: String(decoding: address, as: UTF8.self))
  }

  /// The hash covers the purpose, so that a token is not valid for any other purpose.
  private static func hash(_ token: String, _ purpose: Purpose) -> String {
    Base64URL.encode(SHA256.hash(data: Array("\(purpose.rawValue)\n\(token)".utf8)))
  }
}
