import Contracts
import Crypto
import Persistence
import ServiceKit

/// The tokens by which users say that a sign-in was not theirs: 256 random bits, stored as a hash.
struct SignInReportStore: Sendable {
  let keys: DataKeys

  static let addressColumn = SealedColumn("sign_in_reports", key: "hash", "address")

  /// What a token is about.
  struct Report: Sendable {
    var user: UserID
    /// The address that the report was mailed to.
    var address: String?
    /// When the first of the sign-ins was made that are reported and not denied; `nil` when it is not known.
    var earliest: Timestamp?
  }

  /// Earlier reports stay valid: who signs in often must not be able to take their effect away.
  func issue(
    for user: UserID, mailedTo address: String?, signedInAt: Timestamp, seconds: Double, in tx: Transaction
  ) throws -> String {
    let token = Base64URL.encode(SecureBytes.random(32))
    let hash = Self.hash(token)
    let sealed = try address.map { try keys.seal(Array($0.utf8), in: Self.addressColumn, row: hash) }
    try tx.execute(
      """
      INSERT INTO sign_in_reports (hash, user_id, address, signed_in_at, expires_at)
      VALUES (\(hash), \(user), \(sealed), \(signedInAt), \(tx.now.advanced(bySeconds: seconds)))
      """
    )
    return token
  }

  /// Consumes a token and with it all others of the user. Its effect must follow in the same transaction.
  /// - Returns: `nil` when the token is unknown, used or expired.
  func consume(_ token: String, in tx: Transaction) throws -> Report? {
    let hash = Self.hash(token)
    let found = try tx.first("SELECT user_id, address, expires_at FROM sign_in_reports WHERE hash = \(hash)") {
      row -> (user: UserID, address: String?, until: Timestamp) in
      (try row["user_id"], try row["address"], try row["expires_at"])
    }
    let earliest = try found.flatMap { try Self.earliest(of: $0.user, in: tx) }
    guard let found, try tx.execute("DELETE FROM sign_in_reports WHERE hash = \(hash)") == 1, found.until > tx.now
    else { return nil }
    try Self.delete(of: found.user, in: tx)
    let address = try found.address.map { try open($0, hash) }
    return Report(user: found.user, address: address, earliest: earliest)
  }

  /// When the first of a user's reported sign-ins was made: who signs in again must not keep what they added before.
  static func earliest(of user: UserID, in tx: Transaction) throws -> Timestamp? {
    try tx.value(
      """
      SELECT signed_in_at FROM sign_in_reports WHERE user_id = \(user) AND signed_in_at IS NOT NULL AND expires_at > \(tx.now)
      ORDER BY signed_in_at LIMIT 1
      """,
      as: Timestamp.self
    )
  }

  /// Deletes the reports that went to an address.
  func delete(of user: UserID, mailedTo address: String, in tx: Transaction) throws {
    let all = try tx.all("SELECT hash, address FROM sign_in_reports WHERE user_id = \(user) AND address IS NOT NULL") {
      row -> (hash: String, address: String) in (try row["hash"], try row["address"])
    }
    for report in all where try open(report.address, report.hash) == address {
      try tx.execute("DELETE FROM sign_in_reports WHERE hash = \(report.hash)")
    }
  }

  private func open(_ sealed: String, _ hash: String) throws -> String {
    String(decoding: try keys.open(sealed, in: Self.addressColumn, row: hash), as: UTF8.self)
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sign_in_reports WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM sign_in_reports WHERE expires_at < \(tx.now)")
  }

  private static func hash(_ token: String) -> String {
    Base64URL.encode(SHA256.hash(data: Array("sign-in-report\n\(token)".utf8)))
  }
}
