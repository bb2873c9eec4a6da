import Contracts
import Crypto
import Persistence
import ServiceKit

/// Recovery codes of 120 random bits, stored as hashes; a used one is deleted.
enum RecoveryCodeStore {
  static let count = 10

  static func left(of user: UserID, in db: any Connection) throws -> Int {
    Int(try db.value("SELECT COUNT(*) FROM recovery_codes WHERE user_id = \(user)", as: Int64.self) ?? 0)
  }

  /// Replaces the user's codes.
  /// - Returns: The codes as they are shown, once.
  static func replace(of user: UserID, in tx: Transaction) throws -> [String] {
    try delete(of: user, in: tx)
    return try (0..<count).map { _ in
      let code = Base32.encode(SecureBytes.random(15)).lowercased()
      try tx.execute(
        "INSERT INTO recovery_codes (user_id, hash, created_at) VALUES (\(user), \(hash(code, user)), \(tx.now))")
      return shown(code)
    }
  }

  /// Accepts a code once.
  static func use(_ code: RecoveryCode, of user: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM recovery_codes WHERE user_id = \(user) AND hash = \(hash(code.rawValue, user))") == 1
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM recovery_codes WHERE user_id = \(user)")
  }

  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM recovery_codes WHERE user_id = \(user) AND created_at >= \(moment)")
  }

  /// In groups of four, which are easier to copy.
  private static func shown(_ code: String) -> String {
    let letters = Array(code)
    return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
      .joined(separator: "-")
  }

  /// The codes have more than 112 random bits, so a fast hash is sufficient (ASVS 6.5.2).
  private static func hash(_ code: String, _ user: UserID) -> String {
    Base64URL.encode(SHA256.hash(data: Array("recovery\n\(user)\n\(code)".utf8)))
  }
}
