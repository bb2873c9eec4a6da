import Contracts
import Crypto
import Persistence
import ServiceKit

/// Challenges of passkey ceremonies: 256 random bits, stored as a hash that covers what they are for, used once.
enum PasskeyChallengeStore {
  static let lifetime = 300.0

  /// The purpose of a challenge, and who may answer it.
  enum Purpose: Sendable {
    case registration(SessionID)
    /// A sign-in by anyone who has a passkey.
    case logIn
    /// The second step of a sign-in, by the hash of its ticket.
    case secondStep(String)
    case proof(SessionID)

    fileprivate var name: String {
      switch self {
      case .registration: "registration"
      case .logIn: "logIn"
      case .secondStep: "secondStep"
      case .proof: "proof"
      }
    }

    fileprivate var subject: String {
      switch self {
      case .registration(let session), .proof(let session): session.rawValue
      case .logIn: ""
      case .secondStep(let hash): hash
      }
    }
  }

  static func issue(_ purpose: Purpose, in tx: Transaction) throws -> WebAuthnBytes {
    let challenge = SecureBytes.random(32)
    try tx.execute(
      """
      INSERT INTO passkey_challenges (hash, purpose, subject, expires_at)
      VALUES (\(hash(challenge, purpose)), \(purpose.name), \(purpose.subject), \(tx.now.advanced(bySeconds: lifetime)))
      """
    )
    return WebAuthnBytes(checked: Base64URL.encode(challenge))
  }

  /// - Returns: `false` when the challenge is unknown, for something or someone else, used or expired.
  static func consume(_ challenge: [UInt8], _ purpose: Purpose, in tx: Transaction) throws -> Bool {
    try take(challenge, purpose, in: tx) != nil
  }

  /// Consumes a challenge.
  /// - Returns: When it was issued.
  static func take(_ challenge: [UInt8], _ purpose: Purpose, in tx: Transaction) throws -> Timestamp? {
    let hash = Self.hash(challenge, purpose)
    let expiry: Timestamp? = try tx.value(
      "SELECT expires_at FROM passkey_challenges WHERE hash = \(hash) AND expires_at > \(tx.now)")
    guard let expiry, try tx.execute("DELETE FROM passkey_challenges WHERE hash = \(hash)") == 1 else { return nil }
    return expiry.advanced(bySeconds: -lifetime)
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM passkey_challenges WHERE expires_at < \(tx.now)")
  }

  private static func hash(_ challenge: [UInt8], _ purpose: Purpose) -> String {
    let context = "passkey\n\(purpose.name)\n\(purpose.subject)\n"
    return Base64URL.encode(SHA256.hash(data: Array(context.utf8) + challenge))
  }
}
