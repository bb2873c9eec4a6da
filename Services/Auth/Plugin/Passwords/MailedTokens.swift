import Contracts
import Crypto
import Persistence
import ServiceKit

/// Tokens that are mailed to prove who reads an address: 256 random bits, kept as a hash, for one purpose, once.
struct MailedTokens: Sendable {
  let keys: DataKeys

  enum Purpose: String, Sendable { case verifyEmail, changeEmail, resetPassword }

  /// What a token proves.
  struct Proof: Sendable {
    var userID: UserID
    /// The address that the token was sent to.
    var address: String
  }

  static let addressColumn = SealedColumn("mailed_tokens", key: "hash", "address")

  /// Makes a token; earlier ones of the purpose are void.
  func issue(_ purpose: Purpose, for user: UserID, to address: String, seconds: Double, in tx: Transaction) throws
    -> String
  {
    let token = Base64URL.encode(SecureBytes.random(32))
    let hash = Self.hash(token, purpose)
    try tx.execute("DELETE FROM mailed_tokens WHERE user_id = \(user) AND purpose = \(purpose.rawValue)")
    try tx.execute(
      """
      INSERT INTO mailed_tokens (hash, purpose, user_id, address, expires_at)
      VALUES (\(hash), \(purpose.rawValue), \(user),
              \(keys.seal(Array(address.utf8), in: Self.addressColumn, row: hash)), \(tx.now.advanced(bySeconds: seconds)))
      """
    )
    return token
  }

  /// Makes every token of a user void.
  func forget(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM mailed_tokens WHERE user_id = \(user)")
  }

  /// Uses a token up; its effect belongs into the same transaction, after this.
  /// - Returns: `nil` when it is unknown, of another purpose, used or expired.
  func consume(_ token: String, _ purpose: Purpose, in tx: Transaction) throws -> Proof? {
    let hash = Self.hash(token, purpose)
    let found = try tx.first(
      "SELECT user_id, address, expires_at FROM mailed_tokens WHERE hash = \(hash) AND purpose = \(purpose.rawValue)"
    ) { row -> (user: UserID, address: String, until: Timestamp) in (try row[0], try row[1], try row[2]) }
    guard let found, try tx.execute("DELETE FROM mailed_tokens WHERE hash = \(hash)") == 1, found.until > tx.now else {
      return nil
    }
    let address = try keys.open(found.address, in: Self.addressColumn, row: hash)
    return Proof(userID: found.user, address: String(decoding: address, as: UTF8.self))
  }

  /// The purpose is part of what is hashed, so that a token is worth nothing elsewhere.
  private static func hash(_ token: String, _ purpose: Purpose) -> String {
    Base64URL.encode(SHA256.hash(data: Array("\(purpose.rawValue)\n\(token)".utf8)))
  }
}
